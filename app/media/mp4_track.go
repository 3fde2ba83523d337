package media

import (
	"encoding/binary"
	"slices"
)

// maxChunks bounds the memory for the places of the samples of an MP4.
const maxChunks = 200_000

// mp4Track is what hiding the samples of a track takes: where the table of their
// chunks is.
type mp4Track struct {
	handler     string
	table, size int64
	wide        bool // the table has 64 bits for each chunk
}

// described reports whether a track has data about the recording, such as the
// positions of a camera, rather than what is seen, heard or read.
func (t mp4Track) described() bool {
	switch t.handler {
	case "vide", "auxv", "pict", "soun", "text", "sbtl", "subt", "clcp", "tmcd", "hint":
		return false
	}
	return true
}

// mp4Chunks is where the samples of an MP4 are.
type mp4Chunks struct {
	starts []int64 // twice the offset, and 1 if the chunk is hidden
	boxes  []span  // with samples
	hidden bool
	over   bool // more than fit
}

// span is a part of the file.
type span struct{ at, end int64 }

// data adds a box with samples.
func (c *mp4Chunks) data(at, end int64) error {
	if len(c.boxes) >= maxParts {
		return ErrBroken
	}
	c.boxes = append(c.boxes, span{at, end})
	return nil
}

// add adds the chunks of a track.
func (c *mp4Chunks) add(s *source, t mp4Track) error {
	hide := int64(0)
	if t.described() {
		c.hidden, hide = true, 1
	}
	width := int64(4)
	if t.wide {
		width = 8
	}
	if t.size < 8 {
		return nil
	}
	b, err := s.bytes(t.table, 8)
	if err != nil {
		return err
	}
	n := min(int64(binary.BigEndian.Uint32(b[4:])), (t.size-8)/width)
	if c.over = c.over || n > maxChunks-int64(len(c.starts)); c.over {
		return nil
	}
	for i := range n {
		if b, err = s.bytes(t.table+8+i*width, int(width)); err != nil {
			return err
		}
		at := int64(binary.BigEndian.Uint32(b))
		if t.wide {
			at = int64(binary.BigEndian.Uint64(b) & (1<<61 - 1))
		}
		c.starts = append(c.starts, at<<1|hide)
	}
	return nil
}

// hide blanks the hidden chunks. Each ends where another one or its box does.
func (c *mp4Chunks) hide(f *File) error {
	if !c.hidden {
		return nil
	}
	if c.over {
		return ErrBroken
	}
	slices.Sort(c.starts)
	var out []span
	box := 0
	for i, start := range c.starts {
		at := start >> 1
		for box < len(c.boxes) && c.boxes[box].end <= at {
			box++
		}
		if start&1 == 0 || box == len(c.boxes) || at < c.boxes[box].at {
			continue
		}
		end := c.boxes[box].end
		if i+1 < len(c.starts) {
			end = min(end, c.starts[i+1]>>1)
		}
		if last := len(out) - 1; last >= 0 && out[last].end == at {
			out[last].end = end
		} else if end > at {
			out = append(out, span{at, end})
		}
	}
	f.hide(out)
	return nil
}

// hide blanks spans, which are in order, of what is kept of the source.
func (f *File) hide(spans []span) {
	parts := f.parts
	f.parts, f.size = nil, 0
	for _, p := range parts {
		switch {
		case p.data != nil:
			f.add(p.data)
			continue
		case p.blank:
			f.blank(p.n)
			continue
		}
		at, end := p.at, p.at+p.n
		for len(spans) > 0 && spans[0].end <= at {
			spans = spans[1:]
		}
		for len(spans) > 0 && spans[0].at < end {
			from, to := max(at, spans[0].at), min(end, spans[0].end)
			if from > at {
				f.keep(at, from-at)
			}
			f.blank(to - from)
			if at = to; spans[0].end > end {
				break
			}
			spans = spans[1:]
		}
		if at < end {
			f.keep(at, end-at)
		}
	}
}

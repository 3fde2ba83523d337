package media

import (
	"encoding/binary"
	"slices"
)

func isMP4(head []byte) bool { return len(head) >= 12 && string(head[4:8]) == "ftyp" }

// mp4File is an MP4 while it is inspected.
type mp4File struct {
	s            *source
	f            *File
	movie        bool
	fragmented   bool // samples are where fragments say, too
	audio, video bool
	track        mp4Track
	chunks       mp4Chunks
}

// inspectMP4 keeps the file with its boxes in their places, because others point
// into it, and blanks those with descriptions, positions and unknown data, and
// the dates. Of tracks with data about the recording the samples are blanked; a
// fragmented file with such a track is refused.
func inspectMP4(s *source, f *File) error {
	m := &mp4File{s: s, f: f}
	if err := m.boxes(0, s.size, "", 0); err != nil {
		return err
	}
	switch {
	case !m.movie && isStill(s):
		return ErrType
	case !m.movie:
		return ErrBroken
	case m.fragmented && m.chunks.hidden:
		return ErrType
	case m.video:
		f.Type = "video/mp4"
	case m.audio:
		f.Type = "audio/mp4"
	default:
		return ErrType
	}
	return m.chunks.hide(f)
}

// isStill reports whether a file is a picture, such as HEIC and AVIF, by its brand.
func isStill(s *source) bool {
	b, err := s.bytes(8, 4)
	return err == nil && slices.Contains([]string{"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1", "avif", "avis", "jxl "}, string(b))
}

// boxes handles the boxes from at to end, within one of kind parent.
func (m *mp4File) boxes(at, end int64, parent string, depth int) error {
	for at < end {
		b, err := m.s.bytes(at, 8)
		if err != nil {
			return err
		}
		head, n, kind := int64(8), int64(binary.BigEndian.Uint32(b)), string(b[4:8])
		switch n {
		case 0:
			n = end - at
		case 1:
			if b, err = m.s.bytes(at, 16); err != nil {
				return err
			}
			head, n = 16, int64(binary.BigEndian.Uint64(b[8:])&(1<<62-1))
		}
		if n < head || n > end-at || m.f.full() {
			return ErrBroken
		}
		if !keepsMP4(parent, kind) && n > head {
			err = m.blank(at, head, n)
		} else {
			err = m.box(at, head, n, kind, parent, depth)
		}
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

// keepsMP4 reports whether a box within one of kind parent is needed to play the
// file.
func keepsMP4(parent, kind string) bool {
	switch parent {
	case "":
		switch kind {
		case "ftyp", "styp", "moov", "moof", "mdat", "mfra", "sidx", "ssix", "pdin":
			return true
		}
		return false
	case "moov":
		return kind == "mvhd" || kind == "trak" || kind == "mvex" || kind == "iods"
	case "trak":
		switch kind {
		case "tkhd", "edts", "mdia", "tref", "tapt", "trgr":
			return true
		}
		return false
	case "mdia":
		return kind == "mdhd" || kind == "hdlr" || kind == "minf" || kind == "elng"
	}
	switch kind {
	case "udta", "meta", "uuid", "free", "skip", "wide":
		return false
	}
	return true
}

// blank replaces a box by one of the same size without content.
func (m *mp4File) blank(at, head, n int64) error {
	b, err := m.s.bytes(at, int(head))
	if err != nil {
		return err
	}
	free := append([]byte(nil), b...)
	copy(free[4:], "free")
	m.f.add(free)
	m.f.blank(n - head)
	return nil
}

func (m *mp4File) box(at, head, n int64, kind, parent string, depth int) error {
	switch kind {
	case "moov", "trak", "mdia", "minf", "stbl", "moof", "traf":
		if depth > 5 {
			return ErrBroken
		}
		m.movie = m.movie || kind == "moov"
		m.fragmented = m.fragmented || kind == "moof"
		if kind == "trak" {
			m.track = mp4Track{}
		}
		m.f.keep(at, head)
		err := m.boxes(at+head, at+n, kind, depth+1)
		if err == nil && kind == "trak" {
			err = m.chunks.add(m.s, m.track)
		}
		return err
	case "mvhd", "tkhd", "mdhd":
		return m.header(at, head, n, kind)
	case "hdlr":
		b, err := m.s.bytes(at+head, 12)
		if err != nil || n < head+12 {
			return ErrBroken
		}
		if parent == "mdia" {
			m.track.handler = string(b[8:12])
			m.video = m.video || m.track.handler == "vide"
			m.audio = m.audio || m.track.handler == "soun"
		}
	case "stco", "co64":
		m.track.table, m.track.size, m.track.wide = at+head, n-head, kind == "co64"
	case "mdat":
		if err := m.chunks.data(at+head, at+n); err != nil {
			return err
		}
	}
	m.f.keep(at, n)
	return nil
}

// header keeps a header without its dates, and reads the duration.
func (m *mp4File) header(at, head, n int64, kind string) error {
	b, err := m.s.upTo(at+head, int(min(n-head, 32)))
	if err != nil || len(b) < 20 {
		return ErrBroken
	}
	dates := int64(8)
	scale, length := int64(binary.BigEndian.Uint32(b[12:])), int64(binary.BigEndian.Uint32(b[16:]))
	if b[0] == 1 {
		if len(b) < 32 {
			return ErrBroken
		}
		dates = 16
		scale, length = int64(binary.BigEndian.Uint32(b[20:])), int64(binary.BigEndian.Uint64(b[24:])&(1<<50-1))
	}
	if kind == "mvhd" && length < 1<<50/1000 {
		m.f.DurationMs = duration(length*1000, scale)
	}
	m.f.keep(at, head+4)
	m.f.blank(dates)
	m.f.keep(at+head+4+dates, n-head-4-dates)
	return nil
}

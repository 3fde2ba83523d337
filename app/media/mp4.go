package media

import "encoding/binary"

func isMP4(head []byte) bool { return len(head) >= 12 && string(head[4:8]) == "ftyp" }

// mp4File is an MP4 while it is inspected.
type mp4File struct {
	s            *source
	f            *File
	movie        bool
	audio, video bool
}

// inspectMP4 keeps the file with its boxes in their places, because others point
// into it, and blanks those with descriptions, positions and unknown data.
func inspectMP4(s *source, f *File) error {
	m := &mp4File{s: s, f: f}
	if err := m.boxes(0, s.size, "", 0); err != nil {
		return err
	}
	switch {
	case !m.movie:
		return ErrBroken
	case m.video:
		f.Type = "video/mp4"
	case m.audio:
		f.Type = "audio/mp4"
	default:
		return ErrType
	}
	return nil
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
		if err := m.box(at, head, n, kind, parent, depth); err != nil {
			return err
		}
		at += n
	}
	return nil
}

func (m *mp4File) box(at, head, n int64, kind, parent string, depth int) error {
	switch kind {
	case "moov", "trak", "mdia":
		if depth > 3 {
			return ErrBroken
		}
		m.movie = m.movie || kind == "moov"
		m.f.keep(at, head)
		return m.boxes(at+head, at+n, kind, depth+1)
	case "udta", "meta", "uuid", "free", "skip", "wide":
		if kind == "wide" || n-head == 0 {
			break
		}
		b, err := m.s.bytes(at, int(head))
		if err != nil {
			return err
		}
		blank := append([]byte(nil), b...)
		copy(blank[4:], "free")
		m.f.add(blank)
		m.f.blank(n - head)
		return nil
	case "mvhd":
		return m.header(at, head, n)
	case "hdlr":
		b, err := m.s.bytes(at+head, 12)
		if err != nil || n < head+12 {
			return ErrBroken
		}
		if parent == "mdia" {
			m.video = m.video || string(b[8:12]) == "vide"
			m.audio = m.audio || string(b[8:12]) == "soun"
		}
	}
	m.f.keep(at, n)
	return nil
}

// header reads the duration.
func (m *mp4File) header(at, head, n int64) error {
	b, err := m.s.upTo(at+head, int(min(n-head, 32)))
	if err != nil || len(b) < 20 {
		return ErrBroken
	}
	scale, length := int64(binary.BigEndian.Uint32(b[12:])), int64(binary.BigEndian.Uint32(b[16:]))
	if b[0] == 1 {
		if len(b) < 32 {
			return ErrBroken
		}
		scale, length = int64(binary.BigEndian.Uint32(b[20:])), int64(binary.BigEndian.Uint64(b[24:])&(1<<50-1))
	}
	if length < 1<<50/1000 {
		m.f.DurationMs = duration(length*1000, scale)
	}
	m.f.keep(at, n)
	return nil
}

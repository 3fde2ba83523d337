package media

import (
	"bytes"
	"encoding/binary"
)

func isGIF(head []byte) bool {
	return bytes.HasPrefix(head, []byte("GIF87a")) || bytes.HasPrefix(head, []byte("GIF89a"))
}

// inspectGIF keeps the frames with their times, without comments and texts, up to
// the end of the picture.
func inspectGIF(s *source, f *File) error {
	f.Type = "image/gif"
	b, err := s.bytes(0, 13)
	if err != nil {
		return err
	}
	if err := f.setSize(int64(binary.LittleEndian.Uint16(b[6:])), int64(binary.LittleEndian.Uint16(b[8:]))); err != nil {
		return err
	}
	at := 13 + colorTable(b[10])
	f.keep(0, at)
	f.cost = 2 * int64(f.Width) * int64(f.Height)
	frames, pixels := 0, int64(0)
	for {
		b, err := s.bytes(at, 1)
		if err != nil {
			return err
		}
		if f.full() {
			return ErrBroken
		}
		start, kept := at, true
		switch b[0] {
		case 0x3b:
			f.keep(at, 1)
			if frames == 0 {
				return ErrBroken
			}
			return nil
		case 0x2c:
			if b, err = s.bytes(at, 10); err != nil {
				return err
			}
			w, h := int64(binary.LittleEndian.Uint16(b[5:])), int64(binary.LittleEndian.Uint16(b[7:]))
			frames, pixels = frames+1, pixels+w*h
			if frames > maxFrames || pixels > maxFramePixels || w*h > MaxPixels {
				return ErrPixels
			}
			at, err = subBlocks(s, at+11+colorTable(b[9]))
		case 0x21:
			if b, err = s.upTo(at, 14); err != nil {
				return err
			}
			kept = keepsGIF(b)
			at, err = subBlocks(s, at+2)
			kept = kept && at-start <= maxGIFExtension
		default:
			return ErrBroken
		}
		if err != nil {
			return err
		}
		if kept {
			f.keep(start, at-start)
		}
	}
}

// maxGIFExtension is the size of the largest extension that is kept.
const maxGIFExtension = 24

// keepsGIF reports whether the extension that begins with b is about the time of
// a frame.
func keepsGIF(b []byte) bool {
	switch {
	case len(b) < 14:
		return false
	case b[1] == 0xff:
		return string(b[3:]) == "NETSCAPE2.0" || string(b[3:]) == "ANIMEXTS1.0"
	}
	return b[1] == 0xf9
}

// colorTable returns the size of the colour table that the flags announce.
func colorTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// subBlocks returns where the blocks of data from at on end.
func subBlocks(s *source, at int64) (int64, error) {
	for {
		b, err := s.bytes(at, 1)
		if err != nil {
			return 0, err
		}
		at += 1 + int64(b[0])
		if b[0] == 0 {
			return at, nil
		}
	}
}

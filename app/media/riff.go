package media

import (
	"bytes"
	"encoding/binary"
)

func isRIFF(head []byte, kind string) bool {
	return len(head) >= 12 && bytes.HasPrefix(head, []byte("RIFF")) && string(head[8:12]) == kind
}

func isWebP(head []byte) bool { return isRIFF(head, "WEBP") }
func isWAV(head []byte) bool  { return isRIFF(head, "WAVE") }

// chunk is a chunk of a RIFF file: its header at at, and n bytes of data.
type chunk struct {
	kind  string
	at, n int64
}

// end returns where the next chunk begins.
func (c chunk) end() int64 { return c.at + 8 + c.n + c.n&1 }

func chunkAt(s *source, at int64) (chunk, error) {
	b, err := s.bytes(at, 8)
	if err != nil {
		return chunk{}, err
	}
	return chunk{string(b[:4]), at, int64(binary.LittleEndian.Uint32(b[4:]))}, nil
}

// keepChunk keeps a chunk with its padding, which may be missing at the end of
// the file.
func (f *File) keepChunk(s *source, c chunk) {
	f.keep(c.at, min(c.end(), s.size)-c.at)
	if c.end() > s.size {
		f.add([]byte{0})
	}
}

// setRIFF sets the header of what is kept.
func (f *File) setRIFF(kind string) {
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(f.size+4))
	f.parts = append([]part{{data: append(head, kind...)}}, f.parts...)
	f.size += 12
}

// inspectWebP keeps the picture without EXIF, XMP and unknown chunks.
func inspectWebP(s *source, f *File) error {
	f.Type = "image/webp"
	b, err := s.bytes(0, 8)
	if err != nil {
		return err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	if end > s.size+1 {
		return ErrBroken
	}
	w := webpFile{s: s, f: f}
	for at := int64(12); at < end && at < s.size; {
		c, err := chunkAt(s, at)
		if err != nil {
			return err
		}
		if c.at+8+c.n > min(end, s.size) || f.full() {
			return ErrBroken
		}
		if err := w.chunk(c); err != nil {
			return err
		}
		at = c.end()
	}
	if f.Width == 0 || w.images == 0 {
		return ErrBroken
	}
	pixels := int64(f.Width) * int64(f.Height)
	switch {
	case w.frames > 0: // the decoder does not know animations
	case w.packed > 0:
		f.cost = 9*pixels + f.size + min(webpGroups*webpGroup, webpGroups*webpEmptyGroup+webpUnpacked*w.packed)
	default:
		f.cost = 2*pixels + f.size // the decoder reads all of the data first
	}
	f.setRIFF("WEBP")
	return nil
}

// The memory of the tables by which lossless pictures and transparency are packed. A
// picture has up to webpGroups groups of them. What one takes at most, and without
// codes, follows from the types of the decoder, and webpUnpacked, the bytes of memory
// for a byte of data, from the shortest form of its 3,136 codes, about 200 bytes.
const (
	webpGroups     = 2600
	webpGroup      = 62 << 10
	webpEmptyGroup = 2700
	webpUnpacked   = 320
)

type webpFile struct {
	s              *source
	f              *File
	packed         int64 // bytes of lossless pictures and of transparency
	images, frames int
	pixels         int64
}

func (w *webpFile) chunk(c chunk) error {
	b, err := w.s.upTo(c.at+8, int(min(c.n, 16)))
	if err != nil {
		return err
	}
	switch c.kind {
	case "VP8X":
		if len(b) < 10 || c.at != 12 {
			return ErrBroken
		}
		if err := w.f.setSize(1+int24(b[4:]), 1+int24(b[7:])); err != nil {
			return err
		}
		data := append([]byte("VP8X\x0a\x00\x00\x00"), b[:10]...)
		data[8] &^= 0x0c // EXIF and XMP
		w.f.add(data)
		return nil
	case "VP8 ":
		if len(b) < 10 || b[3] != 0x9d || b[4] != 0x01 || b[5] != 0x2a {
			return ErrBroken
		}
		err = w.image(int64(binary.LittleEndian.Uint16(b[6:])&0x3fff), int64(binary.LittleEndian.Uint16(b[8:])&0x3fff))
	case "VP8L":
		if len(b) < 5 || b[0] != 0x2f {
			return ErrBroken
		}
		bits := int64(binary.LittleEndian.Uint32(b[1:]))
		w.packed += c.n
		err = w.image(1+bits&0x3fff, 1+bits>>14&0x3fff)
	case "ALPH":
		w.packed += c.n
	case "ANMF":
		if len(b) < 12 {
			return ErrBroken
		}
		w.images, w.frames, w.pixels = w.images+1, w.frames+1, w.pixels+(1+int24(b[6:]))*(1+int24(b[9:]))
		if w.frames > maxFrames || w.pixels > maxFramePixels {
			return ErrPixels
		}
	case "ANIM", "ICCP":
	default:
		return nil
	}
	w.f.keepChunk(w.s, c)
	return err
}

// image sets the size of a picture, which must be that of its canvas.
func (w *webpFile) image(width, height int64) error {
	w.images++
	if w.f.Width != 0 && (int64(w.f.Width) != width || int64(w.f.Height) != height) {
		return ErrBroken
	}
	return w.f.setSize(width, height)
}

func int24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }

// inspectWAV keeps the format and the sound. Recorders that cannot go back leave
// a length that is too large; it is corrected.
func inspectWAV(s *source, f *File) error {
	f.Type = "audio/wav"
	var rate int64
	for at := int64(12); at+8 <= s.size; {
		c, err := chunkAt(s, at)
		if err != nil {
			return err
		}
		c.n = min(c.n, s.size-at-8)
		switch c.kind {
		case "fmt ":
			b, err := s.bytes(c.at+8, 16)
			if err != nil || c.n < 16 || c.n > 1024 || rate != 0 {
				return ErrBroken
			}
			if rate = int64(binary.LittleEndian.Uint32(b[8:])); rate == 0 {
				return ErrBroken
			}
			f.keepChunk(s, c)
		case "data":
			if rate == 0 {
				return ErrBroken
			}
			f.add(binary.LittleEndian.AppendUint32([]byte("data"), uint32(c.n)))
			f.keep(c.at+8, c.n)
			if c.n&1 == 1 {
				f.add([]byte{0})
			}
			f.DurationMs = duration(c.n*1000, rate)
			f.setRIFF("WAVE")
			return nil
		}
		at = c.end()
	}
	return ErrBroken
}

// duration returns a/b as milliseconds, and 0 if that is no sensible duration.
func duration(a, b int64) int {
	const day = 24 * 3600 * 1000
	if a <= 0 || b <= 0 || a/b > day {
		return 0
	}
	return int(a / b)
}

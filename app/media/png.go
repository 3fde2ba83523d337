package media

import (
	"bytes"
	"encoding/binary"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

func isPNG(head []byte) bool { return bytes.HasPrefix(head, []byte(pngSignature)) }

// inspectPNG keeps the chunks that show the picture, up to its end.
func inspectPNG(s *source, f *File) error {
	f.Type = "image/png"
	f.keep(0, int64(len(pngSignature)))
	at := int64(len(pngSignature))
	frames, data, palette := 0, false, false
	var color, depth, interlaced byte
	for {
		b, err := s.bytes(at, 8)
		if err != nil {
			return err
		}
		n, kind := int64(binary.BigEndian.Uint32(b)), string(b[4:8])
		if n > s.size-at-12 || f.full() {
			return ErrBroken
		}
		if (at == int64(len(pngSignature))) != (kind == "IHDR") {
			return ErrBroken
		}
		switch kind {
		case "IHDR":
			h, err := s.bytes(at+8, 13)
			if err != nil || n != 13 {
				return ErrBroken
			}
			if err := f.setSize(int64(binary.BigEndian.Uint32(h)), int64(binary.BigEndian.Uint32(h[4:]))); err != nil {
				return err
			}
			depth, color, interlaced = h[8], h[9], h[12]
		case "fcTL":
			if frames++; frames > maxFrames || int64(frames)*int64(f.Width)*int64(f.Height) > maxFramePixels {
				return ErrPixels
			}
		case "tRNS":
			palette = true
		case "IDAT":
			data = true
		}
		if keepsPNG(kind, n) {
			f.keep(at, n+12)
		}
		at += n + 12
		if kind == "IEND" {
			if !data || n != 0 {
				return ErrBroken
			}
			f.cost = pngCost(f, depth, color, interlaced, palette)
			return nil
		}
	}
}

// keepsPNG reports whether a chunk of n bytes changes how the picture is shown.
func keepsPNG(kind string, n int64) bool {
	switch kind {
	case "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT":
		return true
	case "cHRM", "gAMA", "sBIT", "sRGB", "bKGD", "pHYs", "cICP":
		return n <= 1024
	case "iCCP":
		return n <= 1<<20
	}
	return false
}

func pngCost(f *File, depth, color, interlaced byte, transparent bool) int64 {
	per := int64(1)
	switch {
	case color == 3:
	case color == 0 && !transparent:
	default:
		per = 4
	}
	if depth == 16 {
		per *= 2
	}
	if interlaced != 0 {
		per *= 2
	}
	return per * int64(f.Width) * int64(f.Height)
}

package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// stripped is a picture without EXIF, XMP, IPTC and comments. Its orientation stays.
type stripped struct {
	data        []byte
	orient      int
	progressive bool // of a JPEG
	quarter     bool // colours have a quarter of the resolution, of a JPEG
	animated    bool // of a WebP
}

// orientation returns EXIF data that says nothing but the orientation.
func orientation(o int) []byte {
	return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(o), 0, 0, 0, 0, 0, 0}
}

// orientationOf returns the orientation in EXIF data, 1 to 8.
func orientationOf(b []byte) int {
	b = bytes.TrimPrefix(b, []byte("Exif\x00\x00"))
	if len(b) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if b[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return 1
	}
	for n := range int64(order.Uint16(b[at:])) {
		e := at + 2 + 12*n
		if e+12 > int64(len(b)) {
			return 1
		}
		if order.Uint16(b[e:]) != 0x0112 {
			continue
		}
		if o := int(order.Uint16(b[e+8:])); o >= 1 && o <= 8 {
			return o
		}
		return 1
	}
	return 1
}

// stripJPEG keeps the segments that show the picture, up to its end.
func stripJPEG(b []byte) (s stripped, err error) {
	s.orient = 1
	if len(b) < 2 {
		return s, ErrBroken
	}
	s.data = append(make([]byte, 0, len(b)+64), b[:2]...)
	for at := 2; at+2 <= len(b); {
		marker := b[at+1]
		switch {
		case b[at] != 0xff:
			return s, ErrBroken
		case marker == 0xff: // padding
			at++
			continue
		case marker == 0xd9:
			s.data = append(s.data, b[at:at+2]...)
			return s, nil
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd7:
			s.data = append(s.data, b[at:at+2]...)
			at += 2
			continue
		}
		if at+4 > len(b) {
			break
		}
		n := 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if n < 4 || at+n > len(b) {
			break
		}
		s.segment(marker, b[at:at+n])
		if at += n; marker == 0xda {
			end := at + scan(b[at:])
			s.data = append(s.data, b[at:end]...)
			at = end
		}
	}
	return s, ErrBroken
}

// segment keeps a segment if it changes how the picture is shown.
func (s *stripped) segment(marker byte, all []byte) {
	body := all[4:]
	switch {
	case marker == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		if s.orient = orientationOf(body); s.orient == 1 {
			return
		}
		all = append([]byte{0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0}, orientation(s.orient)...)
	case marker == 0xe0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 14:
		all = append(append([]byte{0xff, 0xe0, 0, 16}, body[:12]...), 0, 0) // without its thumbnail
	case marker == 0xe2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")), marker == 0xee && bytes.HasPrefix(body, []byte("Adobe")):
	case marker < 0xc0 || marker >= 0xe0: // applications, comments, reserved
		return
	case marker >= 0xc0 && marker <= 0xc2 && len(body) >= 8:
		s.progressive, s.quarter = marker == 0xc2, body[7] == 0x22
	}
	s.data = append(s.data, all...)
}

// scan returns the length of the compressed data that b begins with.
func scan(b []byte) int {
	for at := 0; at+1 < len(b); at++ {
		if b[at] == 0xff && b[at+1] != 0 && b[at+1] != 0xff && (b[at+1] < 0xd0 || b[at+1] > 0xd7) {
			return at
		}
	}
	return len(b)
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// stripPNG keeps the chunks that show the picture, up to its end.
func stripPNG(b []byte) (s stripped, err error) {
	s.orient = 1
	if len(b) < len(pngSignature) {
		return s, ErrBroken
	}
	s.data = append(make([]byte, 0, len(b)), b[:len(pngSignature)]...)
	for at := len(pngSignature); at+12 <= len(b); {
		n := int64(binary.BigEndian.Uint32(b[at:]))
		if n > int64(len(b)-at-12) {
			break
		}
		chunk := b[at : at+12+int(n)]
		switch kind := string(chunk[4:8]); kind {
		case "IHDR", "PLTE", "IDAT", "tRNS", "acTL", "fcTL", "fdAT", "cHRM", "gAMA", "sBIT", "sRGB", "bKGD", "pHYs", "cICP", "iCCP":
			s.data = append(s.data, chunk...)
		case "eXIf":
			if s.orient = orientationOf(chunk[8 : len(chunk)-4]); s.orient != 1 {
				s.data = append(s.data, chunkOf(kind, orientation(s.orient))...)
			}
		case "IEND":
			s.data = append(s.data, chunk...)
			return s, nil
		}
		at += len(chunk)
	}
	return s, ErrBroken
}

// chunkOf returns a chunk of a PNG.
func chunkOf(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// stripWebP keeps the chunks that show the picture.
func stripWebP(b []byte) (s stripped, err error) {
	s.orient = 1
	if len(b) < 12 {
		return s, ErrBroken
	}
	b = b[:min(int64(len(b)), 8+int64(binary.LittleEndian.Uint32(b[4:])))]
	s.data = append(make([]byte, 0, len(b)+64), b[:min(12, len(b))]...)
	flags := -1
	for at := 12; at+8 <= len(b); {
		n := int64(binary.LittleEndian.Uint32(b[at+4:]))
		if n > int64(len(b)-at-8) {
			return s, ErrBroken
		}
		chunk := b[at : at+8+int(n)]
		at += len(chunk) + len(chunk)%2
		switch string(chunk[:4]) {
		case "VP8X":
			flags = len(s.data) + 8
		case "EXIF":
			if s.orient = orientationOf(chunk[8:]); s.orient == 1 {
				continue
			}
			chunk = append([]byte("EXIF\x1a\x00\x00\x00"), orientation(s.orient)...)
		case "ANMF":
			s.animated = true
		case "VP8 ", "VP8L", "ALPH", "ANIM", "ICCP":
		default:
			continue
		}
		if s.data = append(s.data, chunk...); len(chunk)%2 == 1 {
			s.data = append(s.data, 0)
		}
	}
	if flags >= 0 && flags < len(s.data) {
		const exif, xmp = 0x08, 0x04
		if s.data[flags] &^= exif | xmp; s.orient != 1 {
			s.data[flags] |= exif
		}
	}
	if len(s.data) < 20 {
		return s, ErrBroken
	}
	binary.LittleEndian.PutUint32(s.data[4:], uint32(len(s.data)-8))
	return s, nil
}

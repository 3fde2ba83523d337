package media

import (
	"bytes"
	"encoding/binary"
)

// JPEG markers.
const (
	jpegSOI, jpegEOI, jpegSOS, jpegCOM = 0xd8, 0xd9, 0xda, 0xfe
	jpegAPP0, jpegAPP15                = 0xe0, 0xef
	// maxScans bounds the passes over a progressive picture.
	maxScans = 100
)

func isJPEG(head []byte) bool { return bytes.HasPrefix(head, []byte{0xff, jpegSOI, 0xff}) }

// jpegFile is a JPEG while it is inspected.
type jpegFile struct {
	s     *source
	f     *File
	scans int
	rgb   bool // the decoder converts it to four bytes a pixel
	// of the picture, for the memory that decoding takes
	marker       byte
	components   int
	pixels, cost int64
}

// inspectJPEG keeps what is needed to show the picture: no EXIF, XMP, IPTC and
// comments, and nothing behind its end. The orientation stays.
func inspectJPEG(s *source, f *File) error {
	j := &jpegFile{s: s, f: f}
	f.Type = "image/jpeg"
	f.keep(0, 2)
	at := int64(2)
	for {
		b, err := s.bytes(at, 2)
		if err != nil {
			return err
		}
		if b[0] != 0xff || f.full() {
			return ErrBroken
		}
		marker := b[1]
		switch {
		case marker == 0xff: // padding
			at++
			continue
		case marker == jpegEOI:
			f.keep(at, 2)
			return j.finish()
		case marker == 0x01 || marker >= 0xd0 && marker < jpegSOI:
			f.keep(at, 2)
			at += 2
			continue
		}
		if at, err = j.segment(at, marker); err != nil {
			return err
		}
	}
}

// segment handles the segment at at, and the data of a scan, and returns where
// it ends.
func (j *jpegFile) segment(at int64, marker byte) (next int64, err error) {
	b, err := j.s.bytes(at, 4)
	if err != nil {
		return 0, err
	}
	n := int(binary.BigEndian.Uint16(b[2:]))
	if n < 2 || marker == 0 || marker == jpegSOI {
		return 0, ErrBroken
	}
	body, err := j.s.bytes(at+4, n-2)
	if err != nil {
		return 0, err
	}
	next = at + 2 + int64(n)
	switch {
	case marker >= jpegAPP0 && marker <= jpegAPP15 || marker == jpegCOM:
		j.application(at, n, marker, body)
		return next, nil
	case marker < 0xc0 || marker >= 0xf0: // reserved: they show nothing
		return next, nil
	case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
		err = j.frame(marker, body)
	case marker == jpegSOS:
		if j.f.Width == 0 {
			return 0, ErrBroken
		}
		if j.scans++; j.scans > maxScans {
			return 0, ErrPixels
		}
		j.f.keep(at, int64(n)+2)
		end, err := j.scan(next)
		j.f.keep(next, end-next)
		return end, err
	}
	j.f.keep(at, int64(n)+2)
	return next, err
}

// application keeps the segments that change how the picture is shown.
func (j *jpegFile) application(at int64, n int, marker byte, body []byte) {
	switch {
	case marker == jpegAPP0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 14:
		jfif := append([]byte{0xff, jpegAPP0, 0, 16}, body[:12]...)
		j.f.add(append(jfif, 0, 0)) // without its thumbnail
	case marker == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		j.f.orient = exifOrientation(body[6:])
	case marker == 0xe2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")):
		j.f.keep(at, int64(n)+2)
	case marker == 0xee && bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= 12:
		j.rgb = j.rgb || body[11] == 0
		j.f.add(append([]byte{0xff, 0xee, 0, 14}, body[:12]...))
	}
}

// frame reads the size of the picture and what its memory depends on.
func (j *jpegFile) frame(marker byte, body []byte) error {
	if len(body) < 6 || j.f.Width != 0 {
		return ErrBroken
	}
	h, w := int64(binary.BigEndian.Uint16(body[1:])), int64(binary.BigEndian.Uint16(body[3:]))
	n := int(body[5])
	if err := j.f.setSize(w, h); err != nil {
		return err
	}
	if len(body) < 6+3*n || n == 0 || n > 4 {
		return ErrBroken
	}
	var samples, most int64
	for i := range n {
		c := body[6+3*i:]
		size := int64(c[1]>>4) * int64(c[1]&15)
		if size == 0 || size > 16 {
			return ErrBroken
		}
		samples, most = samples+size, max(most, size)
		j.rgb = j.rgb || n == 3 && c[0] == 'R'
	}
	pixels := (w + 31) * (h + 31)
	j.marker, j.components, j.pixels, j.cost = marker, n, pixels, pixels*samples/most
	return nil
}

// memory estimates what decoding takes. A segment behind the header of the
// picture may say that it is RGB.
func (j *jpegFile) memory() int64 {
	cost := j.cost
	switch {
	case j.marker > 0xc2:
		return 0
	case j.marker == 0xc2:
		cost *= 5 // the decoder keeps the coefficients
	}
	if j.components == 4 || j.components == 3 && j.rgb {
		cost += 4 * j.pixels
	}
	return cost
}

// scan returns where the entropy-coded data from at on ends.
func (j *jpegFile) scan(at int64) (end int64, err error) {
	for at < j.s.size {
		b, err := j.s.upTo(at, window)
		if err != nil {
			return at, err
		}
		i := bytes.IndexByte(b, 0xff)
		switch {
		case i < 0:
			at += int64(len(b))
		case i == len(b)-1:
			if i == 0 {
				return at, ErrBroken // the last byte
			}
			at += int64(i)
		case b[i+1] == 0 || b[i+1] >= 0xd0 && b[i+1] <= 0xd7:
			at += int64(i) + 2
		case b[i+1] == 0xff:
			at += int64(i) + 1
		default:
			return at + int64(i), nil
		}
	}
	return at, ErrBroken
}

// finish restores the orientation and turns the size.
func (j *jpegFile) finish() error {
	f := j.f
	if j.scans == 0 {
		return ErrBroken
	}
	f.cost = j.memory()
	if f.orient == 1 {
		return nil
	}
	exif := []byte{0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
		0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(f.orient), 0, 0, 0, 0, 0, 0}
	rest := f.parts
	f.parts = append([]part{{at: 0, n: 2}, {data: exif}}, rest...)
	if first := &f.parts[2]; first.data == nil {
		first.at, first.n = first.at+2, first.n-2
	}
	f.size += int64(len(exif))
	if f.orient > 4 {
		f.Width, f.Height = f.Height, f.Width
	}
	return nil
}

// exifOrientation returns the orientation in the TIFF structure b, 1 to 8.
func exifOrientation(b []byte) int {
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
		if order.Uint16(b[e:]) == 0x0112 {
			if o := int(order.Uint16(b[e+8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
	}
	return 1
}

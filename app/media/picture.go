package media

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // decoded
	"image/jpeg"
	"image/png"

	_ "golang.org/x/image/webp" // decoded
)

const (
	// maxMemory bounds the memory that decoding one picture takes.
	maxMemory = 96 << 20
	// PreviewSide bounds the width and the height of a preview.
	PreviewSide = 512
	// AvatarSide is the width and the height of an avatar.
	AvatarSide = 256
)

// Picture is an encoded picture.
type Picture struct {
	Type string // image/jpeg or image/png
	Data []byte
}

// inspectPicture reads a picture into memory, checks its size and removes metadata.
func (f *File) inspectPicture() error {
	b, err := f.read(0, f.size)
	if err != nil {
		return err
	}
	s := stripped{data: b, orient: 1}
	switch f.Type {
	case "image/jpeg":
		s, err = stripJPEG(b)
	case "image/png":
		s, err = stripPNG(b)
	case "image/webp":
		s, err = stripWebP(b)
	}
	if err != nil {
		return err
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(s.data))
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 {
		return ErrBroken
	}
	if int64(cfg.Width)*int64(cfg.Height) > MaxPixels {
		return ErrPixels
	}
	f.data, f.size, f.orient = s.data, int64(len(s.data)), s.orient
	if f.Width, f.Height = cfg.Width, cfg.Height; f.orient > 4 {
		f.Width, f.Height = f.Height, f.Width
	}
	if !s.animated {
		f.memory = int64(float64(cfg.Width)*float64(cfg.Height)*s.bytesPerPixel(cfg.ColorModel)) + 1
	}
	if f.Type == "image/png" && f.orient != 1 && Decodable(f) {
		return f.turnPNG()
	}
	return nil
}

// bytesPerPixel estimates what a pixel takes while a picture is decoded.
func (s *stripped) bytesPerPixel(m color.Model) (n float64) {
	switch m {
	case color.GrayModel:
		return 1
	case color.YCbCrModel:
		if n = 3; s.quarter {
			n = 1.5
		}
		if s.progressive {
			n *= 5 // the decoder keeps the coefficients
		}
		return n
	case color.RGBA64Model, color.NRGBA64Model, color.CMYKModel:
		return 8
	}
	return 4
}

// turnPNG makes a PNG upright, because not every browser follows its orientation.
func (f *File) turnPNG() error {
	m, err := f.decode()
	if err != nil {
		return err
	}
	out := image.NewRGBA(image.Rectangle{Max: m.Bounds().Size()})
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, upright(out, f.orient)); err != nil {
		return err
	}
	f.data, f.size, f.orient = b.Bytes(), int64(b.Len()), 1
	return nil
}

// Decodable reports whether f is a picture that can be decoded within maxMemory.
func Decodable(f *File) bool { return f.memory > 0 && f.memory <= maxMemory }

// Preview decodes a picture and returns it with at most PreviewSide pixels in each
// direction if it is larger, and nil if it is not. It returns ErrBroken if the picture
// cannot be decoded. f must be Decodable.
func Preview(f *File) (*Picture, error) {
	m, err := f.decode()
	if err != nil || max(f.Width, f.Height) <= PreviewSide {
		return nil, err
	}
	return encode(shrunk(m, f.orient, PreviewSide, false))
}

// Avatar returns the middle of a picture as a square of at most AvatarSide pixels. It
// returns the errors of Preview.
func Avatar(f *File) (*Picture, error) {
	m, err := f.decode()
	if err != nil {
		return nil, err
	}
	return encode(shrunk(m, f.orient, AvatarSide, true))
}

// decode returns the picture. Of an animation it is the first frame, on its canvas.
func (f *File) decode() (image.Image, error) {
	m, _, err := image.Decode(bytes.NewReader(f.data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if f.Type == "image/gif" && m.Bounds() != image.Rect(0, 0, f.Width, f.Height) {
		canvas := image.NewRGBA(image.Rect(0, 0, f.Width, f.Height))
		draw.Draw(canvas, m.Bounds(), m, m.Bounds().Min, draw.Src)
		m = canvas
	}
	return m, nil
}

// shrunk returns m upright, within side pixels in each direction, and cut to a
// square if square.
func shrunk(m image.Image, orient, side int, square bool) *image.RGBA {
	b := m.Bounds()
	if square {
		n := min(b.Dx(), b.Dy())
		b.Min = b.Min.Add(image.Pt((b.Dx()-n)/2, (b.Dy()-n)/2))
		b.Max = b.Min.Add(image.Pt(n, n))
	}
	w, h := b.Dx(), b.Dy()
	if large := max(w, h); large > side {
		w, h = max(1, (w*side+large/2)/large), max(1, (h*side+large/2)/large)
	}
	return upright(mean(m, b, w, h), orient)
}

// mean returns the part b of m with w times h pixels. Each is the mean of what it covers.
func mean(m image.Image, b image.Rectangle, w, h int) *image.RGBA {
	wide, tall := b.Dx(), b.Dy()
	out, covered := image.NewRGBA(image.Rect(0, 0, w, h)), image.NewRGBA(image.Rect(0, 0, wide/w+2, tall/h+2))
	for at := range w * h {
		x, y := at%w, at/w
		left, top := x*wide/w, y*tall/h
		draw.Draw(covered, covered.Rect, m, b.Min.Add(image.Pt(left, top)), draw.Src)
		var sum [4]uint64
		for j := top; j*h < (y+1)*tall; j++ {
			part := min((j+1)*h, (y+1)*tall) - max(j*h, y*tall)
			for i := left; i*w < (x+1)*wide; i++ {
				part, c := uint64(part*(min((i+1)*w, (x+1)*wide)-max(i*w, x*wide))), covered.RGBAAt(i-left, j-top)
				sum[0] += part * uint64(c.R)
				sum[1] += part * uint64(c.G)
				sum[2] += part * uint64(c.B)
				sum[3] += part * uint64(c.A)
			}
		}
		for c, v := range sum {
			out.Pix[4*at+c] = uint8(v / uint64(wide*tall))
		}
	}
	return out
}

// upright turns a picture by its orientation, as defined by EXIF.
func upright(m *image.RGBA, orient int) *image.RGBA {
	if orient <= 1 || orient > 8 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orient > 4 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			to := [...]image.Point{2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x}}[orient]
			out.SetRGBA(to.X, to.Y, m.RGBAAt(x, y))
		}
	}
	return out
}

// encode encodes an opaque picture as JPEG and one with transparency as PNG.
func encode(m *image.RGBA) (*Picture, error) {
	var b bytes.Buffer
	if m.Opaque() {
		err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 82})
		return &Picture{"image/jpeg", b.Bytes()}, err
	}
	err := png.Encode(&b, m)
	return &Picture{"image/png", b.Bytes()}, err
}

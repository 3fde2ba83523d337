package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

const (
	// decoderMemory bounds the memory of all pictures that are decoded at once.
	decoderMemory = 64 << 20
	// scaling is what making a smaller picture takes in addition.
	scaling = 8 << 20
	// PreviewSide bounds the width and the height of a preview.
	PreviewSide = 512
	// AvatarSide is the width and the height of an avatar.
	AvatarSide = 256
)

// Decoder decodes pictures, as many at once as fit into its memory, at most two of
// one person. Of those who wait, it is first the turn of the person whose pictures
// have taken least memory lately. It is safe for concurrent use.
type Decoder struct{ memory *turns }

// NewDecoder returns a decoder that uses up to 64 MiB.
func NewDecoder() *Decoder { return &Decoder{newTurns(decoderMemory)} }

// Picture is an encoded picture.
type Picture struct {
	Type string // image/jpeg or image/png
	Data []byte
}

// Decodable reports whether the decoder can decode f within its memory.
func Decodable(f *File) bool {
	return f.Image() && f.cost > 0 && f.cost+scaling <= decoderMemory
}

// Preview decodes a picture of a person, who is "" for the server itself, and
// returns it with at most PreviewSide pixels in each direction if it is larger, and
// nil if it is not. It returns ErrBroken if the picture cannot be decoded, and the
// error of ctx if that is done before it is the person's turn. f must be Decodable.
func (d *Decoder) Preview(ctx context.Context, person string, f *File) (*Picture, error) {
	var out *Picture
	err := d.decode(ctx, person, f, func(m image.Image) (err error) {
		if max(f.Width, f.Height) > PreviewSide {
			out, err = encode(shrunk(m, f.orient, PreviewSide, false))
		}
		return err
	})
	return out, err
}

// Avatar returns the middle of a picture of a person as a square of at most
// AvatarSide pixels. Its errors are those of Preview.
func (d *Decoder) Avatar(ctx context.Context, person string, f *File) (*Picture, error) {
	var out *Picture
	err := d.decode(ctx, person, f, func(m image.Image) (err error) {
		out, err = encode(shrunk(m, f.orient, AvatarSide, true))
		return err
	})
	return out, err
}

// decode calls use with the picture while its memory is reserved.
func (d *Decoder) decode(ctx context.Context, person string, f *File, use func(image.Image) error) error {
	if !Decodable(f) {
		return fmt.Errorf("media: %s of %d bytes of memory cannot be decoded", f.Type, f.cost) // it would wait forever, and others behind it
	}
	if err := d.memory.take(ctx, person, f.cost+scaling); err != nil {
		return err
	}
	defer d.memory.give(person, f.cost+scaling)
	var m image.Image
	var err error
	switch r := f.Reader(); f.Type {
	case "image/jpeg":
		m, err = jpeg.Decode(r)
	case "image/png":
		m, err = png.Decode(r)
	case "image/gif":
		m, err = gif.Decode(r)
		if err == nil && m.Bounds() != image.Rect(0, 0, f.Width, f.Height) {
			return ErrUnsupported // the first frame is a part of the picture
		}
	case "image/webp":
		m, err = webp.Decode(r)
	default:
		return fmt.Errorf("media: %s is no picture", f.Type)
	}
	if _, unsupported := errors.AsType[jpeg.UnsupportedError](err); unsupported {
		return ErrUnsupported
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return use(m)
}

// ErrUnsupported reports a picture of a rare kind that browsers can show and the
// decoder cannot.
var ErrUnsupported = errors.New("media: cannot decode this kind of picture")

// shrunk returns m upright, within side pixels in each direction, and cut to a
// square if square.
func shrunk(m image.Image, orient, side int, square bool) *image.RGBA {
	b := m.Bounds()
	if square {
		n := min(b.Dx(), b.Dy())
		b.Min = b.Min.Add(image.Pt((b.Dx()-n)/2, (b.Dy()-n)/2))
		b.Max = b.Min.Add(image.Pt(n, n))
	}
	large := max(b.Dx(), b.Dy())
	if k := (large + 2*side - 1) / (2 * side); k > 1 {
		m = averaged(m, b, k)
		b = m.Bounds()
		large = max(b.Dx(), b.Dy())
	}
	w, h := b.Dx(), b.Dy()
	if large > side {
		w, h = max(1, (w*side+large/2)/large), max(1, (h*side+large/2)/large)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	// At most two pixels become one here, for which this needs no memory and
	// looks as good as what does.
	draw.ApproxBiLinear.Scale(out, out.Bounds(), m, b, draw.Src, nil)
	return upright(out, orient)
}

// averaged returns the rectangle b of m with one pixel for every k by k.
func averaged(m image.Image, b image.Rectangle, k int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()/k), max(1, b.Dy()/k)))
	for y := range out.Rect.Max.Y {
		for x := range out.Rect.Max.X {
			from := image.Rect(b.Min.X+x*k, b.Min.Y+y*k, b.Min.X+(x+1)*k, b.Min.Y+(y+1)*k).Intersect(b)
			out.SetRGBA(x, y, average(m, from))
		}
	}
	return out
}

// average returns the average colour of a rectangle.
func average(m image.Image, b image.Rectangle) color.RGBA {
	if ycc, ok := m.(*image.YCbCr); ok {
		return averageYCbCr(ycc, b)
	}
	src, ok := m.(image.RGBA64Image)
	if !ok {
		return color.RGBA{} // no decoder returns another type
	}
	var r, g, bl, a, n uint64
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			p := src.RGBA64At(x, y)
			r, g, bl, a, n = r+uint64(p.R), g+uint64(p.G), bl+uint64(p.B), a+uint64(p.A), n+1
		}
	}
	if n == 0 {
		return color.RGBA{}
	}
	n *= 257
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(bl / n), uint8(a / n)}
}

func averageYCbCr(m *image.YCbCr, b image.Rectangle) color.RGBA {
	var l, cb, cr, n int
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := m.COffset(x, y)
			l, cb, cr, n = l+int(m.Y[m.YOffset(x, y)]), cb+int(m.Cb[c]), cr+int(m.Cr[c]), n+1
		}
	}
	if n == 0 {
		return color.RGBA{}
	}
	r, g, bl := color.YCbCrToRGB(uint8(l/n), uint8(cb/n), uint8(cr/n))
	return color.RGBA{r, g, bl, 255}
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

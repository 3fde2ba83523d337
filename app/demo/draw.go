package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
)

// drawing is a picture of lines with round ends, which are dots where they have no
// length.
type drawing struct{ *image.RGBA }

// newDrawing returns a picture whose color goes from top to bottom.
func newDrawing(w, h int, top, bottom uint32) drawing {
	d := drawing{image.NewRGBA(image.Rect(0, 0, w, h))}
	a, b := rgb(top), rgb(bottom)
	for y := range h {
		c := mix(a, b, float64(y)/float64(h))
		for x := range w {
			d.SetRGBA(x, y, c)
		}
	}
	return d
}

// line draws from one point to another, radius wide to each side.
func (d drawing) line(x1, y1, x2, y2, radius float64, c uint32) {
	area := image.Rect(int(min(x1, x2)-radius)-1, int(min(y1, y2)-radius)-1, int(max(x1, x2)+radius)+2, int(max(y1, y2)+radius)+2).Intersect(d.Rect)
	dx, dy, with := x2-x1, y2-y1, rgb(c)
	long := max(dx*dx+dy*dy, 1e-9)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			px, py := float64(x)+0.5-x1, float64(y)+0.5-y1
			along := min(1, max(0, (px*dx+py*dy)/long))
			if cover := radius + 0.5 - math.Hypot(px-along*dx, py-along*dy); cover > 0 {
				d.SetRGBA(x, y, mix(d.RGBAAt(x, y), with, min(1, cover)))
			}
		}
	}
}

func (d drawing) dot(x, y, radius float64, c uint32) { d.line(x, y, x, y, radius, c) }

// scatter draws n small dots with a seed of its own, so that a picture is always
// the same.
func (d drawing) scatter(seed uint64, n int, in image.Rectangle, largest float64, c uint32) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		d.dot(float64(in.Min.X+r.IntN(in.Dx())), float64(in.Min.Y+r.IntN(in.Dy())), 0.4+r.Float64()*largest, c)
	}
}

func (d drawing) jpeg() []byte {
	var b bytes.Buffer
	jpeg.Encode(&b, d, &jpeg.Options{Quality: 85}) // a buffer takes everything
	return b.Bytes()
}

func rgb(c uint32) color.RGBA { return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255} }

func mix(a, b color.RGBA, part float64) color.RGBA {
	one := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*part) }
	return color.RGBA{one(a.R, b.R), one(a.G, b.G), one(a.B, b.B), 255}
}

// hill is a hill at night with people and their torches.
func hill() []byte {
	d := newDrawing(480, 320, 0x0b1026, 0x2b3557)
	d.scatter(1, 160, image.Rect(0, 0, 480, 220), 1.1, 0xdfe6ff)
	d.dot(240, 720, 470, 0x10140f)
	for i, x := range []float64{150, 178, 203, 236, 262, 301, 330} {
		y := 720 - math.Sqrt(470*470-(x-240)*(x-240))
		d.line(x, y-4, x, y-16, 4, 0x05070a)
		d.dot(x+5, y-9, 2.5+float64(i%2), 0xff4630)
	}
	return d.jpeg()
}

// moons is Jupiter with four moons in a row, on paper.
func moons() []byte {
	d := newDrawing(480, 220, 0xf4ecda, 0xe9dfc8)
	d.dot(230, 110, 62, 0xc99b6b)
	for i, y := range []float64{78, 96, 116, 134} {
		half := math.Sqrt(58*58 - (y-110)*(y-110))
		d.line(230-half, y, 230+half, y, 3+float64(i%2)*2, 0xa8754a)
	}
	for _, x := range []float64{52, 118, 330, 428} {
		d.dot(x, 110, 5, 0x3b3226)
	}
	return d.jpeg()
}

// cake is a cake with candles that has lost a corner.
func cake() []byte {
	d := newDrawing(480, 320, 0xd9e6e2, 0xb9a58c)
	d.line(70, 262, 410, 262, 16, 0xf7f4ee)
	for i, y := range []float64{238, 210, 182} {
		d.line(120, y, 360, y, 20, []uint32{0xd9a45b, 0xf6e7c8, 0xe2b06a}[i])
	}
	d.line(120, 160, 360, 160, 12, 0xfff6ee)
	for i := range 7 {
		x := 126 + 34*float64(i)
		d.line(x, 116, x, 148, 3, []uint32{0xd1495b, 0x2e86ab, 0x6a994e}[i%3])
		d.dot(x, 104, 5, 0xffb703)
	}
	d.dot(384, 150, 34, 0xcbc6b8)
	return d.jpeg()
}

// crumbs is the inside of a bag in which there was a bun.
func crumbs() []byte {
	d := newDrawing(400, 300, 0x5c4632, 0x2f2419)
	d.line(20, 40, 380, 30, 14, 0x735a41)
	d.scatter(2, 120, image.Rect(60, 120, 340, 270), 4, 0xe3c08b)
	d.scatter(3, 60, image.Rect(90, 150, 310, 260), 2, 0xfff1d6)
	return d.jpeg()
}

// loaf, wheel, heron, moon and bowl are pictures of people, sky that of a group.
func loaf() []byte {
	d := newDrawing(128, 128, 0xf3d9b1, 0xe0b67b)
	d.line(42, 70, 86, 70, 30, 0x9c5a24)
	for _, x := range []float64{40, 58, 76} {
		d.line(x, 78, x+14, 54, 4, 0xe9c08a)
	}
	return d.jpeg()
}

func wheel() []byte {
	d := newDrawing(128, 128, 0xd6e5e3, 0xa9c6c2)
	d.dot(64, 64, 46, 0x26323a)
	d.dot(64, 64, 38, 0xc0d6d3)
	for i := range 6 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 6)
		d.line(64-38*cos, 64-38*sin, 64+38*cos, 64+38*sin, 1.2, 0x5b6b73)
	}
	d.dot(64, 64, 8, 0xd1495b)
	return d.jpeg()
}

func heron() []byte {
	d := newDrawing(128, 128, 0xcfdfea, 0x8fae9b)
	d.line(58, 78, 62, 120, 2, 0x4a4a3a)
	d.line(68, 78, 72, 120, 2, 0x4a4a3a)
	d.line(44, 72, 78, 66, 15, 0x7d8ea0)
	d.line(80, 60, 70, 30, 5, 0xaab7c4)
	d.line(72, 26, 84, 24, 7, 0x8494a5)
	d.line(88, 25, 112, 30, 2.5, 0xe0a030)
	return d.jpeg()
}

func moon() []byte {
	d := newDrawing(128, 128, 0x1d2350, 0x3c3f7a)
	d.scatter(4, 24, image.Rect(0, 0, 128, 128), 1, 0xffffff)
	d.dot(62, 64, 38, 0xf6e7b4)
	d.dot(80, 54, 33, 0x282c5d)
	return d.jpeg()
}

func bowl() []byte {
	d := newDrawing(128, 128, 0xece4da, 0xcfc0ad)
	d.dot(64, 66, 38, 0x5f7f75)
	d.line(20, 44, 108, 44, 20, 0xe8dfd3)
	d.line(32, 66, 96, 66, 3, 0x49635b)
	d.line(50, 106, 78, 106, 5, 0x49635b)
	d.line(56, 44, 52, 24, 2, 0xffffff)
	d.line(72, 44, 76, 20, 2, 0xffffff)
	return d.jpeg()
}

func sky() []byte {
	d := newDrawing(128, 128, 0x0b1026, 0x39406b)
	d.scatter(5, 40, image.Rect(0, 0, 128, 100), 1.2, 0xdfe6ff)
	d.dot(64, 190, 90, 0x10140f)
	d.line(88, 26, 60, 46, 1.5, 0xffffff)
	d.dot(88, 26, 3, 0xffffff)
	return d.jpeg()
}

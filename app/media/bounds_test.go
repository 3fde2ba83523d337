package media

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"runtime"
	"testing"
)

// blankPNG is a picture of w by h pixels in a few kilobytes.
func blankPNG(w, h int, depth, kind byte, row int) []byte {
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	line := make([]byte, row+1)
	for range h {
		z.Write(line)
	}
	z.Close()
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := append([]byte(pngSignature), pngChunk("IHDR", string(head)+string([]byte{depth, kind, 0, 0, 0}))...)
	return append(append(out, pngChunk("IDAT", data.String())...), pngChunk("IEND", "")...)
}

// Decoding any picture that is accepted takes no more memory than is reserved,
// and that is at most 64 MiB.
func TestDecoderMemory(t *testing.T) {
	flat := func(w, h int) image.Image {
		return image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	}
	for name, file := range map[string][]byte{
		"JPEG of 24 megapixels":          jpegOf(t, flat(6000, 4000)),
		"JPEG of 49 megapixels":          jpegOf(t, flat(7000, 7000)),
		"grey JPEG":                      jpegOf(t, image.NewGray(image.Rect(0, 0, 6000, 6000))),
		"PNG of 13 megapixels":           blankPNG(3700, 3700, 8, 6, 3700*4),
		"PNG of 49 megapixels":           blankPNG(7000, 7000, 8, 6, 7000*4),
		"PNG of 16 bits":                 blankPNG(2600, 2600, 16, 6, 2600*8),
		"PNG in black and white":         blankPNG(7000, 7000, 1, 0, 7000/8),
		"GIF of 25 megapixels":           gifOf(t, 1, 5000),
		"GIF of 100 frames of a million": gifOf(t, 100, 1000),
	} {
		f, _, err := inspect(t, file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !Decodable(f) {
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := NewDecoder().Preview(t.Context(), "", f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: %d bytes of file, %d MiB of memory, %d reserved", name, len(file), took>>20, (f.cost+scaling)>>20)
		if took > f.cost+scaling {
			t.Errorf("%s: decoding took %d MiB, but %d are reserved", name, took>>20, (f.cost+scaling)>>20)
		}
	}
}

// A picture of few pixels whose data unpacks to much more is refused before that
// is in memory.
func TestDecoderBomb(t *testing.T) {
	f, _, err := inspect(t, blankPNG(4, 4, 8, 2, 64<<20))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, render := range []func(context.Context, string, *File) (*Picture, error){NewDecoder().Preview, NewDecoder().Avatar} {
		if _, err := render(t.Context(), "", f); !errors.Is(err, ErrBroken) {
			t.Errorf("a picture with more data than pixels: %v", err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("decoding took %d bytes", took)
	}
}

func FuzzInspect(f *testing.F) {
	for _, b := range [][]byte{
		jpegOf(f, photo(8, 8)), pngOf(f, photo(8, 8)), gifOf(f, 2, 4), []byte(mp4("soun")), []byte(webm(2, "")),
		riff("WEBP", riffChunk("VP8L", tinyWebP)), []byte("%PDF-1.7\n%%EOF"), []byte("text"),
		pngOf(f, image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{color.Black})),
	} {
		f.Add(b)
	}
	d := NewDecoder()
	f.Fuzz(func(t *testing.T, b []byte) {
		file, kept, err := inspect(t, b)
		if err != nil {
			return
		}
		if _, _, err := inspect(t, kept); err != nil {
			t.Errorf("what is kept of a %s is refused: %v", file.Type, err)
		}
		if Decodable(file) && file.Width*file.Height < 1<<20 {
			_, _ = d.Preview(t.Context(), "", file)
		}
	})
}

// The tables of a lossless WebP take up to 320 times its data: one that might need
// more than the decoder has is not decoded.
func TestLosslessWebPMemory(t *testing.T) {
	webp := func(data int) []byte {
		chunk := append([]byte("\x2f\xc7\xc0\x31\x00"), make([]byte, data-5)...) // 200 by 200 pixels
		chunk = append(binary.LittleEndian.AppendUint32([]byte("WEBPVP8L"), uint32(len(chunk))), chunk...)
		return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunk))), chunk...)
	}
	for data, want := range map[int]bool{40_000: true, 120_000: true, 200_000: false, 1_000_000: false} {
		f, _, err := inspect(t, webp(data))
		if err != nil {
			t.Fatal(err)
		}
		if f.Width != 200 || f.Height != 200 || Decodable(f) != want {
			t.Errorf("%d bytes of data, %d by %d: decodable: %v, with %d MiB", data, f.Width, f.Height, Decodable(f), f.cost>>20)
		}
	}
}

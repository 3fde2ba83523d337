package media

import (
	"bytes"
	"compress/zlib"
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

// A picture of few pixels whose data unpacks to much more is refused before that
// is in memory.
func TestDecoderBomb(t *testing.T) {
	f, _, err := inspect(t, blankPNG(4, 4, 8, 2, 64<<20))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, render := range []func(*File) (*Picture, error){Preview, Avatar} {
		if _, err := render(f); !errors.Is(err, ErrBroken) {
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
		jpegOf(f, photo(8, 8)), pngOf(f, photo(8, 8)), gifOf(f, 2, 4), []byte(mp4("soun")), []byte(webm("A_OPUS")),
		riff("WEBP", riffChunk("VP8L", tinyWebP)), []byte("%PDF-1.7\n%%EOF"), []byte("text"),
		pngOf(f, image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{color.Black})),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, kept, err := inspect(t, b)
		if err != nil {
			return
		}
		if _, _, err := inspect(t, kept); err != nil {
			t.Errorf("what is kept of a %s is refused: %v", file.Type, err)
		}
		if Decodable(file) && file.Width*file.Height < 1<<20 {
			_, _ = Preview(file)
		}
	})
}

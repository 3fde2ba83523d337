package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
)

func inspect(t testing.TB, b []byte) (*File, []byte, error) {
	t.Helper()
	f, err := Inspect(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, err
	}
	out, err := io.ReadAll(f.Reader())
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(out)) != f.Size() {
		t.Fatalf("%s: the size is %d, but %d bytes are kept", f.Type, f.Size(), len(out))
	}
	return f, out, nil
}

// photo has a red top left corner on blue.
func photo(w, h int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{0, 0, 200, 255}
			if x < w/2 && y < h/2 {
				c = color.RGBA{200, 0, 0, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t testing.TB, frames, side int) []byte {
	t.Helper()
	g := &gif.GIF{}
	for range frames {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.Black, color.White}))
		g.Delay = append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// segment returns a JPEG segment.
func segment(marker byte, body string) []byte {
	return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
}

// exif is a position and an orientation.
func exif(orient byte) string {
	return "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{orient, 0, 0, 0}) +
		"\x00\x00\x00\x00SECRET 52.5N 13.4E"
}

func pngChunk(kind, body string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func splice(b []byte, at int, more ...[]byte) []byte {
	out := append([]byte(nil), b[:at]...)
	for _, m := range more {
		out = append(out, m...)
	}
	return append(out, b[at:]...)
}

const trailer = "PK\x03\x04SECRET<script>alert(1)</script>"

func riff(kind string, chunks ...string) []byte {
	body := kind + strings.Join(chunks, "")
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(kind, body string) string {
	c := string(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body)))) + body
	if len(body)%2 == 1 {
		c += "\x00"
	}
	return c
}

// tinyWebP is a lossless picture of one pixel.
const tinyWebP = "\x2f\x00\x00\x00\x00\x07\x10\xfd\x8f\xfe\x07\x22\xa2\xff\x01"

func box(kind, body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8))) + kind + body
}

func mp4(handler string) string {
	mvhd := strings.Repeat("\x00", 12) + "\x00\x00\x03\xe8" + "\x00\x00\x09\xc4" + strings.Repeat("\x00", 80)
	return box("ftyp", "M4A \x00\x00\x00\x00") + box("moov", box("mvhd", mvhd)+
		box("trak", box("mdia", box("hdlr", strings.Repeat("\x00", 8)+handler+strings.Repeat("\x00", 12))))+
		box("udta", box("\xa9xyz", "SECRET+52.5+013.4/"))+box("meta", "SECRET")) + box("mdat", "sound")
}

func webm(codec string) string {
	el := func(id, body string) string { return id + string([]byte{0x80 | byte(len(body))}) + body }
	return el("\x1a\x45\xdf\xa3", el("\x42\x82", "webm")) + "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" +
		el("\x15\x49\xa9\x66", el("\x2a\xd7\xb1", "\x0f\x42\x40")+el("\x44\x89", "\x45\x1c\x40\x00")) +
		el("\x16\x54\xae\x6b", el("\xae", el("\x86", codec))) + "\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xffsound V_ound"
}

// What remains of a picture shows the same and says nothing beyond it.
func TestInspectRemovesWhatIsNotShown(t *testing.T) {
	jpg, pn := jpegOf(t, photo(64, 48)), pngOf(t, photo(64, 48))
	for _, tc := range []struct {
		name          string
		file          []byte
		kind          string
		width, height int
	}{
		{"JPEG", append(splice(jpg, 2, segment(0xe1, exif(1)), segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00SECRET"), segment(0xed, "SECRET"),
			segment(0xfe, "SECRET"), segment(0xe2, "MPF\x00SECRET"), segment(0xf3, "SECRET"), segment(0x05, "SECRET")), trailer...), "image/jpeg",
			64, 48},
		{"turned JPEG", splice(jpg, 2, segment(0xe1, exif(6))), "image/jpeg", 48, 64},
		{"PNG", append(splice(pn, 33, pngChunk("tEXt", "SECRET"), pngChunk("iTXt", "SECRET"), pngChunk("eXIf", exif(1)[6:]),
			pngChunk("tIME", "SECRET."), pngChunk("haRd", "SECRET")), trailer...), "image/png", 64, 48},
		{"turned PNG", splice(pn, 33, pngChunk("eXIf", exif(6)[6:])), "image/png", 48, 64},
		{"WebP", append(riff("WEBP", riffChunk("VP8X", "\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00"), riffChunk("VP8L", tinyWebP),
			riffChunk("EXIF", exif(1)), riffChunk("XMP ", "SECRET")), trailer...), "image/webp", 1, 1},
		{"turned WebP", riff("WEBP", riffChunk("VP8X", "\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00"), riffChunk("VP8L", tinyWebP),
			riffChunk("EXIF", exif(6))), "image/webp", 1, 1},
	} {
		f, kept, err := inspect(t, tc.file)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if f.Type != tc.kind || f.Width != tc.width || f.Height != tc.height {
			t.Errorf("%s: %s, %d × %d", tc.name, f.Type, f.Width, f.Height)
		}
		if bytes.Contains(kept, []byte("SECRET")) {
			t.Errorf("%s: what is not shown is still there: %q", tc.name, kept)
		}
		again, twice, err := inspect(t, kept)
		if err != nil || again.Type != f.Type || again.Width != f.Width || again.Height != f.Height || !bytes.Equal(twice, kept) {
			t.Errorf("%s: what is kept is no such file: %+v, %v", tc.name, again, err)
		}
		if _, err := Preview(f); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// Every file that is no picture is kept as it is. What browsers show has its type and,
// where it is easily found, its duration; everything else is a text or a download.
func TestOtherFilesStay(t *testing.T) {
	wav := riffChunk("fmt ", "\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00")
	for _, tc := range []struct {
		name, file, kind string
		ms               int
	}{
		{"PDF", "%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n", "application/pdf", 0},
		{"PDF behind an empty line", "\n%PDF-1.7\n%%EOF\n", "application/pdf", 0},
		{"WAV", string(riff("WAVE", wav, riffChunk("data", strings.Repeat("\x00", 8000)))), "audio/wav", 500},
		{"M4A", mp4("soun"), "audio/mp4", 2500},
		{"MP4", mp4("vide"), "video/mp4", 2500},
		{"WebM", webm("A_OPUS"), "audio/webm", 2500},
		{"WebM video", webm("V_VP9"), "video/webm", 2500},
		{"MP3", "ID3\x04\x00\x00\x00\x00\x00\x06artist" + strings.Repeat("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413), 4), "audio/mpeg", 0},
		{"text", "Grüße\n<b>not HTML</b> in the middle\n", "text/plain", 0},
		{"SVG", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "text/plain", 0},
		{"HTML", "<!DOCTYPE html><script>alert(1)</script>", "text/plain", 0},
		{"a program", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", Download, 0},
		{"zip", "PK\x03\x04\x14\x00\x00\x00", Download, 0},
		{"NUL", "a\x00b", Download, 0},
		{"HEIC", box("ftyp", "heic\x00\x00\x00\x00mif1heic") + box("meta", "pict") + box("mdat", "still"), Download, 0},
		{"AVIF", box("ftyp", "avif\x00\x00\x00\x00") + box("meta", "pict") + box("mdat", "still"), Download, 0},
		{"MP4 without a movie", box("ftyp", "isom\x00\x00\x00\x00") + box("mdat", "video"), Download, 0},
		{"Matroska", strings.Replace(webm("V_VP9"), "webm", "mkv!", 1), Download, 0},
	} {
		f, kept, err := inspect(t, []byte(tc.file))
		if err != nil || f.Type != tc.kind || f.DurationMs != tc.ms || string(kept) != tc.file {
			t.Errorf("%s: %+v, %v", tc.name, f, err)
		}
	}
}

// A picture that is cut off is refused, and none panics.
func TestInspectTruncated(t *testing.T) {
	for name, file := range map[string][]byte{
		"JPEG": splice(jpegOf(t, photo(40, 40)), 2, segment(0xe1, exif(6))), "PNG": pngOf(t, photo(40, 40)), "GIF": gifOf(t, 1, 20),
		"WebP": riff("WEBP", riffChunk("VP8X", "\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00"), riffChunk("VP8L", tinyWebP)),
	} {
		for n := 12; n < len(file)-2; n++ { // the WebP ends in padding, the GIF in what needs not be there
			f, _, err := inspect(t, file[:n])
			if err == nil {
				_, err = Preview(f)
			}
			if err == nil {
				t.Errorf("%s: the first %d of %d bytes were accepted as %s", name, n, len(file), f.Type)
			}
		}
	}
}

func TestInspectRefuses(t *testing.T) {
	huge := func(b []byte, at int, side ...byte) []byte {
		out := append([]byte(nil), b...)
		copy(out[at:], side)
		return out
	}
	jpg, gf := jpegOf(t, photo(16, 16)), gifOf(t, 1, 16)
	sof := bytes.Index(jpg, []byte{0xff, 0xc0})
	for _, tc := range []struct {
		name string
		file []byte
		want error
	}{
		{"JPEG of 65,500 × 65,500", huge(jpg, sof+5, 0xff, 0xdc, 0xff, 0xdc), ErrPixels},
		{"PNG of 10,000 × 10,000", blankPNG(10_000, 10_000, 1, 0, 1250), ErrPixels},
		{"GIF of 65,535 × 65,535", huge(gf, 6, 0xff, 0xff, 0xff, 0xff), ErrPixels},
		{"WebP of 16,384 × 16,384", riff("WEBP", riffChunk("VP8L", "\x2f\xff\xff\xff\x0f\x00\x00")), ErrPixels},
		{"extended WebP of 2²⁴", riff("WEBP", riffChunk("VP8X", "\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff")), ErrBroken},
		{"a JPEG within a JPEG header", append([]byte{0xff, 0xd8}, jpg...), ErrBroken},
	} {
		if _, _, err := inspect(t, tc.file); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
}

func TestPreviewIsUprightAndSmall(t *testing.T) {
	for orient := byte(1); orient <= 8; orient++ {
		// The red corner is at the top left of the stored picture.
		f, _, err := inspect(t, splice(jpegOf(t, photo(1200, 800)), 2, segment(0xe1, exif(orient))))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Preview(f)
		if err != nil || p == nil {
			t.Fatal(p, err)
		}
		m, err := jpeg.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Fatal(err)
		}
		w, h := m.Bounds().Dx(), m.Bounds().Dy()
		if max(w, h) != PreviewSide || (w > h) != (f.Width > f.Height) {
			t.Errorf("orientation %d: %d × %d", orient, w, h)
		}
		at := [...]image.Point{1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}}[orient]
		for x := range 2 {
			for y := range 2 {
				r, _, b, _ := m.At(w/4+x*w/2, h/4+y*h/2).RGBA()
				if red := r > b; red != (at == image.Pt(x, y)) {
					t.Errorf("orientation %d: corner %d,%d is red: %v", orient, x, y, red)
				}
			}
		}
		sq, err := Avatar(f)
		if err != nil {
			t.Fatal(err)
		}
		if m, _, err := image.DecodeConfig(bytes.NewReader(sq.Data)); err != nil || m.Width != AvatarSide || m.Height != AvatarSide {
			t.Errorf("avatar: %+v, %v", m, err)
		}
	}
	small, _, _ := inspect(t, pngOf(t, photo(100, 100)))
	if p, err := Preview(small); p != nil || err != nil {
		t.Errorf("a small picture has a preview: %v, %v", p, err)
	}
}

package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"runtime"
	"strings"
	"testing"
)

// located is a video with a track of positions in the middle of its samples.
func located() []byte {
	table := func(offsets ...uint32) string {
		b := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(len(offsets)))
		for _, o := range offsets {
			b = binary.BigEndian.AppendUint32(b, o)
		}
		return box("minf", box("stbl", box("stco", string(b))))
	}
	header := "\x00\x00\x00\x00" + "SECRET.." + strings.Repeat("\x00", 20)
	track := func(handler, chunks string) string {
		return box("trak", box("tkhd", header)+box("mdia", box("mdhd", header)+
			box("hdlr", strings.Repeat("\x00", 8)+handler+strings.Repeat("\x00", 12))+chunks)+box("\xa9xyz", "SECRET"))
	}
	ftyp := box("ftyp", "isom\x00\x00\x00\x00")
	at := uint32(len(ftyp) + 8)
	return []byte(ftyp + box("mdat", "video1SECRETvideo2SECRET") + box("wide", "SECRET") + box("moov", box("mvhd", header)+
		track("vide", table(at, at+12))+track("meta", table(at+6, at+18))+box("\xa9xyz", "SECRET")) + box("SEFT", "SECRET"))
}

// More places where files say what they do not show.
func TestInspectRemovesHiddenData(t *testing.T) {
	el := func(id, body string) string { return id + string([]byte{0x80 | byte(len(body))}) + body }
	jpg, gf := jpegOf(t, photo(64, 48)), gifOf(t, 2, 16)
	info := el("\x15\x49\xa9\x66", el("\x7b\xa9", "SECRET")+el("\x44\x61", "SECRET..")+el("\xec", "SECRET")+el("\x2a\xd7\xb1", "\x0f\x42\x40"))
	for _, tc := range []struct {
		name string
		file []byte
		kept string
	}{
		{"reserved segment of a JPEG", splice(jpg, 2, segment(0xf3, "SECRET"), segment(0x05, "SECRET")), ""},
		{"GIF with more in a loop", splice(gf, int(13+colorTable(gf[10])), []byte("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x10SECRETSECRETSECR\x00")), ""},
		{"MP4 with a track of positions", located(), "video2"},
		{"WebM with a title", []byte(webm(2, info)), "sound"},
		{"WebM with a name of a track", []byte(webm(2, el("\x16\x54\xae\x6b", el("\xae", el("\x53\x6e", "SECRET")+el("\x83", "\x02"))))), "sound"},
		{"WebM with chapters", []byte(webm(2, el("\x10\x43\xa7\x70", "SECRET"))), "sound"},
	} {
		f, kept, err := inspect(t, tc.file)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if bytes.Contains(kept, []byte("SECRET")) || !bytes.Contains(kept, []byte(tc.kept)) {
			t.Errorf("%s: what is kept is %q", tc.name, kept)
		}
		again, twice, err := inspect(t, kept)
		if err != nil || again.Type != f.Type || !bytes.Equal(twice, kept) {
			t.Errorf("%s: what is kept is no such file: %v", tc.name, err)
		}
		if (f.Audio() || f.Video()) && len(kept) != len(tc.file) {
			t.Errorf("%s: %d bytes became %d, to which others point", tc.name, len(tc.file), len(kept))
		}
	}
}

// A segment behind the header of a JPEG makes its decoder need more memory.
func TestJPEGMemoryWithLateMarker(t *testing.T) {
	jpg := jpegOf(t, image.NewYCbCr(image.Rect(0, 0, 3500, 3500), image.YCbCrSubsampleRatio444))
	early, late := splice(jpg, 2, segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x00")), []byte(nil)
	late = splice(jpg, bytes.Index(jpg, []byte{0xff, 0xda}), segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x00"))
	a, _, err := inspect(t, early)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := inspect(t, late)
	if err != nil {
		t.Fatal(err)
	}
	if a.cost != b.cost {
		t.Errorf("%d bytes are reserved for the decoder, and %d if the segment comes later", a.cost, b.cost)
	}
}

// The data of a WebP, which its decoder reads into memory, counts, too.
func TestWebPMemoryOfData(t *testing.T) {
	f, _, err := inspect(t, riff("WEBP", riffChunk("VP8 ", "\x10\x00\x00\x9d\x01\x2a\x01\x00\x01\x00"+strings.Repeat("\x00", 15<<20))))
	if err != nil {
		t.Fatal(err)
	}
	if f.cost < 15<<20 {
		t.Errorf("%d bytes are reserved for 15 MiB of data", f.cost)
	}
}

// A GIF whose first frame is a part of it, or nothing, has no preview.
func TestGIFPartialFirstFrame(t *testing.T) {
	for _, r := range []image.Rectangle{image.Rect(5, 5, 9, 9), image.Rect(0, 0, 1, 1)} {
		var b bytes.Buffer
		m := image.NewPaletted(r, color.Palette{color.Black, color.White})
		err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{m}, Delay: []int{0}, Config: image.Config{Width: 900, Height: 900}})
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := inspect(t, b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if p, err := NewDecoder().Preview(t.Context(), "", f); p != nil || !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v: got %v, %v", r, p, err)
		}
	}
}

// What is kept of a file does not take more memory than the file allows for.
func TestInspectBoundsParts(t *testing.T) {
	format := riffChunk("fmt ", strings.Repeat("\x01", 16)) + riffChunk("junk", "")
	file := riff("WAVE", strings.Repeat(format, 10*maxParts), riffChunk("data", "sound."))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, _, err := inspect(t, file)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrBroken) || took > 4<<20 {
		t.Errorf("a sound of %d formats: %v, %v; %d bytes of memory", 10*maxParts, f, err, took)
	}
}

func TestTextBeginningLikeATag(t *testing.T) {
	f, _, err := inspect(t, []byte("ID3 is how an MP3 says its title.\n"))
	if err != nil || f.Type != "text/plain" {
		t.Errorf("got %+v, %v", f, err)
	}
}

package app_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"strings"
	"testing"
)

// formOf returns the form that a body "file:NAME:KIND" stands for, and its content
// type; other bodies unchanged and "".
func formOf(t testing.TB, body string) (form, contentType string) {
	t.Helper()
	spec, ok := strings.CutPrefix(body, "file:")
	if !ok {
		return body, ""
	}
	name, kind, _ := strings.Cut(spec, ":")
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(testFile(t, kind))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// testFile returns a file of a kind: "png" and "photo" are pictures, of which the
// second has a position, "voice" a second of sound, "large" is larger than
// permitted, and every other kind is a text.
func testFile(t testing.TB, kind string) []byte {
	t.Helper()
	switch kind {
	case "empty":
		return nil
	case "png":
		return testPicture(t, 64, 48, false)
	case "photo":
		jpg := testPicture(t, 1200, 800, true)
		exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00position canary"
		exif = "\xff\xe1\x00" + string(rune(len(exif)+2)) + exif
		return append(append(append([]byte{}, jpg[:2]...), exif...), jpg[2:]...)
	case "broken":
		return testPicture(t, 64, 48, true)[:300]
	case "voice":
		wav := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x40\x1f\x00\x00")
		wav = append(wav, bytes.Repeat([]byte{0x80}, 8000)...)
		binary.LittleEndian.PutUint32(wav[4:], uint32(len(wav)-8))
		return wav
	case "pdf":
		return []byte("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n")
	case "svg":
		return []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
	case "html":
		return []byte("<!DOCTYPE html><script>alert(1)</script>")
	case "large":
		return bytes.Repeat([]byte("word "), 20<<20/5+1)
	}
	return []byte(kind + "\n")
}

func testPicture(t testing.TB, w, h int, photo bool) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 90, 255})
		}
	}
	var b bytes.Buffer
	var err error
	if photo {
		err = jpeg.Encode(&b, m, nil)
	} else {
		err = png.Encode(&b, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

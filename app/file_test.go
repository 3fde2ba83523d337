package app_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
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

// testFile returns a file of a kind: "png" is a picture, "photo" a picture with a
// position, "voice" a second of sound, "large" is larger than permitted, and every
// other kind is a text.
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
		wav := []byte("RIFF\x00\x00\x00\x00WAVEfmt " +
			"\x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x40\x1f\x00\x00")
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

// hostileUploads are files that must be refused, or served as nothing that a
// browser runs: the status, and the content type of what is served.
var hostileUploads = []struct {
	name, file string
	status     int
	served     string // or the code of the error
}{
	{"picture.svg", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, 201, "text/plain; charset=utf-8"},
	{"picture.png", `<!DOCTYPE html><script>alert(1)</script>`, 201, "text/plain; charset=utf-8"},
	{"picture.png", "\n \t<script>alert(1)</script>", 201, "text/plain; charset=utf-8"},
	{"picture.png", "<?xml version=\"1.0\"?><svg/>", 201, "text/plain; charset=utf-8"},
	{"page.xht", "<!-- x --><html/>", 201, "text/plain; charset=utf-8"},
	{"run.exe", "MZ\x90\x00\x03\x00\x00\x00", 201, "application/octet-stream"},
	{"archive.zip", "PK\x03\x04\x14\x00\x00\x00", 201, "application/octet-stream"},
	{"words.txt", "a\x00b", 201, "application/octet-stream"},
	{"script.js", "alert(document.cookie)", 201, "text/plain; charset=utf-8"},
	{"page.html", "hello <script>alert(1)</script>", 201, "text/plain; charset=utf-8"},
	{"bomb.pdf", "%PDF-1.7\n1 0 obj <</Filter [/FlateDecode /FlateDecode] /Length 9>> stream\n" +
		"xxx\nendstream\n%%EOF\n<script>alert(1)</script>", 201, "application/pdf"},
	{"huge.png", "\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x06\x00\x00\x00\xa8R\x0b\xc8" +
		"\x00\x00\x00\x00IEND\xaeB`\x82", 400, "picture_too_large"},
	{"huge.gif", "GIF89a\xff\xff\xff\xff\x00\x00\x00;", 400, "picture_too_large"},
	{"huge.webp", "RIFF\x14\x00\x00\x00WEBPVP8L\x07\x00\x00\x00/\xff\xff\xff\x0f\x00\x00\x00", 400, "picture_too_large"},
	{"huge.jpg", "\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01" +
		"\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00\xff\xd9", 400, "picture_too_large"},
	{"cut.jpg", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", 400, "damaged_file"},
	{"cut.gif", "GIF89a\x01\x00\x01\x00\x00\x00\x00", 400, "damaged_file"},
	{"script.gif", "GIF89a/*" + strings.Repeat("\x00", 20) + "*/=1;alert(1)//;", 400, "damaged_file"},
	{"script.txt", "+ADw-script+AD4-alert(1)+ADw-/script+AD4-", 201, "text/plain; charset=utf-8"},
	{"words.ps", "%!PS-Adobe-3.0 (a browser would find another type)", 201, "application/octet-stream"},
	{"mail.mht", "Content-Type: text/html\n\n<script>alert(1)</script>", 201, "text/plain; charset=utf-8"},
}

// What is uploaded is never served as anything that a browser runs.
func TestHostileUploads(t *testing.T) {
	w := newWorld(t)
	for _, c := range hostileUploads {
		res := w.upload("ada", c.name, c.file)
		if res.status != c.status {
			t.Errorf("%s: got %d, want %d: %s", c.name, res.status, c.status, res.body)
		}
		if res.status == 201 {
			got := w.do("ada", "GET", "/api/chat/attachments/"+idIn(t, res.body), nil, "")
			w.wantHarmless(c.name, got, c.served)
		} else if !strings.Contains(string(res.body), `"code":"`+c.served+`"`) {
			t.Errorf("%s: got %s, want the code %s", c.name, res.body, c.served)
		}
		if res := w.uploadTo("/api/auth/me/avatar", "ada", c.name, c.file); res.status != 400 && res.status != 415 {
			t.Errorf("%s as a profile picture: %d %s", c.name, res.status, res.body)
		}
	}
	// A picture keeps nothing that was appended to it.
	for _, kind := range []string{"png", "photo"} {
		res := w.upload("ada", "a."+kind, string(testFile(t, kind))+"<script>appended</script>PK\x03\x04")
		got := w.do("ada", "GET", "/api/chat/attachments/"+idIn(t, res.body), nil, "")
		if bytes.Contains(got.body, []byte("appended")) || bytes.Contains(got.body, []byte("position")) {
			t.Errorf("%s: what was appended or hidden is served", kind)
		}
		if !strings.HasPrefix(got.header.Get("Content-Disposition"), "inline") {
			t.Errorf("%s: %s", kind, got.header.Get("Content-Disposition"))
		}
	}
}

// wantHarmless checks the headers of a file that must not run.
func (w *world) wantHarmless(name string, got response, contentType string) {
	w.t.Helper()
	for header, want := range map[string]string{
		"Content-Type": contentType, "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
	} {
		if got.header.Get(header) != want {
			w.t.Errorf("%s: %s is %q, want %q", name, header, got.header.Get(header), want)
		}
	}
	if !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
		w.t.Errorf("%s: %s", name, got.header.Get("Content-Disposition"))
	}
}

// upload sends a file in a form.
func (w *world) upload(who, name, content string) response {
	w.t.Helper()
	return w.uploadTo("/api/chat/attachments", who, name, content)
}

func (w *world) uploadTo(path, who, name, content string) response {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(who, "POST", path, http.Header{"Content-Type": {form.FormDataContentType()}}, b.String())
}

// Forms that are cut off, or have no file, several, or something else, store
// nothing.
func TestUploadForms(t *testing.T) {
	w := newWorld(t)
	w.token("ada")
	part := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nwords\r\n"
	before := w.state()
	for name, c := range map[string]struct {
		kind, body string
		status     int
		code       string
	}{
		"no boundary":    {"multipart/form-data", part + "--x--", 400, "bad_form"},
		"other boundary": {"multipart/form-data; boundary=y", part + "--x--", 400, "invalid_input"},
		"cut off":        {"multipart/form-data; boundary=x", part[:len(part)-4], 400, "bad_body"},
		"no file": {"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--x--", 400,
			"invalid_input"},
		"two files": {"multipart/form-data; boundary=x", part + part + "--x--", 400, "invalid_input"},
		"large header": {"multipart/form-data; boundary=x", "--x\r\nX-Large: " + strings.Repeat("x", 11<<20) + "\r\n" + part[5:] + "--x--", 400,
			"bad_form"},
		"many fields": {"multipart/form-data; boundary=x", strings.Repeat("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n",
			40) + part + "--x--", 400, "bad_form"},
		"JSON":  {"application/json", `{"file":"a"}`, 415, ""},
		"text":  {"text/plain", "words", 415, ""},
		"empty": {"multipart/form-data; boundary=x", "", 400, "invalid_input"},
	} {
		res := w.do("ada", "POST", "/api/chat/attachments", http.Header{"Content-Type": {c.kind}}, c.body)
		if res.status != c.status || !strings.Contains(string(res.body), `"code":"`+c.code) {
			t.Errorf("%s: got %d, want %d %s: %s", name, res.status, c.status, c.code, res.body)
		}
		if after := w.state(); after != before {
			t.Errorf("%s: something was stored", name)
			before = after
		}
	}
}

// Parts of a file are sent as they are asked for.
func TestRanges(t *testing.T) {
	w := newWorld(t)
	text := strings.Repeat("0123456789", 20_000)
	path := "/api/chat/attachments/" + idIn(t, w.upload("ada", "a.txt", text).body)
	for ask, want := range map[string]struct {
		status int
		body   string
	}{
		"":                     {200, text},
		"bytes=0-9":            {206, text[:10]},
		"bytes=65530-65545":    {206, text[65530:65546]},
		"bytes=199990-":        {206, text[199990:]},
		"bytes=-5":             {206, text[len(text)-5:]},
		"bytes=199990-9999999": {206, text[199990:]},
		"bytes=200000-":        {416, ""},
		"bytes=9-1":            {416, ""},
		"lines=1-2":            {416, ""},
	} {
		h := http.Header{}
		if ask != "" {
			h.Set("Range", ask)
		}
		res := w.do("ada", "GET", path, h, "")
		if res.status != want.status || want.status < 400 && string(res.body) != want.body {
			t.Errorf("%q: %d with %d bytes", ask, res.status, len(res.body))
		}
		if want.status >= 400 {
			failedFile(t, ask, res, "invalid_range")
		}
	}
	failedFile(t, "another version", w.do("ada", "GET", path, http.Header{"If-Match": {`"another"`}}, ""), "precondition_failed")
	res := w.do("ada", "GET", path, http.Header{"Range": {"bytes=0-0,10-11"}}, "")
	if res.status != 206 || !strings.HasPrefix(res.header.Get("Content-Type"), "multipart/byteranges") {
		t.Errorf("%d %s", res.status, res.header.Get("Content-Type"))
	}
	tag := res.header.Get("Etag")
	if res := w.do("ada", "GET", path, http.Header{"If-None-Match": {tag}}, ""); res.status != 304 {
		t.Errorf("got %d for what the client has", res.status)
	}
	if res := w.do("anonymous", "GET", path, http.Header{"If-None-Match": {tag}}, ""); res.status != 401 {
		t.Errorf("got %d without a credential", res.status)
	}
}

// failedFile checks a response with an error in place of a file.
func failedFile(t *testing.T, name string, res response, code string) {
	t.Helper()
	var got struct{ Error, Code string }
	if err := json.Unmarshal(res.body, &got, json.MatchCaseInsensitiveNames(true)); err != nil || got.Error == "" || got.Code != code {
		t.Errorf("%s: %s %v", name, res.body, err)
	}
	if h := res.header; h.Get("Content-Type") != "application/json" || h.Get("Content-Disposition") != "" ||
		h.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: the headers %v", name, h)
	}
}

// Pictures of accounts are public, small and new files.
func TestPictures(t *testing.T) {
	w := newWorld(t)
	res := w.json("ada", "POST", "/api/auth/me/avatar", "file:me.jpg:photo")
	var me struct {
		AvatarURL string `json:"avatarUrl"`
	}
	if err := json.Unmarshal(res.body, &me); err != nil || res.status != 200 {
		t.Fatal(res.status, err)
	}
	got := w.do("anonymous", "GET", me.AvatarURL, nil, "")
	m, format, err := image.Decode(bytes.NewReader(got.body))
	if err != nil || format != "jpeg" || m.Bounds().Dx() != 256 || m.Bounds().Dy() != 256 || bytes.Contains(got.body, []byte("position")) {
		t.Errorf("%s %v %v", format, m.Bounds(), err)
	}
	if res := w.json("ada", "DELETE", "/api/auth/me/avatar", ""); res.status != 200 {
		t.Error(res.status)
	}
	if got := w.do("anonymous", "GET", me.AvatarURL, nil, ""); got.status != 404 {
		t.Errorf("a removed picture: %d", got.status)
	}
}

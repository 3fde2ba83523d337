package page_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hearth/app/page"
	"hearth/store"
)

// send posts a form with files, by name, as a browser does without scripts.
func (b *browser) send(path string, form url.Values, files map[string]string) answer {
	b.w.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range form {
		for _, v := range values {
			if err := w.WriteField(name, v); err != nil {
				b.w.t.Fatal(err)
			}
		}
	}
	for name, content := range files {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			b.w.t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			b.w.t.Fatal(err)
		}
	}
	return b.postParts(path, w, &body)
}

// postParts posts a form whose parts were written to body.
func (b *browser) postParts(path string, w *multipart.Writer, body *bytes.Buffer) answer {
	b.w.t.Helper()
	if err := w.Close(); err != nil {
		b.w.t.Fatal(err)
	}
	req, err := http.NewRequest("POST", b.w.url+path, body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	return b.do(req)
}

func pngFile(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sendFirst posts a form whose file is before its texts.
func (b *browser) sendFirst(path, name, content string, form url.Values) answer {
	b.w.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		b.w.t.Fatal(err)
	}
	_, err = part.Write([]byte(content))
	for field, values := range form {
		for _, v := range values {
			err = errors.Join(err, w.WriteField(field, v))
		}
	}
	if err != nil {
		b.w.t.Fatal(err)
	}
	return b.postParts(path, w, &body)
}

// What comes after a file that is refused is read, and shown again. Nothing is saved.
func TestWordsAfterRefusedFile(t *testing.T) {
	w := newWorld(t)
	if err := w.account.Promote(t.Context(), w.cast.Ada.Email); err != nil {
		t.Fatal(err)
	}
	ada := w.as(w.cast.Ada)
	form := url.Values{"communityName": {"Mill Lane"}, "accent": {"#0f5f4a"}, "welcome": {"Bread for all"}, "signup": {"invite"},
		"dateLanguage": {"auto"}}
	got := ada.sendFirst("/setup", "p.jpg", "\xff\xd8\xff\xe0"+strings.Repeat("x", 20<<20), form)
	got.want(t, 422, "larger than 20 MB", "Mill Lane", "Bread for all", `name="signup" value="invite" checked`, `value="#0f5f4a" checked`)
	ada.get("/setup").want(t, 200).lacks(t, "Mill Lane", "Bread for all", `name="signup" value="invite" checked`)
}

// Fields count with their names, and with what each takes beside, so that many empty ones
// are refused.
func TestManyFields(t *testing.T) {
	w := newWorld(t)
	form := url.Values{}
	for n := range 3000 {
		form.Set("f"+strconv.Itoa(n), "")
	}
	for _, b := range []*browser{w.guest(), w.as(w.cast.Ada)} {
		b.send("/thoughts", form, nil).want(t, 422, "could not be read")
	}
	w.guest().send("/thoughts", url.Values{strings.Repeat("n", 256<<10): {""}}, nil).want(t, 422, "could not be read")
}

// Whoever sends it and to whatever page, a form whose part has an endless header is
// refused after the first of it.
func TestHeadersOfPartsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	address, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	const begin, kept = "--x\r\nContent-Disposition: form-data; name=\"content\"\r\n", 16 << 10
	lines := strings.Repeat("A: "+strings.Repeat("v", 45_000)+"\r\n", 100)
	param := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, route := range page.Routes() {
		method, path, _ := strings.Cut(route.Pattern, " ")
		if method != "POST" {
			continue
		}
		for _, cookies := range [][]*http.Cookie{nil, ada.c.Jar.Cookies(address)} {
			for _, before := range []string{"", begin + "\r\nwords\r\n"} {
				body := strings.NewReader(before + begin + lines)
				whole := body.Len()
				r := httptest.NewRequest("POST", w.url+param.ReplaceAllString(path, store.NewID()), body)
				r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
				for _, c := range cookies {
					r.AddCookie(c)
				}
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				if took := whole - body.Len(); rec.Code < 400 || took == 0 || took > kept {
					t.Errorf("%s with %d cookies: %d after %d bytes", path, len(cookies), rec.Code, took)
				}
			}
		}
	}
}

// Files are sent, shown and refused by plain forms.
func TestFilesWithoutScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.converse("", w.cast.Ben)
	text := func() url.Values { return url.Values{"id": {store.NewID()}, "content": {"Look\r\nhere"}} }
	ada.send(at, text(), map[string]string{"oven.png": pngFile(t, 900, 600), "notes.txt": "flour"}).leads(t, at)
	ben.get(at).want(t, 200, "Look\nhere", `width="320" height="213" loading="lazy"`, `?preview=true`, `download="notes.txt"`, "5 B")
	ada.send(at, url.Values{"id": {store.NewID()}}, map[string]string{"only.png": pngFile(t, 20, 10)}).leads(t, at)
	ben.get("/chat").want(t, 200, "Photo")
	ada.send(at, text(), map[string]string{"large.txt": strings.Repeat("x", 20<<20+1)}).want(t, 422, "larger than 20 MB", "Look\nhere")
	ada.send(at, url.Values{"id": {store.NewID()}, "content": {" "}}, nil).want(t, 422, "choose a file")
	w.guest().send(at, text(), map[string]string{"a.txt": "a"}).want(t, 401, "Look\nhere")
	w.guest().send(at, text(), map[string]string{"large.txt": strings.Repeat("x", 15<<20)}).want(t, 401, "Look\nhere")
	photos := map[string]string{}
	for _, name := range []string{"a.jpg", "b.jpg", "c.jpg"} {
		photos[name] = strings.Repeat("x", 9<<20)
	}
	w.guest().send(at, text(), photos).want(t, 401, "Look\nhere")
	w.guest().sendFirst(at, "large.txt", strings.Repeat("x", 15<<20), text()).want(t, 401, "Look\nhere")
	w.guest().sendFirst("/list/import", "a.txt", "- x", url.Values{"data": {"- typed"}}).want(t, 401, "- typed")
	w.guest().send(at, url.Values{"id": {store.NewID()}}, map[string]string{"a.txt": "a"}).leads(t, "/login")
}

func TestPicturesWithoutScripts(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.converse("Garden", w.cast.Ben, w.cast.Cleo)
	ada.send("/settings/picture", nil, map[string]string{"me.png": pngFile(t, 900, 600)}).leads(t, "/settings.done=picture")
	ada.get("/settings").want(t, 200, `<img src="/api/pictures/`, "Remove picture")
	ada.send("/settings/picture", nil, map[string]string{"me.txt": "no picture"}).want(t, 422, "cannot be used as a picture")
	ada.send("/settings/picture", nil, nil).want(t, 422, "Choose a picture first.")
	showsEverywhere(t, w, ada)
	// Saving the profile keeps the picture.
	ada.post("/settings/profile", url.Values{"name": {"Ada"}, "avatarUrl": {""}, "discoveryMode": {"name"}}).leads(t, "/settings.done=saved")
	ada.post(at, url.Values{"id": {store.NewID()}, "content": {"Hello"}}).leads(t, at)
	ben.get(at).want(t, 200, `<img src="/api/pictures/`)
	ben.send(at+"/picture", nil, map[string]string{"g.png": pngFile(t, 9, 9)}).want(t, 403)
	ada.send(at+"/picture", nil, map[string]string{"g.png": pngFile(t, 9, 9)}).leads(t, at+"/people.done=picture")
	ada.get(at+"/people").want(t, 200, "Remove picture")
	ada.post(at+"/picture/remove", nil).leads(t, at+"/people.done=no-picture")
	ada.get(at+"/people").want(t, 200).lacks(t, "Remove picture")
	ada.post("/settings/picture/remove", nil).leads(t, "/settings.done=no-picture")
	ada.get("/settings").want(t, 200).lacks(t, "/api/pictures/")
}

// showsEverywhere checks that pages show the picture of ada where they show her:
// among those a list is shared with, as the teller of a Story, and in a report.
func showsEverywhere(t *testing.T, w *world, ada *browser) {
	t.Helper()
	ben := w.as(w.cast.Ben)
	const picture = `<img src="/api/pictures/`
	list := ben.newList("private")
	ben.get(list+"/people").want(t, 200).lacks(t, picture)
	ben.post(list+"/people", url.Values{"userId": {w.cast.Ada.ID}, "role": {"viewer"}}).leads(t, ".*done=shared")
	inMain := func(a answer) {
		t.Helper()
		if !strings.Contains(mainPart(a.body), picture) {
			t.Errorf("there is no picture:\n%s", mainPart(a.body))
		}
	}
	inMain(ben.get(list + "/people"))
	own := ada.newList("private")
	ada.post(own+"/people", url.Values{"userId": {w.cast.Ben.ID}, "role": {"viewer"}}).leads(t, ".*done=shared")
	inMain(ben.get(own + "/people"))
	story := url.Values{"text": {"Soup"}, "until": {"1d"}, "to": {w.cast.Ben.ID + " Ben"}}
	ada.post("/stories/new", ada.post("/stories/preview", story).hidden(t)).leads(t, ".*done=story-shown")
	inMain(ben.get("/stories"))
	report := w.report(w.cast.Ada)
	if err := w.account.Promote(t.Context(), w.cast.Cleo.Email); err != nil {
		t.Fatal(err)
	}
	cleo := w.as(w.cast.Cleo)
	inMain(cleo.get("/admin/reports"))
	inMain(cleo.get("/admin/reports/" + report))
}

// A form with a file that is sent twice, as by a double click, sends one message.
func TestFormWithFileSentTwice(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("", w.cast.Ben)
	form, files := url.Values{"id": {store.NewID()}, "content": {"Look\r\nhere"}}, map[string]string{"a.txt": "flour"}
	ada.send(at, form, files).leads(t, at)
	ada.send(at, form, files).leads(t, at)
	if got := strings.Count(ada.get(at).body, `download="a.txt"`); got != 1 {
		t.Errorf("the file was sent %d times", got)
	}
	form.Set("content", " Look\r\nhere\n")
	ada.send(at, form, files).leads(t, at)
	form.Set("content", "Other words")
	ada.send(at, form, files).want(t, 422, "sent with this form already", "Other words").lacks(t, "new id")
	form.Set("content", "Look\nhere")
	for name, content := range map[string]string{"b.txt": "flour", "a.txt": "sugar"} {
		ada.send(at, form, map[string]string{name: content}).want(t, 422, "sent with this form already")
	}
}

package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

const (
	formPart  = "--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\n"
	formEnd   = "\r\n--x--"
	wholeSize = 1 << 20
)

// bodyReaders are the three ways in which the body of a request is read: JSON, as it
// is, and as a form with a file.
var bodyReaders = []struct {
	kind, begin, end string
	max              int64
	complete         string // what a body of the largest size is answered with
	read             func(http.ResponseWriter, *http.Request) error
}{
	{"application/json", "{", "}", maxBody, "", func(w http.ResponseWriter, r *http.Request) error {
		_, err := readBody(w, r)
		return err
	}},
	{"text/plain", "a", "b", wholeSize, "", func(w http.ResponseWriter, r *http.Request) error {
		_, err := new(Handler).receive(w, r, store.Viewer{}, &wholeIn{})
		return err
	}},
	{multipartForm + "; boundary=x", formPart, formEnd, maxForm, "file is required", func(w http.ResponseWriter, r *http.Request) error {
		err := receiveForm(w, r, &file.Upload{})
		middleware.CloseAfter(w)
		return err
	}},
}

type wholeIn struct {
	Name string `query:"name" json:"-"`
	body []byte
}

func (*wholeIn) MaxBody() int64 { return wholeSize }

func (in *wholeIn) SetBody(b []byte) { in.body = b }

// A body that does not arrive is refused in the same way however it is read, and the
// connection is closed where the rest would have to be read.
func TestBodiesThatDoNotArrive(t *testing.T) {
	busy := core.New(core.Unavailable, "busy", "Busy.")
	for _, tc := range []struct {
		err    error
		codes  [3]string // by reader
		closed [3]bool
	}{
		{busy, [3]string{"busy", "busy", "busy"}, [3]bool{true, true, true}},
		{os.ErrDeadlineExceeded, [3]string{"body_timeout", "body_timeout", "bad_form"}, [3]bool{false, false, true}},
		{io.ErrUnexpectedEOF, [3]string{"bad_body", "bad_body", "bad_form"}, [3]bool{false, false, true}},
	} {
		for i, b := range bodyReaders {
			code, closed := readingOf(b.read, b.kind, -1, io.MultiReader(strings.NewReader(b.begin), iotest.ErrReader(tc.err)))
			if code != tc.codes[i] || closed != tc.closed[i] {
				t.Errorf("%s that ends with %q: %q, closed: %v; want %q, %v", b.kind, tc.err, code, closed, tc.codes[i], tc.closed[i])
			}
		}
	}
}

// Each kind of body has a maximum size. A request that declares a larger body is
// refused before the body is read.
func TestLargestBodies(t *testing.T) {
	for _, b := range bodyReaders {
		for more, want := range map[int64]string{0: b.complete, 1: "too_large"} {
			size := b.max + more
			filler := io.LimitReader(zeros{}, size-int64(len(b.begin)+len(b.end)))
			code, closed := readingOf(b.read, b.kind, -1, io.MultiReader(strings.NewReader(b.begin), filler, strings.NewReader(b.end)))
			if !strings.HasPrefix(code, want) || (code == "") != (want == "") || closed != (code != "") {
				t.Errorf("%s of %d bytes: %q, closed: %v; want %q", b.kind, size, code, closed, want)
			}
			code, _ = readingOf(b.read, b.kind, size, iotest.ErrReader(io.ErrUnexpectedEOF))
			if (code == "too_large") != (more > 0) {
				t.Errorf("%s that declares %d bytes: %q", b.kind, size, code)
			}
		}
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// readingOf returns the code of the error with which a body is refused, or what it
// says if it is about the file; and whether the connection is closed.
func readingOf(read func(http.ResponseWriter, *http.Request) error, kind string, length int64, body io.Reader) (code string, closed bool) {
	r := httptest.NewRequest("POST", "/", body)
	r.Header.Set("Content-Type", kind)
	r.ContentLength = length
	w := httptest.NewRecorder()
	var e *core.Error
	if err := read(w, r); errors.As(err, &e) {
		if code = e.Code; e.Field != "" {
			code = e.Msg
		}
	} else if err != nil {
		code = err.Error()
	}
	return code, w.Header().Get("Connection") == "close"
}

// A form with a file has at most 16 fields, with its end counted as one.
func TestFieldsOfAForm(t *testing.T) {
	for n, want := range map[int]string{0: "bad_form", 1: "file is required", maxFields - 1: "file is required", maxFields: "bad_form"} {
		form := strings.TrimPrefix(strings.Repeat("\r\n"+strings.TrimSuffix(formPart, "\r\n")+"\r\n", n), "\r\n") + formEnd
		if code, _ := readingOf(bodyReaders[2].read, bodyReaders[2].kind, -1, strings.NewReader(form)); !strings.HasPrefix(code, want) && n > 0 {
			t.Errorf("a form of %d fields: %q, want %q", n, code, want)
		}
	}
}

// The header of a part of a form is refused after the first of it, if it is longer.
func TestHeadersOfPartsAreBounded(t *testing.T) {
	body := strings.NewReader(formPart[:len(formPart)-2] + strings.Repeat("A: "+strings.Repeat("v", 45_000)+"\r\n", 200))
	whole := body.Len()
	code, closed := readingOf(bodyReaders[2].read, bodyReaders[2].kind, -1, body)
	if took := whole - body.Len(); code != "bad_form" || !closed || took > 16<<10 {
		t.Errorf("%q, closed: %v, after %d bytes", code, closed, took)
	}
}

// An operation that takes the whole body is given it as it is.
func TestWholeBodies(t *testing.T) {
	take := func(_ context.Context, _ store.Viewer, in wholeIn) (string, error) {
		return fmt.Sprintf("%s: %s", in.Name, in.body), nil
	}
	y := newToy(t, func(c *toyConfig) {
		c.more = []Route{{"POST", "/api/whole", 200, op.New(nil, take, op.Spec{Summary: "Take a body", Guard: op.Public}).Op}}
	})
	if w := y.do("", "POST", "/api/whole?name=n", "# not JSON", "Content-Type", "text/markdown"); w.Code != 200 ||
		w.Body.String() != `"n: # not JSON"`+"\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := y.do("", "POST", "/api/whole", strings.Repeat("x", wholeSize+1)); w.Code != 413 || !strings.Contains(w.Body.String(), "1 MiB") {
		t.Errorf("a body that is too large: %d %s", w.Code, w.Body)
	}
}

// What a request says in a header is read like what it says in the query.
func TestHeaderParameters(t *testing.T) {
	type headerIn struct {
		Match string `header:"If-Match" json:"-" max:"200"`
	}
	get := func(_ context.Context, _ store.Viewer, in headerIn) (string, error) { return in.Match, nil }
	y := newToy(t, func(c *toyConfig) {
		c.more = []Route{{"GET", "/api/match", 200, op.New(nil, get, op.Spec{Summary: "Get it", Guard: op.Public, Hints: op.ReadOnly}).Op}}
	})
	for _, values := range [][]string{nil, {"v1"}, {"v1", "v2"}} {
		r := httptest.NewRequest("GET", "/api/match", nil)
		r.Header["If-Match"] = values
		w := httptest.NewRecorder()
		y.ServeHTTP(w, r)
		want := 200
		if len(values) > 1 {
			want = 400
		}
		if w.Code != want || want == 200 && w.Body.String() != `"`+strings.Join(values, "")+`"`+"\n" {
			t.Errorf("%q: %d %s", values, w.Code, w.Body)
		}
	}
}

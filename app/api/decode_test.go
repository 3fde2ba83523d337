package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

func TestDecodeErrors(t *testing.T) {
	y := newToy(t, nil)
	for _, tc := range []struct {
		name, body     string
		want           int
		field, message string
	}{
		{"no body", "", 400, "title", "title is required: send text of at most 10 characters."},
		{"empty object", "{}", 400, "title", "title is required"},
		{"null for a required member", `{"title":null}`, 400, "title", "title is required"},
		{"another case", `{"Title":"x"}`, 400, "title", "title is required"},
		{"number for a text", `{"title":1}`, 400, "title", "title must be text, not this number."},
		{"object for a text", `{"title":{}}`, 400, "title", "title must be text, not an object."},
		{"text for a number", `{"title":"x","pages":"1"}`, 400, "pages", "pages must be a whole number, not this text."},
		{"part of a number", `{"title":"x","pages":1.5}`, 400, "pages", "pages must be a whole number, not this number."},
		{"huge number", `{"title":"x","pages":1e99}`, 400, "pages", "whole number"},
		{"text for a boolean", `{"title":"x","mine":"yes"}`, 400, "mine", "mine must be true or false, not this text."},
		{"text for a list", `{"title":"x","tags":"a"}`, 400, "tags", "tags must be an array, not this text."},
		{"number in a list", `{"title":"x","tags":["a",1]}`, 400, "tags[1]", "tags[1] must be text, not this number."},
		{"null in a list", `{"title":"x","tags":[null]}`, 400, "tags[0]", "must be text, not null"},
		{"not a time", `{"title":"x","due":"soon"}`, 400, "due", "due must be a date and time such as 2026-11-20T09:40:08Z, not this text."},
		{"deep inside", `{"title":"x","parts":[{"name":"a"},{"name":[]}]}`, 400, "parts[1].name", "parts[1].name must be text, not an array."},
		{"missing deep inside", `{"title":"x","parts":[{}]}`, 400, "parts[0].name", "is required"},
		{"twice", `{"title":"x","title":"y"}`, 400, "title", "title occurs twice"},
		{"twice in what is ignored", `{"title":"x","other":{"a":1,"a":2}}`, 400, "other.a", "twice"},
		{"twice by escape", `{"title":"x","\u0074itle":"y"}`, 400, "title", "twice"},
		{"trailing data", `{"title":"x"} {}`, 400, "", "not valid JSON"},
		{"truncated", `{"title":"x`, 400, "", "JSON in the body is incomplete"},
		{"array", `[{"title":"x"}]`, 400, "", "must be a JSON object"},
		{"null", `null`, 400, "", "must be a JSON object"},
		{"blanks", " \n ", 400, "", "must be a JSON object"},
		{"comment", `{"title":"x"/**/}`, 400, "", "not valid JSON"},
		{"not UTF-8", "{\"title\":\"\xff\"}", 400, "", "UTF-8"},
		{"half a surrogate", `{"title":"\ud800"}`, 400, "", "not valid JSON"},
		{"NUL", `{"title":"a\u0000"}`, 400, "title", "NUL"},
		{"many elements", `{"title":"x","other":[{}` + strings.Repeat(",{}", 10_001) + `]}`, 400, "", "more than 10000 members and elements"},
		{"deep behind many elements", `{"title":"x","other":[1` + strings.Repeat(",1", 9_000) + strings.Repeat("[", 100) + `}`, 400, "",
			"nested more than 64"},
		{"deep nesting", `{"title":"x","other":` + strings.Repeat("[", 100_000) + `}`, 400, "", "nested more than 64"},
		{"brackets in a text", `{"title":"x","other":"` + strings.Repeat(`[\"`, 100) + `"}`, 200, "", ""},
		{"unknown member", `{"title":"x","other":1}`, 200, "", ""},
		{"null where it may be", `{"title":"x","mine":null,"note":null,"due":null,"tags":null}`, 200, "", ""},
		{"too large", `{"title":"` + strings.Repeat("x", maxBody) + `"}`, 413, "", "256 KiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := y.do("human", "POST", "/api/books", tc.body)
			if w.Code != tc.want {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
			if w.Code == 200 {
				return
			}
			e := problemOf(t, w)
			if e.Field != tc.field || !strings.Contains(e.Error, tc.message) {
				t.Errorf("got field %q, %q; want field %q, %q", e.Field, e.Error, tc.field, tc.message)
			}
			for _, leak := range []string{"json:", "Go ", "api.", "core.", "store.", "putIn"} {
				if strings.Contains(e.Error, leak) {
					t.Errorf("%q shows internals", e.Error)
				}
			}
		})
	}
}

func TestDecodeFills(t *testing.T) {
	y := newToy(t, nil)
	w := y.do("human", "POST", "/api/books",
		`{"title":" a\nb ","pages":3,"mine":false,"note":"n","due":"2026-01-02T03:04:05+01:00","tags":[" t "],
			"parts":[{"name":"p","size":2}],"owner":"x","Owner":"x"}`)
	if w.Code != 200 {
		t.Fatal(w.Body)
	}
	due, _ := store.ParseTime("2026-01-02T02:04:05Z")
	want := putIn{Title: "a b", Pages: 3, Mine: new(false), Note: core.Some("n"), Due: core.Some(due), Tags: []string{"t"},
		Parts: []part{{"p", 2}}}
	if d := cmp.Diff(want, y.shelf.last); d != "" {
		t.Error(d)
	}
}

func TestContentType(t *testing.T) {
	y := newToy(t, nil)
	for kind, want := range map[string]int{
		"application/json":                   200,
		"Application/JSON; charset=UTF-8":    200,
		"application/json;charset=\"utf-8\"": 200,
		"":                                   415,
		"text/plain":                         415,
		"application/x-www-form-urlencoded":  415,
		"multipart/form-data; boundary=x":    415,
		"application/json; charset=latin1":   415,
		"application/jsonp":                  415,
		"application/json, text/plain":       415,
		"junk;;;":                            415,
	} {
		if w := y.do("human", "POST", "/api/books", `{"title":"x"}`, "Content-Type", kind); w.Code != want {
			t.Errorf("%q: %d, want %d", kind, w.Code, want)
		}
	}
	r := httptest.NewRequest("POST", "/api/books", strings.NewReader(`{"title":"x"}`))
	r.Header = http.Header{"Authorization": {"Bearer human"}, "Content-Type": {"application/json", "text/plain"}}
	two := httptest.NewRecorder()
	if y.ServeHTTP(two, r); two.Code != 415 {
		t.Errorf("two types: %d", two.Code)
	}
	if w := y.do("human", "POST", "/api/books", `{"title":"x"}`, "Content-Encoding", "gzip"); w.Code != 415 {
		t.Errorf("gzip: %d", w.Code)
	}
}

func TestQuery(t *testing.T) {
	y := newToy(t, nil)
	since, _ := store.ParseTime("2026-01-02T02:04:05Z")
	base := getIn{ID: someID, Limit: 50, Order: "asc"}
	with := func(f func(*getIn)) *getIn {
		in := base
		f(&in)
		return &in
	}
	for query, want := range map[string]*getIn{
		"":                                  &base,
		"order=asc&since=&all=":             &base,
		"unknown=1&unknown=2":               &base,
		"limit=7":                           with(func(in *getIn) { in.Limit = 7 }),
		"limit=1000":                        with(func(in *getIn) { in.Limit = 100 }),
		"all=false":                         with(func(in *getIn) { in.All = new(false) }),
		"order=desc":                        with(func(in *getIn) { in.Order = "desc" }),
		"since=2026-01-02T03:04:05%2B01:00": with(func(in *getIn) { in.Since = since }),
		"id=" + otherID:                     &base,
		"limit=":                            nil,
		"limit":                             nil,
		"limit=%20":                         nil,
		"limit=0":                           nil,
		"limit=-1":                          nil,
		"limit=x":                           nil,
		"limit=1.5":                         nil,
		"limit=9999999999999999999999":      with(func(in *getIn) { in.Limit = 100 }),
		"limit=-9999999999999999999999":     nil,
		"limit=1&limit=2":                   nil,
		"all=1":                             nil,
		"order=up":                          nil,
		"since=yesterday":                   nil,
		"since=2026-01-02":                  nil,
		"limit=%zz":                         nil,
		"a;b":                               nil,
		"order=%ff":                         nil,
		"%ff=1":                             nil,
		"order=asc%00":                      nil,
		"order=%2561sc":                     nil, // "asc" if it were decoded twice
	} {
		y.shelf.last = nil
		w := y.do("", "GET", "/api/books/"+someID+"?"+query, "")
		if want == nil {
			if e := problemOf(t, w); w.Code != 400 {
				t.Errorf("%s: %d %+v", query, w.Code, e)
			}
			continue
		}
		if d := cmp.Diff(*want, y.shelf.last); d != "" {
			t.Errorf("%s: %s", query, d)
		}
	}
}

// A member of the body cannot set a parameter of the path or query, whatever its
// name.
func TestBodyCannotSetThePath(t *testing.T) {
	y := newToy(t, nil)
	y.do("human", "PATCH", "/api/books/"+someID, `{"title":"x","ID":"`+otherID+`","id":"`+otherID+`","Dry":true,"dry":true}`)
	if d := cmp.Diff(patchIn{ID: someID, Title: "x"}, y.shelf.last); d != "" {
		t.Error(d)
	}
}

// A body that never ends costs its sender the connection, whether or not the
// operation reads it.
func TestSlowBody(t *testing.T) {
	y := newToy(t, func(c *toyConfig) { c.BodyTime = 20 * time.Millisecond })
	s := httptest.NewServer(y)
	defer s.Close()
	for request, want := range map[string]string{
		"POST /api/books":             "body_timeout",
		"DELETE /api/books/" + someID: "HTTP/1.1 204 ",
	} {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer human\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
			request)
		answer, err := io.ReadAll(c) // ends when the server closes the connection
		if err != nil || !bytes.Contains(answer, []byte(want)) {
			t.Errorf("%s: got %s, %v", request, answer, err)
		}
	}
}

// The time limit of a body ends with the body: a slow operation is not cut off.
func TestBodyTimeLimitEndsWithBody(t *testing.T) {
	var ended error
	slow := func(ctx context.Context, _ store.Viewer, in putIn) (core.None, error) {
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
		ended = ctx.Err()
		return core.None{}, nil
	}
	stack, err := middleware.New(middleware.Config{BodyTime: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(Config{Auth: keyring{}, Stack: stack}, []Route{{"POST", "/x", 200,
		op.New(nil, slow, op.Spec{Summary: "Take long", Guard: op.Public}).Op}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	defer s.Close()
	res, err := http.Post(s.URL+"/x", "application/json", strings.NewReader(`{"title":"x"}`))
	if err != nil || res.StatusCode != 200 || ended != nil {
		t.Errorf("%v, %v, the context ended with %v", res, err, ended)
	}
}

func TestTruncatedBody(t *testing.T) {
	y := newToy(t, nil)
	s := httptest.NewServer(y)
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /api/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer human\r\nContent-Type: application/json\r\nContent-Length: "+
		"100\r\n\r\n{")
	c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 400 ")) || !bytes.Contains(answer, []byte("bad_body")) {
		t.Errorf("got %s", answer)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"title":"x","tags":["a"],"parts":[{"name":"n"}]}`), "limit=1&since=2026-01-02T03:04:05Z", "9")
	f.Add([]byte(`{"due":null,"note":{},"mine":[[[]]]}`), "all=true&order=%00", someID)
	f.Add([]byte("{\"title\":\"\xed\xa0\x80\"}"), "a=%", "%2e%2e")
	y := newToy(f, nil)
	f.Fuzz(func(t *testing.T, body []byte, query, segment string) {
		for _, target := range []struct{ method, path string }{
			{"POST", "/api/books"}, {"GET", "/api/books/" + someID}, {"PATCH", "/api/books/" + segment}, {"GET", "/files/" + segment},
		} {
			r := httptest.NewRequest(target.method, "/", bytes.NewReader(body))
			r.URL = &url.URL{Path: target.path, RawQuery: query}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer human")
			w := httptest.NewRecorder()
			y.ServeHTTP(w, r)
			if w.Code >= 500 {
				t.Fatalf("%s %s: %d %s", target.method, target.path, w.Code, w.Body)
			}
			if w.Code >= 400 {
				problemOf(t, w)
			}
		}
		y.log.Reset()
	})
}

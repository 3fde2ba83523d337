package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResponses(t *testing.T) {
	y := newToy(t, nil)
	for _, tc := range []struct {
		name, who, method, target, body string
		want                            int
		contains                        string
	}{
		{"read", "", "GET", "/api/books/" + someID, "", 200, `{"id":"` + someID + `","title":"<b>","tags":[],"read":null}` + "\n"},
		{"made", "human", "POST", "/api/books", `{"title":"new"}`, 201, `"title":"new"`},
		{"existed", "human", "POST", "/api/books", `{"title":"old"}`, 200, `"title":"old"`},
		{"dropped", "human", "DELETE", "/api/books/" + someID, "", 204, ""},
		{"unread body", "human", "DELETE", "/api/books/" + someID, "what?", 204, ""},
		{"conflict", "", "GET", "/api/books/best?how=conflict", "", 409, `{"error":"It is taken.","code":"taken"}`},
		{"not an id", "", "GET", "/api/books/none", "", 404, "not_found"},
		{"an id in capitals", "", "GET", "/api/books/" + strings.ToUpper(someID), "", 404, "not_found"},
		{"static before parameter", "", "GET", "/api/books/best", "", 200, "{}"},
		{"too many segments", "", "GET", "/files/a/b.txt", "", 404, "not_found"},
		{"an empty segment", "", "GET", "/files//b.txt", "", 404, "not_found"},
		{"no rest", "", "GET", "/files/", "", 404, "not_found"},
		{"wrong method", "", "PUT", "/api/books/best", "", 405, "method_not_allowed"},
		{"no credential", "", "POST", "/api/books", `{"title":"x"}`, 401, "unauthenticated"},
		{"scope", "reader", "POST", "/api/books", `{"title":"x"}`, 403, "missing_scope"},
		{"human only", "agent", "DELETE", "/api/books/" + someID, "", 403, "human_only"},
		{"deadline", "", "GET", "/api/books/best?how=deadline", "", 503, "timeout"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := y.do(tc.who, tc.method, tc.target, tc.body)
			if w.Code != tc.want || !strings.Contains(w.Body.String(), tc.contains) {
				t.Fatalf("got %d %s; want %d with %s", w.Code, w.Body, tc.want, tc.contains)
			}
			if tc.want == 204 && w.Body.Len() > 0 {
				t.Errorf("204 with a body %q", w.Body)
			}
			if got := w.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control is %q", got)
			}
			if got := w.Header().Get("Content-Security-Policy"); got != "default-src 'none'; frame-ancestors 'none'" {
				t.Errorf("the policy is %q", got)
			}
			if n := w.Header().Get("Content-Length"); strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") &&
				n != strconv.Itoa(w.Body.Len()) {
				t.Errorf("Content-Length is %s of %d", n, w.Body.Len())
			}
			if w.Code >= 400 {
				problemOf(t, w)
			}
		})
	}
}

// A value that cannot be an identifier never reaches an operation.
func TestInvalidIDs(t *testing.T) {
	y := newToy(t, nil)
	for _, id := range []string{"x", strings.ToUpper(someID), someID[1:], someID + "0", "%27"} {
		y.do("", "GET", "/api/books/"+id, "")
		if y.shelf.last != nil {
			t.Errorf("%s reached the operation: %+v", id, y.shelf.last)
		}
	}
}

func TestAllow(t *testing.T) {
	y := newToy(t, nil)
	for target, want := range map[string]string{
		"/api/books":                     "POST",
		"/api/books/" + someID:           "GET, HEAD, PATCH, DELETE",
		"/api/books/" + someID + "/tail": "GET",
	} {
		if got := y.do("", "OPTIONS", target, "").Header().Get("Allow"); got != want {
			t.Errorf("%s allows %q, want %q", target, got, want)
		}
	}
}

// The responses for a hidden object, one that does not exist, an invalid id and
// a path without a route are identical.
func TestNotFoundIsUniform(t *testing.T) {
	y := newToy(t, nil)
	type response struct {
		Code   int
		Body   string
		Header http.Header
	}
	of := func(target string) response {
		w := y.do("", "GET", target, "")
		return response{w.Code, w.Body.String(), w.Header()}
	}
	want := of("/api/books/" + otherID)
	if want.Code != 404 {
		t.Fatal(want)
	}
	for _, target := range []string{
		"/api/books/nothing", "/api/books/" + otherID + "/tail", "/api/none", "/api/", "/api//books", "/api/books/a%2Fb",
		"/api/books/%00", "/api/books/%ff", "/api/books/" + someID + "/", "/api/books/" + someID + "%2Ftail", "/api/books/../x", "/api/books/" +
			someID + "%0a",
	} {
		if d := cmp.Diff(want, of(target)); d != "" {
			t.Errorf("%s: %s", target, d)
		}
	}
}

func TestHead(t *testing.T) {
	y := newToy(t, nil)
	s := httptest.NewServer(y)
	defer s.Close()
	get, err := http.Get(s.URL + "/api/books/" + someID)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(get.Body)
	get.Body.Close()
	head, err := http.Head(s.URL + "/api/books/" + someID)
	if err != nil {
		t.Fatal(err)
	}
	head.Body.Close()
	if head.StatusCode != 200 || head.ContentLength != int64(len(body)) || head.ContentLength == 0 {
		t.Errorf("HEAD: %d with length %d; GET has %d", head.StatusCode, head.ContentLength, len(body))
	}
	if w := y.do("", "HEAD", "/api/books/"+someID+"/tail", ""); w.Code != 405 {
		t.Errorf("HEAD of a stream that does not end: %d", w.Code)
	}
}

func TestUnexpectedErrors(t *testing.T) {
	for _, how := range []string{"panic", "plain"} {
		y := newToy(t, nil)
		w := y.do("human", "GET", "/api/books/best?how="+how, "")
		e := problemOf(t, w)
		if w.Code != 500 || e.RequestID == "" || e.Code != "internal" {
			t.Errorf("%s: %d %+v", how, w.Code, e)
		}
		if strings.Contains(w.Body.String(), "secret") || strings.Contains(w.Body.String(), "EOF") {
			t.Errorf("%s: the response shows internals: %s", how, w.Body)
		}
		log := y.log.String()
		if strings.Count(log, "msg=request ") != 1 || !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "request="+e.RequestID) {
			t.Errorf("%s: the log: %s", how, log)
		}
	}
}

func TestPanicAfterFirstByte(t *testing.T) {
	y := newToy(t, nil)
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("got the panic %v", p)
		}
		if !strings.Contains(y.log.String(), "after the first byte") {
			t.Errorf("the log: %s", y.log)
		}
	}()
	y.do("", "GET", "/api/books/"+someID+"/tail?die=1", "")
}

// A handler that aborts the connection deliberately is not reported.
func TestAbortHandler(t *testing.T) {
	y := newToy(t, nil)
	defer func() {
		if p := recover(); p != http.ErrAbortHandler || strings.Contains(y.log.String(), "msg=panic") {
			t.Errorf("got %v; the log: %s", p, y.log)
		}
	}()
	y.do("", "GET", "/api/books/best?how=abort", "")
}

// A text that is not UTF-8 does not make the rest of the response unreadable.
func TestInvalidUTF8InResponse(t *testing.T) {
	w := httptest.NewRecorder()
	err := writeJSON(w, 200, &book{Title: "a\xffb"}, func([]byte) bool { return false })
	if err != nil || !strings.Contains(w.Body.String(), "a\ufffdb") {
		t.Errorf("%v: %s", err, w.Body)
	}
}

func TestRetryAfter(t *testing.T) {
	w := newToy(t, nil).do("", "GET", "/api/books/best?how=many", "")
	if w.Code != 429 || w.Header().Get("Retry-After") != "2" {
		t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}

func TestLogLine(t *testing.T) {
	y := newToy(t, nil)
	y.do("human", "POST", "/api/books", `{"title":"a title"}`, "X-Request-Id", "up-1")
	y.do("human", "GET", "/api/books/"+otherID+"?order=secretquery", "", "X-Request-Id", "no\nline")
	log := y.log.String()
	for _, want := range []string{"op=PutBook", "user=u1", "kind=human", "status=200", "upstream=up-1", "op=GetBook", "status=400"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in %s", want, log)
		}
	}
	for _, never := range []string{"a title", "secretquery", otherID, "Bearer", "no\nline"} {
		if strings.Contains(log, never) {
			t.Errorf("%q is in %s", never, log)
		}
	}
	if strings.Count(log, "\n") != 2 {
		t.Errorf("two requests made %q", log)
	}
}

package middleware

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"hearth/app/core"
	"hearth/app/limit"
)

// A body that is refused before all of it was read ends the connection, whatever the
// handler says about that.
func TestReadBody(t *testing.T) {
	const max = 2048
	body := strings.Repeat("b", max)
	for _, tc := range []struct {
		name   string
		body   io.Reader
		length int64
		code   string
		closes bool
	}{
		{"the largest", strings.NewReader(body), -1, "", false},
		{"one byte more", strings.NewReader(body + "b"), -1, "too_large", true},
		{"one that declares one byte more", iotest.ErrReader(io.ErrUnexpectedEOF), max + 1, "too_large", true},
		{"one that declares as much", iotest.ErrReader(io.ErrUnexpectedEOF), max, "bad_body", false},
		{"one without memory for it", iotest.ErrReader(limit.ErrBusy), -1, "busy", true},
		{"a late one", iotest.ErrReader(os.ErrDeadlineExceeded), -1, "body_timeout", false},
		{"half of one", io.MultiReader(strings.NewReader("b"), iotest.ErrReader(io.ErrUnexpectedEOF)), -1, "bad_body", false},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/", tc.body)
		r.ContentLength = tc.length
		newStack(t, Config{}).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, err := ReadBody(w, r, max)
			switch {
			case tc.code == "" && (err != nil || string(b) != body):
				t.Errorf("%s: %d bytes, %v", tc.name, len(b), err)
			case tc.code != "" && (b != nil || core.As(err).Code != tc.code):
				t.Errorf("%s: %d bytes, %v; want %s", tc.name, len(b), err, tc.code)
			case tc.code == "too_large" && core.As(err).Msg != "The body is larger than 2 KiB. Send less at a time.":
				t.Errorf("%s: %v", tc.name, err)
			}
			w.Header().Set("Connection", "keep-alive")
			w.WriteHeader(http.StatusOK)
		}), failPlain).ServeHTTP(w, r)
		want := "keep-alive"
		if tc.closes {
			want = "close"
		}
		if got := w.Header().Get("Connection"); got != want {
			t.Errorf("%s: Connection: %s, want %s", tc.name, got, want)
		}
	}
}

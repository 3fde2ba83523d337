package page

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"hearth/app/account"
)

// The size of a compressed page can reveal a secret beside text that an attacker chose. So a page is
// compressed only if its address has no secret and puts no text on it. Answers to forms are never compressed.
// Random padding hides small differences.

// plainParams are parameters that cannot put text on the page: times, ids and fixed words.
var plainParams = []string{"after", "at", "before", "conversation", "delete", "done", "edit", "head", "message", "newest", "offset",
	"react", "reply", "row", "side", "state", "until"}

const (
	minCompressed = 1024 // bytes; smaller pages are not compressed
	maxJitter     = 64   // bytes
)

func mayCompress(r *http.Request) bool {
	if r.Method != http.MethodGet || hasSecretPath(r.URL.Path) {
		return false
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false
	}
	for name := range query {
		if !slices.Contains(plainParams, name) {
			return false
		}
	}
	return acceptsGzip(r.Header.Values("Accept-Encoding"))
}

// acceptsGzip reports whether gzip is accepted, with a weight above 0.
func acceptsGzip(values []string) bool {
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.ReplaceAll(weight, " ", "")
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

// hasSecretPath reports whether addresses with the prefix of path are secrets.
func hasSecretPath(path string) bool {
	return slices.ContainsFunc([]string{"/login", "/claim", "/chat/invite/", account.InvitationPath, "/c/", "/receipt/"},
		func(p string) bool { return strings.HasPrefix(path, p) })
}

var gzipWriters = sync.Pool{New: func() any {
	zw, _ := gzip.NewWriterLevel(nil, 2) // half the time of the default, for a seventh more bytes
	return zw
}}

func compressed(page []byte) ([]byte, error) {
	var jitter [1 + maxJitter]byte
	if _, err := rand.Read(jitter[:]); err != nil {
		return nil, err
	}
	zw := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(zw)
	var out bytes.Buffer
	out.Grow(len(page)/4 + 512)
	zw.Reset(&out)
	zw.Extra = jitter[1 : 1+int(jitter[0])%maxJitter]
	if _, err := zw.Write(page); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

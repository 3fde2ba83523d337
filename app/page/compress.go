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

// The size of a compressed page says something about its content, which matters
// where somebody else can put text of their choice beside a secret, and watch.
// So a page is compressed only if nothing of its address can be in it as text,
// and no secret belongs to the address; what a form answers never is. A random
// number of bytes is added to hide small differences.

// plainParams are the parameters of addresses that name a moment, an id or a
// fixed word, and so cannot put other text on the page.
var plainParams = []string{"after", "at", "before", "conversation", "delete", "done", "edit", "head", "message", "newest", "offset", "react", "reply", "row", "side", "state", "until"}

const (
	minCompressed = 1024 // bytes; smaller pages stay as they are
	maxJitter     = 64   // bytes
)

// mayCompress reports whether the answer to a request may be compressed.
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

// acceptsGzip reports whether gzip is among the encodings, and not refused.
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

// hasSecretPath reports whether the addresses that begin like path are secrets.
func hasSecretPath(path string) bool {
	return slices.ContainsFunc([]string{"/login", "/claim", "/chat/invite/", account.InvitationPath, "/c/", "/receipt/"}, func(p string) bool { return strings.HasPrefix(path, p) })
}

var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// compressed returns a page with gzip.
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

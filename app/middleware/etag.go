package middleware

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// ETag returns the strong ETag of a body, with a prefix.
func ETag(prefix string, body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + prefix + hex.EncodeToString(sum[:8]) + `"`
}

// HasTag reports whether the client already has the response.
func HasTag(r *http.Request, tag string) bool {
	for _, value := range r.Header.Values("If-None-Match") {
		for t := range strings.SplitSeq(value, ",") {
			if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
				return true
			}
		}
	}
	return false
}

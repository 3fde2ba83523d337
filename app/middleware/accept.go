package middleware

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Accepted returns the offered media type that the Accept header prefers. The first is the default.
func Accepted(r *http.Request, offered ...string) string {
	best, quality := offered[0], 0.0
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		q := 1.0
		if s, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(s, 64); err != nil {
				continue
			}
		}
		switch {
		case slices.Contains([]string{"text/*", "*/*", "application/xhtml+xml"}, kind):
			kind = offered[0]
		case !slices.Contains(offered, kind):
			continue
		}
		if q > quality {
			best, quality = kind, q
		}
	}
	return best
}

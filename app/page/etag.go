package page

import (
	"net/http"
	"strconv"

	"hearth/app/middleware"
)

// write sends a page. A page for all guests has an ETag, which clients revalidate each time.
func (v *visit) write(status int, mediaType string, b []byte) {
	h := v.w.Header()
	if status == http.StatusOK && v.shared {
		tag := middleware.ETag("", b)
		h.Set("ETag", tag)
		h.Set("Cache-Control", "no-cache")
		h.Set("Vary", "Accept, Authorization, Cookie")
		if middleware.HasTag(v.r, tag) {
			v.w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(b)))
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b)
}

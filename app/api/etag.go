package api

import (
	"net/http"

	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// Clients revalidate every time. A response for the caller alone must not be stored.
func (e *endpoint) tag(w http.ResponseWriter, r *http.Request, v store.Viewer, out any, body []byte) (sent bool) {
	if !e.Op.Info().Hints.Has(op.Tagged) {
		return false
	}
	prefix := ""
	if v, ok := out.(op.Versioned); ok {
		prefix = v.Version() + "/"
	}
	tag := middleware.ETag(prefix, body)
	w.Header().Set("ETag", tag)
	w.Header().Set("Vary", "Authorization, Cookie")
	if v.Kind == store.Anonymous || v.Kind == store.PublicKey {
		w.Header().Set("Cache-Control", "no-cache")
	}
	if middleware.HasTag(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	return false
}

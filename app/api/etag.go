package api

import (
	"net/http"
	"net/url"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// known is what is known of a response before the operation is called. Its zero
// value is for operations without ETags.
type known struct {
	tags    *middleware.ETags // nil unless everybody gets the same response
	address string            // of the response in tags
	version store.ListVersion
	tagged  bool
}

// known returns what is known of the response to r.
func (e *endpoint) known(r *http.Request, v store.Viewer) known {
	by := e.Op.Info().Tagged
	if by == op.Untagged || e.h.listVersion == nil {
		return known{}
	}
	k := known{tagged: true}
	if v.Kind == store.Anonymous || v.Kind == store.PublicKey {
		address, err := e.address(r)
		if err != nil {
			return known{} // and the request fails
		}
		id := ""
		if by == op.ByList {
			id = r.PathValue("id")
		}
		// Taken before the operation reads.
		k.tags, k.address, k.version = &e.h.tags, address, e.h.listVersion(id)
	}
	return k
}

// address returns what the response to r depends on: what the operation does not know
// makes no address of its own.
func (e *endpoint) address(r *http.Request) (string, error) {
	query, err := e.in.parameters(r)
	if err != nil {
		return "", err
	}
	given := url.Values{}
	for _, f := range e.in.plan.Fields {
		switch values := query[f.Name]; {
		case f.Place == core.InPath:
			given.Set("/"+f.Name, r.PathValue(f.Name))
		case f.Place == core.InQuery && len(values) > 0:
			given[f.Name] = values
		}
	}
	return e.Path + "?" + given.Encode(), nil
}

// sendUnchanged reports whether the client has the current response, and tells it
// so: nothing is read for it.
func (k known) sendUnchanged(w http.ResponseWriter, r *http.Request) bool {
	if k.tags == nil {
		return false
	}
	found, ok := k.tags.Get(k.address, k.version)
	if !ok || !middleware.HasTag(r, found.ETag) {
		return false
	}
	k.unchanged(w, found.ETag)
	return true
}

func (k known) unchanged(w http.ResponseWriter, tag string) {
	k.headers(w, tag)
	w.WriteHeader(http.StatusNotModified)
}

// headers has clients ask again each time. What is only for the caller is not
// kept at all.
func (k known) headers(w http.ResponseWriter, tag string) {
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Vary", "Authorization, Cookie")
	if k.tags != nil {
		h.Set("Cache-Control", "no-cache")
	}
}

// tag sets the ETag of a response, and reports whether it told the client that it
// has the response already.
func (k known) tag(w http.ResponseWriter, r *http.Request, _ store.Viewer, out any, body []byte) (sent bool) {
	if !k.tagged {
		return false
	}
	prefix := ""
	if v, ok := out.(op.Versioned); ok {
		prefix = v.Version() + "/"
	}
	tag := middleware.ETag(prefix, body)
	if k.tags != nil {
		k.tags.Put(k.address, middleware.KnownTag{ETag: tag, Version: k.version})
	}
	if middleware.HasTag(r, tag) {
		k.unchanged(w, tag)
		return true
	}
	k.headers(w, tag)
	return false
}

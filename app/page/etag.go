package page

import (
	"net/http"
	"strconv"
	"strings"

	"hearth/app/middleware"
	"hearth/store"
)

// guestTag is the ETag of a page that all guests get.
type guestTag struct {
	tags    *middleware.ETags
	address string // of the page in tags
	version store.ListVersion
}

// tagOf returns the ETag of the page that v requests; nil if it is a page for v
// alone.
func (s *site) tagOf(v *visit, g guard) *guestTag {
	if g != public && g != forms || v.by.SignedIn() || s.ListVersion == nil {
		return nil
	}
	id, _, _ := strings.Cut(v.r.PathValue("id"), ".")
	if v.r.PathValue("item_id") != "" {
		id = "" // the page of an item names other lists that have its link
	}
	return &guestTag{tags: &s.tags, address: accepted(v.r) + " " + v.r.URL.RequestURI(), version: s.ListVersion(id)}
}

// sendUnchanged reports whether the client has the current page, and tells it so:
// nothing is read for it.
func (t *guestTag) sendUnchanged(w http.ResponseWriter, r *http.Request) bool {
	if t == nil {
		return false
	}
	known, ok := t.tags.Get(t.address, t.version)
	if !ok || !middleware.HasTag(r, known.ETag) {
		return false
	}
	t.unchanged(w, known.ETag)
	return true
}

func (t *guestTag) unchanged(w http.ResponseWriter, tag string) {
	t.headers(w, tag)
	w.WriteHeader(http.StatusNotModified)
}

// headers has clients ask again each time.
func (t *guestTag) headers(w http.ResponseWriter, tag string) {
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept, Authorization, Cookie")
}

// tag sets the ETag of the page, and reports whether it told the client that it
// has the page already.
func (t *guestTag) tag(w http.ResponseWriter, r *http.Request, position string, body []byte) (sent bool) {
	if t == nil {
		return false
	}
	tag := middleware.ETag("", body)
	t.tags.Put(t.address, middleware.KnownTag{ETag: tag, Version: t.version, Position: position})
	if middleware.HasTag(r, tag) {
		t.unchanged(w, tag)
		return true
	}
	t.headers(w, tag)
	return false
}

// position returns where the event log ends. A page that did not change since it
// was last made has the position from then, so that it has the same bytes: in
// between nothing happened that it shows.
func (s *site) position(v *visit) (err error) {
	if v.tag != nil {
		if known, ok := v.tag.tags.Get(v.tag.address, v.tag.version); ok && known.Position != "" {
			v.position = known.Position
			return nil
		}
	}
	v.position, err = s.Position(v.ctx())
	return err
}

// write sends a page, or that the client has it.
func (v *visit) write(status int, mediaType string, b []byte) {
	if status == http.StatusOK && v.tag.tag(v.w, v.r, v.position, b) {
		return
	}
	h := v.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(b)))
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b)
}

package page

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hearth/app/middleware"
	"hearth/store"
)

// guestTag is the ETag of a page that all guests get.
type guestTag struct {
	tags    *middleware.ETags
	address string // of the page in tags
	version store.ListVersion
	now     store.Time
}

// positionLasts is how long a page that stays the same has the position of the event
// log from when it was first made. The log goes further back than that.
const positionLasts = 24 * time.Hour

func (t *guestTag) lasts(k middleware.KnownTag) bool { return t.now < k.Since.Add(positionLasts) }

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
	return &guestTag{tags: &s.tags, address: accepted(v.r) + " " + v.r.URL.RequestURI(), version: s.ListVersion(id), now: store.TimeOf(s.Now())}
}

// sendUnchanged reports whether the client has the current page, and tells it so:
// nothing is read for it.
func (t *guestTag) sendUnchanged(w http.ResponseWriter, r *http.Request) bool {
	if t == nil {
		return false
	}
	known, ok := t.tags.Get(t.address, t.version)
	if !ok || !t.lasts(known) || !middleware.HasTag(r, known.ETag) {
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

// tag sets the ETag of the page, and returns the page that is to be sent; nil if it told
// the client that it has it already. A page in which nothing else has changed keeps its
// position: another one would tell that something happened that its readers do not see.
func (t *guestTag) tag(w http.ResponseWriter, r *http.Request, position string, body []byte) []byte {
	if t == nil {
		return body
	}
	at := func(position string) []byte { return []byte(`data-position="` + position + `"`) }
	rest := middleware.ETag("", bytes.Replace(body, at(position), nil, 1))
	known := t.tags.Last(t.address)
	if known.Rest == rest && t.lasts(known) {
		body, known.Version = bytes.Replace(body, at(position), at(known.Position), 1), t.version
	} else {
		known = middleware.KnownTag{ETag: middleware.ETag("", body), Version: t.version, Position: position, Rest: rest, Since: t.now}
	}
	t.tags.Put(t.address, known)
	if middleware.HasTag(r, known.ETag) {
		t.unchanged(w, known.ETag)
		return nil
	}
	t.headers(w, known.ETag)
	return body
}

// position returns where the event log ends. A page that did not change since it
// was last made has the position from then, so that it has the same bytes: in
// between nothing happened that it shows.
func (s *site) position(v *visit) (err error) {
	if v.tag != nil {
		if known, ok := v.tag.tags.Get(v.tag.address, v.tag.version); ok && known.Position != "" && v.tag.lasts(known) {
			v.position = known.Position
			return nil
		}
	}
	v.position, err = s.Position(v.ctx())
	return err
}

// write sends a page, or that the client has it.
func (v *visit) write(status int, mediaType string, b []byte) {
	if status == http.StatusOK {
		if b = v.tag.tag(v.w, v.r, v.position, b); b == nil {
			return
		}
	}
	h := v.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(b)))
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b)
}

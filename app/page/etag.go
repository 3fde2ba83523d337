package page

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"hearth/app/middleware"
)

const (
	// positionLasts is how long a page that stays the same has the position of the event
	// log from when it was first made. The log goes further back than that.
	positionLasts = 24 * time.Hour
	maxPageTags   = 20_000
)

// pageTags has the positions of the pages that all guests get, by the hash of their other
// content.
type pageTags struct {
	now    func() time.Time
	mu     sync.Mutex
	byRest map[string]pagePosition
}

// pagePosition is the position in a page, and when the page was made first.
type pagePosition struct {
	position string
	since    time.Time
}

// at returns the position for a page with the given rest: a page in which nothing else has
// changed keeps its position, because another one would tell that something happened that
// its readers do not see.
func (t *pageTags) at(rest, position string) string {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.byRest[rest]; ok && now.Before(known.since.Add(positionLasts)) {
		return known.position
	}
	if t.byRest == nil || len(t.byRest) >= maxPageTags {
		t.byRest = map[string]pagePosition{}
	}
	t.byRest[rest] = pagePosition{position, now}
	return position
}

// write sends a page. One that all guests get has an ETag; whoever has it already is told
// so. Clients ask again each time.
func (v *visit) write(status int, mediaType string, b []byte) {
	h := v.w.Header()
	if status == http.StatusOK && v.tags != nil {
		at := func(position string) []byte { return []byte(`data-position="` + position + `"`) }
		rest := middleware.ETag("", bytes.Replace(b, at(v.position), nil, 1))
		b = bytes.Replace(b, at(v.position), at(v.tags.at(rest, v.position)), 1)
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

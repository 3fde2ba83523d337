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
	// positionLasts is the lifetime of a position on an unchanged page. The event log keeps longer than that.
	positionLasts = 24 * time.Hour
	maxPageTags   = 20_000
)

// pageTags stores the positions of guests' pages, by the hash of the other content.
type pageTags struct {
	now    func() time.Time
	mu     sync.Mutex
	byRest map[string]pagePosition
}

type pagePosition struct {
	position string
	since    time.Time
}

// at returns the position for a page with the given rest. An unchanged page keeps its position, because a new
// one would reveal hidden activity.
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

// write sends a page. A page for all guests has an ETag, which clients revalidate each time.
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

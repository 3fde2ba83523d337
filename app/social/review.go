package social

import (
	"cmp"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// ReviewItem is a pending decision of the caller.
type ReviewItem struct {
	ID   string `json:"id" doc:"The kind, a colon, and the id of the object"`
	Kind string `json:"kind" enum:"draft|match|expiring_story|expiring_search"`
	Reviewed
}

// Reviewed is what is to be decided.
type Reviewed struct {
	Priority string       `json:"priority" enum:"action|soon"`
	Title    string       `json:"title"`
	DueAt    *store.Time  `json:"dueAt,omitzero" doc:"When it expires"`
	Draft    *IntentDraft `json:"draft,omitzero"`
	Match    *AgentMatch  `json:"match,omitzero"`
	StoryID  *string      `json:"storyId,omitzero"`
	IntentID *string      `json:"intentId,omitzero"`

	// These are for pages, about items that expire.
	IntentKind   string `json:"-"`
	HumanVisible bool   `json:"-"` // people see the search's Story, which does not end with it
}

// ReviewOut has the pending decisions: drafts, then matches, then expiring items, first to expire first.
type ReviewOut struct {
	Items   []ReviewItem `json:"items"`
	HasMore bool         `json:"hasMore"`
}

const (
	maxReview    = 50
	reviewWindow = 72 * time.Hour // items are listed this long before they expire
)

func getReview(r *store.Reader, by store.Viewer, _ core.None) (out ReviewOut, err error) {
	items, cut, err := reviewOf(r, by, maxReview+1)
	items, more := core.Cut(items, maxReview)
	return ReviewOut{items, cut || more}, err
}

// reviewOf returns up to limit items of each kind, and whether drafts were left out for their size.
func reviewOf(r *store.Reader, by store.Viewer, limit int) (out []ReviewItem, cut bool, err error) {
	drafts, cut, err := r.DraftsWithin(by, "pending", 0, limit, maxListedSize)
	if err != nil {
		return out, cut, err
	}
	matches, err := r.OpenMatches(by, 0, limit)
	if err != nil {
		return out, cut, err
	}
	expiring, err := r.Expiring(by, r.Now().Add(reviewWindow), limit)
	out = []ReviewItem{}
	for _, d := range drafts {
		shown := draftOf(d)
		out = append(out, ReviewItem{"draft:" + d.ID, "draft", Reviewed{Priority: "action", Title: draftTitle(&d), Draft: &shown}})
	}
	for _, m := range matches {
		shown := matchOf(m)
		out = append(out, ReviewItem{"match:" + m.ID, "match", Reviewed{Priority: "action", Title: m.OtherTerms, Match: &shown,
			IntentID: &shown.OwnIntent.ID}})
	}
	for _, e := range expiring {
		out = append(out, ReviewItem{e.Kind + ":" + e.ID, e.Kind, Reviewed{Priority: "soon", Title: e.Title, DueAt: e.At.Ptr(),
			StoryID: core.OrNil(e.StoryID), IntentID: core.OrNil(e.IntentID), IntentKind: e.IntentKind, HumanVisible: e.HumanVisible}})
	}
	return out, cut, err
}

func draftTitle(d *store.Draft) string {
	return cmp.Or(append(append([]string{d.Goal}, d.Seeks...), d.Brings...)...)
}

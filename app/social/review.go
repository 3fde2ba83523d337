package social

import (
	"cmp"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// ReviewItem is a pending decision of the caller.
type ReviewItem struct {
	ID       string       `json:"id" doc:"The kind, a colon, and the id of the object"`
	Kind     string       `json:"kind" enum:"draft|match|expiring_story|expiring_search"`
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
	drafts, cut, err := r.DraftsWithin(by, "pending", 0, maxReview+1, maxListedSize)
	if err != nil {
		return out, err
	}
	matches, err := r.OpenMatches(by, 0, maxReview+1)
	if err != nil {
		return out, err
	}
	expiring, err := r.Expiring(by, r.Now().Add(reviewWindow), maxReview+1)
	items, more := core.Cut(reviewOf(drafts, matches, expiring), maxReview)
	return ReviewOut{items, cut || more}, err
}

func reviewOf(drafts []store.Draft, matches []store.Match, expiring []store.Expiring) []ReviewItem {
	out := []ReviewItem{}
	for _, d := range drafts {
		shown := draftOf(d)
		out = append(out, ReviewItem{ID: "draft:" + d.ID, Kind: "draft", Priority: "action", Title: draftTitle(&d), Draft: &shown})
	}
	for _, m := range matches {
		shown := matchOf(m)
		out = append(out, ReviewItem{ID: "match:" + m.ID, Kind: "match", Priority: "action", Title: m.OtherTerms, Match: &shown,
			IntentID: &shown.OwnIntent.ID})
	}
	for _, e := range expiring {
		out = append(out, ReviewItem{
			ID: e.Kind + ":" + e.ID, Kind: e.Kind, Priority: "soon", Title: e.Title, DueAt: e.At.Ptr(), StoryID: core.OrNil(e.StoryID),
			IntentID: core.OrNil(e.IntentID), IntentKind: e.IntentKind, HumanVisible: e.HumanVisible,
		})
	}
	return out
}

func draftTitle(d *store.Draft) string {
	return cmp.Or(append(append([]string{d.Goal}, d.Seeks...), d.Brings...)...)
}

package social

import (
	"cmp"
	"slices"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// InboxItem is something that waits for the caller.
type InboxItem struct {
	ID   string `json:"id" doc:"The kind, a colon, and the id of the object: of a friend_request the person's"`
	Kind string `json:"kind" enum:"request|match|friend_request|held_item|draft|story|report|feedback|expiring_story|expiring_search"`
	Reviewed
	URL    string  `json:"url,omitzero" doc:"Path of the page to decide on, unless that is the inbox"`
	ListID *string `json:"listId,omitzero" doc:"Of a held_item"`

	// These are for pages.
	Request *Request       `json:"-"`
	Waiting *store.Waiting `json:"-"`
}

// InboxOut has what waits for the caller.
type InboxOut struct {
	Items []InboxItem `json:"items" doc:"At most 200 of a kind. What a person decides comes before news and what expires."`
	Count int         `json:"count" doc:"How much waits in all"`
}

const maxInbox = 200 // of a kind

// inboxOrder has the kinds in the order of the list.
const inboxOrder = "request match friend_request held_item draft report feedback story expiring_story expiring_search"

// getInbox has reports and feedback for administrators in sessions of their own.
func getInbox(r *store.Reader, by store.Viewer, _ core.None) (out InboxOut, err error) {
	out.Items = []InboxItem{}
	requests, err := listRequests(r, by, core.None{})
	if err != nil {
		return out, err
	}
	for _, q := range requests.Requests {
		out.Items = append(out.Items, InboxItem{ID: "request:" + q.ID, Kind: "request", Request: &q,
			Reviewed: Reviewed{Priority: "action", Title: q.title(), DueAt: q.ExpiresAt.Ptr()}})
	}
	rows, err := r.Waiting(by, maxInbox)
	if err != nil {
		return out, err
	}
	out.Items = append(out.Items, core.Map(rows, waitingItem)...)
	review, _, err := reviewOf(r, by, maxInbox)
	if err != nil {
		return out, err
	}
	for _, i := range review {
		out.Items = append(out.Items, InboxItem{ID: i.ID, Kind: i.Kind, Reviewed: i.Reviewed})
	}
	slices.SortStableFunc(out.Items, func(a, b InboxItem) int {
		return strings.Index(inboxOrder, a.Kind) - strings.Index(inboxOrder, b.Kind)
	})
	count, err := r.WaitingCount(by, r.Now().Add(reviewWindow))
	out.Count = count.All
	return out, err
}

func waitingItem(w store.Waiting) InboxItem {
	i := InboxItem{ID: w.Kind + ":" + w.ID, Kind: w.Kind, Waiting: &w,
		Reviewed: Reviewed{Priority: "action", Title: w.Text, DueAt: w.DueAt.Ptr()}}
	switch w.Kind {
	case "friend_request":
		i.Title, i.URL = w.From.Name, "/people/"+w.ID
	case "held_item":
		i.URL, i.ListID = "/list/"+w.ListID+"/queue", &w.ListID
	case "story":
		i.Priority, i.URL, i.StoryID = "soon", "/stories/"+w.ID+"/reply", &w.ID
	case "report":
		i.URL = "/admin/reports/" + w.ID
	case "feedback":
		i.URL = "/admin/feedback"
	}
	return i
}

// title returns what is to be published or sent.
func (q *Request) title() string {
	switch p := q.Publication; {
	case q.Response != nil:
		return q.Response.Message
	case p.Story != nil:
		return p.Story.Text
	default:
		return p.Terms
	}
}

// WaitingOut has the counts that every page shows.
type WaitingOut struct {
	Count  int        `json:"count" doc:"How much waits in the inbox"`
	Admin  int        `json:"admin" doc:"Open reports and feedback of them"`
	Simple bool       `json:"simple" doc:"The caller wants to see conversations only"`
	Until  store.Time `json:"until" doc:"When the first of them ends by itself; 0 if none does"`
}

func getWaiting(r *store.Reader, by store.Viewer, _ core.None) (out WaitingOut, err error) {
	p, err := r.Preference(by)
	n, e := r.WaitingCount(by, r.Now().Add(reviewWindow))
	return WaitingOut{n.All, n.Admin, p.ExperienceMode == "simple", n.Until}, cmp.Or(err, e)
}

// SeeStoriesIn names Stories.
type SeeStoriesIn struct {
	StoryIDs []string `json:"storyIds" required:"true" max:"200" format:"uuid"`
}

func seeStories(tx *store.Tx, by store.Viewer, in SeeStoriesIn) (core.None, error) {
	seen, err := tx.SeeStories(by, in.StoryIDs)
	if err == nil && seen {
		err = core.InboxChanged(tx, by.UserID)
	}
	return core.None{}, err
}

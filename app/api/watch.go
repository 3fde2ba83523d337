package api

import (
	"context"
	"net/http"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
)

// watch serves live streams: the list package says who may watch a list, the
// hub knows who does.
type watch struct {
	list *list.Service
	hub  *live.Hub
}

// watchIn documents the parameters of a list's stream.
type watchIn struct {
	ListID      string `path:"id"`
	LastEventID string `query:"lastEventId" doc:"The id of the last event received, to receive what came after it, or 0 for everything stored; as the header Last-Event-ID, which browsers send by themselves."`
}

func watchListAnswer(events []core.Event) Answer {
	return Answer{Type: eventStream, In: watchIn{}, Doc: streamDoc(events, true, "The stream ends when the caller may no longer see the list.")}
}

// WatchList streams the changes of a list to whoever may see it.
func (h watch) WatchList(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	h.serve(w, r, v, r.PathValue("id"))
}

// serve streams a list or, if listID is empty, the caller's own feed.
func (h watch) serve(w http.ResponseWriter, r *http.Request, v store.Viewer, listID string) {
	after, err := h.hub.ResumeAfter(r)
	if err != nil {
		Fail(w, err)
		return
	}
	sub, err := h.hub.Subscribe(r.Context(), v, listID)
	if err != nil {
		Fail(w, err)
		return
	}
	h.hub.Serve(w, r, sub, after)
}

// presenceIn names a list.
type presenceIn struct {
	ListID string `path:"id" json:"-"`
}

// Presence returns who is watching a list; NotFound if the caller may not see it.
func (h watch) Presence(ctx context.Context, by store.Viewer, in presenceIn) (list.Snapshot, error) {
	if err := core.Check(&in); err != nil {
		return list.Snapshot{}, err
	}
	if err := h.list.CheckList(ctx, by, in.ListID); err != nil {
		return list.Snapshot{}, err
	}
	return h.hub.Presence().Snapshot(in.ListID), nil
}

// typingIn says whether the caller is typing in a list.
type typingIn struct {
	ListID string  `path:"id" json:"-"`
	Typing *bool   `json:"typing" required:"true" doc:"Ends by itself after 15 seconds: repeat it while it lasts."`
	ItemID *string `json:"itemId" format:"uuid" doc:"The item that is being edited; null for a new one."`
}

// SetTyping shows those who watch a list that the caller is typing, and
// returns who is watching it. Callers without a part in the list, whose name is
// not shown, change nothing.
func (h watch) SetTyping(ctx context.Context, by store.Viewer, in typingIn) (out list.Snapshot, err error) {
	if err := core.Check(&in); err != nil {
		return out, err
	}
	who, err := h.list.Watcher(ctx, by, in.ListID)
	if err != nil {
		return out, err
	}
	item := ""
	if in.ItemID != nil {
		item = *in.ItemID
		if err := h.list.CheckItem(ctx, by, in.ListID, item); err != nil {
			return out, err
		}
	}
	if who.Known {
		h.hub.Presence().SetTyping(in.ListID, list.Person{ID: by.UserID, Name: who.Name}, item, *in.Typing)
	}
	return h.hub.Presence().Snapshot(in.ListID), nil
}

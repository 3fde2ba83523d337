package api

import (
	"context"
	"net/http"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
)

// watch brings together a list, which says who may watch it, and the hub,
// which knows who does.
type watch struct {
	list *list.Service
	hub  *live.Hub
}

// watchIn documents the parameters of a list's stream.
type watchIn struct {
	ListID      string `path:"id" json:"-"`
	LastEventID string `query:"lastEventId" json:"-" doc:"The id of the last event seen, to get what came after it, or 0 for all that are kept; as the header Last-Event-ID, which browsers send by themselves."`
}

var watchAnswer = Answer{
	Type: eventStream, In: watchIn{},
	Doc: "First `presence`, and again when it changes; `change` with `{table, op, listId, itemId}` for each change. " +
		"`id:` is an opaque word to resume after, for seven days; `resync` says that it is too old. Ends when the list is hidden from the caller.",
}

// WatchList streams the changes of a list to whoever may see it.
func (h watch) WatchList(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	after, err := h.hub.ResumeAfter(r)
	if err != nil {
		Fail(w, err)
		return
	}
	sub, err := h.hub.Subscribe(r.Context(), v, r.PathValue("id"))
	if err != nil {
		Fail(w, err)
		return
	}
	h.hub.Serve(w, r, sub, after)
}

// presenceIn asks who watches a list.
type presenceIn struct {
	ListID string `path:"id" json:"-"`
}

// Presence returns who watches a list; NotFound if the caller may not see it.
func (h watch) Presence(ctx context.Context, by store.Viewer, in presenceIn) (live.Snapshot, error) {
	if err := core.Check(&in); err != nil {
		return live.Snapshot{}, err
	}
	if err := h.list.CheckList(ctx, by, in.ListID); err != nil {
		return live.Snapshot{}, err
	}
	return h.hub.Presence().Snapshot(in.ListID), nil
}

// typingIn says that the caller writes, or has stopped.
type typingIn struct {
	ListID string  `path:"id" json:"-"`
	Typing *bool   `json:"typing" required:"true" doc:"Forgotten after 15 seconds: say it again while it lasts."`
	ItemID *string `json:"itemId" format:"uuid" doc:"The item written at; null for a new one."`
}

// SetTyping tells those who watch a list that the caller writes, and returns
// who watches it. Of a stranger to the list nothing is told, as in Presence.
func (h watch) SetTyping(ctx context.Context, by store.Viewer, in typingIn) (out live.Snapshot, err error) {
	if err := core.Check(&in); err != nil {
		return out, err
	}
	name, known, err := h.list.Watcher(ctx, by, in.ListID)
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
	if known {
		h.hub.Presence().SetTyping(in.ListID, live.Person{ID: by.UserID, Name: name}, item, *in.Typing)
	}
	return h.hub.Presence().Snapshot(in.ListID), nil
}

package api

import (
	"context"
	"net/http"

	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/limit"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

type watch struct {
	list    *list.Service
	context func() error // NotFound without a Context lane
	hub     *live.Hub

	Presence  *op.Func[presenceIn, list.Snapshot]
	SetTyping *op.Func[typingIn, list.Snapshot]
}

func newWatch(s domain.Services) *watch {
	w := &watch{list: s.List, hub: s.Live, context: s.Lane.Enabled}
	w.Presence = op.New(s.Limits, w.presence, op.Spec{Summary: "Get who is watching a list", Guard: op.ListRead, Hints: op.ReadOnly})
	w.SetTyping = op.New(s.Limits, w.setTyping, op.ListWrite.Spec("",
		"Show or hide that you are typing in a list").Hint(op.Idempotent).Limited(limit.Signals))
	return w
}

type (
	since struct {
		LastEventID string `query:"lastEventId" json:"-" doc:"The last received event; 0 for all stored events. Also the header Last-Event-ID."`
	}
	watchIn struct {
		ListID string `path:"id" json:"-"`
		since
	}
	watchLaneIn struct {
		ConversationID string `path:"id" json:"-"`
		since
	}
)

func (w *watch) items(summary string) Endpoint {
	return w.events("WatchList", summary, op.ListRead, watchIn{}, core.ToList, "The stream ends when you lose access to the list.")
}

func (w *watch) chat() Endpoint {
	return w.events("WatchChat", "Stream your events", op.Member, since{}, core.ToUser, "The stream ends when your session or key ends.")
}

func (w *watch) lane() Endpoint {
	return w.events("WatchContext", "Stream the Context lane of a conversation", op.Member, watchLaneIn{}, core.ToLane,
		"The stream ends when your session or key ends. Nothing of it is in your own events.")
}

func (w *watch) events(name, summary string, guard op.Guard, in any, scope core.Scope, rest string) Endpoint {
	serve := func(rw http.ResponseWriter, r *http.Request, v store.Viewer) {
		var err error
		if scope == core.ToLane {
			err = w.context()
		}
		var sub *live.Subscription
		if err == nil {
			sub, err = w.hub.Subscribe(r.Context(), v, scope, r.PathValue("id"))
		}
		if err != nil {
			middleware.FailJSON(rw, err)
			return
		}
		w.hub.Serve(rw, r, sub)
	}
	return newStream(serve, name, op.Spec{Summary: summary, Guard: guard, Hints: op.ReadOnly},
		Response{Type: eventStream, In: in, Doc: streamDoc(Events(), scope, rest)})
}

type presenceIn struct {
	ListID string `path:"id" json:"-"`
}

func (w *watch) presence(ctx context.Context, by store.Viewer, in presenceIn) (list.Snapshot, error) {
	who, err := w.list.Watcher(ctx, by, in.ListID)
	if err != nil {
		return list.Snapshot{}, err
	}
	return w.hub.Presence(in.ListID, who), nil
}

type typingIn struct {
	ListID string  `path:"id" json:"-"`
	Typing *bool   `json:"typing" required:"true" doc:"Expires after 15 seconds. Repeat the call while typing."`
	ItemID *string `json:"itemId" format:"uuid" doc:"The item being edited, or null for a new one."`
}

// Callers without a role in the list are not shown.
func (w *watch) setTyping(ctx context.Context, by store.Viewer, in typingIn) (out list.Snapshot, err error) {
	who, err := w.list.Watcher(ctx, by, in.ListID)
	if err != nil {
		return out, err
	}
	item := ""
	if in.ItemID != nil {
		item = *in.ItemID
		if err := w.list.CheckItem(ctx, by, in.ListID, item); err != nil {
			return out, err
		}
	}
	if who.Typing {
		w.hub.SetTyping(in.ListID, who.Person(), item, *in.Typing)
	}
	return w.hub.Presence(in.ListID, who), nil
}

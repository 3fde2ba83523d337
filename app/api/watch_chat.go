package api

import (
	"net/http"

	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

type watchChatIn struct {
	LastEventID string `query:"lastEventId" json:"-" doc:"The id of the last event received, to resume after it, or 0 for all stored events. Browsers send it as the header Last-Event-ID."`
}

func (w *watch) chat() Endpoint {
	doc := streamDoc(Events(), core.ToUser, "The stream ends when your session or key ends.")
	return Stream(w.WatchChat, op.Spec{Summary: "Stream your events", Guard: op.Member, Hints: op.ReadOnly},
		Response{Type: eventStream, In: watchChatIn{}, Doc: doc})
}

func (w *watch) WatchChat(rw http.ResponseWriter, r *http.Request, v store.Viewer) {
	w.serve(rw, r, v, core.ToUser, "")
}

type watchLaneIn struct {
	ConversationID string `path:"id" json:"-"`
	LastEventID    string `query:"lastEventId" json:"-" doc:"The id of the last event received, to resume after it, or 0 for all stored events. Browsers send it as the header Last-Event-ID."`
}

func (w *watch) lane() Endpoint {
	doc := streamDoc(Events(), core.ToLane, "The stream ends when your session or key ends. Nothing of it is in your own events.")
	return Stream(w.WatchContext, op.Spec{Summary: "Stream the Context lane of a conversation", Guard: op.Member, Hints: op.ReadOnly},
		Response{Type: eventStream, In: watchLaneIn{}, Doc: doc})
}

func (w *watch) WatchContext(rw http.ResponseWriter, r *http.Request, v store.Viewer) {
	if err := w.context(); err != nil {
		Fail(rw, err)
		return
	}
	w.serve(rw, r, v, core.ToLane, r.PathValue("id"))
}

package api

import (
	"net/http"

	"hearth/app/op"
	"hearth/store"
)

// watchChatIn documents the parameters of the caller's own stream.
type watchChatIn struct {
	LastEventID string `query:"lastEventId" json:"-" doc:"The id of the last event received, to resume after it, or 0 for all stored events. Browsers send it as the header Last-Event-ID."`
}

// chat returns the endpoint that streams the caller's own events.
func (w *watch) chat() Endpoint {
	doc := streamDoc(Events(), false, "The stream ends when your session or key ends.")
	return Stream(w.WatchChat, op.Spec{Summary: "Stream your events", Guard: op.Member, Hints: op.ReadOnly}, Response{Type: eventStream, In: watchChatIn{}, Doc: doc})
}

// WatchChat streams the events that concern the caller.
func (w *watch) WatchChat(rw http.ResponseWriter, r *http.Request, v store.Viewer) {
	w.stream(rw, r, v, "")
}

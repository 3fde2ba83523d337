package api

import (
	"net/http"

	"hearth/app/core"
	"hearth/store"
)

// watchChatIn documents the parameters of the caller's own stream.
type watchChatIn struct {
	LastEventID string `query:"lastEventId" doc:"The id of the last event received, to receive what came after it, or 0 for everything stored; as the header Last-Event-ID, which browsers send by themselves."`
}

func watchChatAnswer(events []core.Event) Answer {
	return Answer{Type: eventStream, In: watchChatIn{}, Doc: streamDoc(events, false, "The stream ends when the caller's credential does.")}
}

// WatchChat streams the events of the caller's conversations and account.
func (h watch) WatchChat(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	h.serve(w, r, v, "")
}

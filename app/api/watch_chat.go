package api

import (
	"net/http"

	"hearth/app/op"
	"hearth/store"
)

// watchChatIn documents the parameters of the caller's own stream.
type watchChatIn struct {
	LastEventID string `query:"lastEventId" json:"-" doc:"The id of the last event received, to get those after it, or 0 for all that are stored. Browsers send it as the header Last-Event-ID."`
}

var watchChatAnswer = Answer{
	Type: eventStream, In: watchChatIn{},
	Doc: "`message.created`, `message.updated` and `message.deleted` with `{conversationId, message}`; `conversation.updated` with " +
		"`{conversationId, removed, conversation}`; `read.updated` with `{conversationId, lastReadAt, unreadCount}` of one's own reading; " +
		"`typing` with `{conversationId, userId, name}`; `presence` with `{user}`, somebody one shares a conversation with, or oneself, who looks different now. `id:` is an opaque word to resume after, for seven days; `resync` says that it is too old.",
}

// chat returns the endpoint that streams the caller's own events.
func (w *watch) chat() Endpoint {
	return Stream(w.WatchChat, op.Spec{Summary: "Stream your events", Guard: op.Member, Hints: op.ReadOnly}, watchChatAnswer)
}

// WatchChat streams the events that concern the caller.
func (w *watch) WatchChat(rw http.ResponseWriter, r *http.Request, v store.Viewer) {
	w.stream(rw, r, v, "")
}

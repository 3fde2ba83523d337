package api

import (
	"net/http"

	"hearth/store"
)

// watchChatIn documents the parameters of the caller's own stream.
type watchChatIn struct {
	LastEventID string `query:"lastEventId" json:"-" doc:"The id of the last event seen, to get what came after it, or 0 for all that are kept; as the header Last-Event-ID, which browsers send by themselves."`
}

var watchChatAnswer = Answer{
	Type: eventStream, In: watchChatIn{},
	Doc: "`message.created`, `message.updated` and `message.deleted` with `{conversationId, message}`; `conversation.updated` with " +
		"`{conversationId, removed, conversation}`; `read.updated` with `{conversationId, lastReadAt, unreadCount}` of one's own reading; " +
		"`typing` with `{conversationId, userId, name}`; `presence` with `{user}`, somebody one shares a conversation with, or oneself, who looks different now. `id:` is an opaque word to resume after, for seven days; `resync` says that it is too old.",
}

// WatchChat streams what the caller is told about.
func (h watch) WatchChat(w http.ResponseWriter, r *http.Request, v store.Viewer) {
	after, err := h.hub.ResumeAfter(r)
	if err != nil {
		Fail(w, err)
		return
	}
	sub, err := h.hub.Subscribe(r.Context(), v, "")
	if err != nil {
		Fail(w, err)
		return
	}
	h.hub.Serve(w, r, sub, after)
}

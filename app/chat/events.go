package chat

import (
	"hearth/app/core"
	"hearth/store"
)

const (
	messageCreated      store.EventKind = "message.created"
	messageUpdated      store.EventKind = "message.updated"
	messageDeleted      store.EventKind = "message.deleted"
	conversationUpdated store.EventKind = "conversation.updated"
	conversationLeft    store.EventKind = "conversation.left"
	readUpdated         store.EventKind = "read.updated"
	typingShown         store.EventKind = "typing"
)

// Events is the package's table of events.
func Events() []core.Event {
	return []core.Event{
		{Kind: messageCreated, Scope: core.ToConversation, Data: MessageEvent{}, Render: renderMessages, Variant: core.ByActor,
			Doc: "A message was sent."},
		{Kind: messageUpdated, Scope: core.ToConversation, Data: MessageEvent{}, Render: renderMessages, Variant: core.ByActor,
			Doc: "A message was edited."},
		{Kind: messageDeleted, Scope: core.ToConversation, Data: MessageEvent{}, Render: renderMessages, Variant: core.ByActor,
			Doc: "A message was deleted; its content is empty."},
		{Kind: conversationUpdated, Scope: core.ToConversation, Data: ConversationEvent{}, Render: renderConversations,
			Doc: "A conversation was created, or its title or participants changed."},
		{Kind: conversationLeft, Scope: core.ToUser, Name: string(conversationUpdated), Data: ConversationEvent{}, Render: renderLeft,
			Doc: "With `removed`, the caller is no longer a participant."},
		{Kind: readUpdated, Scope: core.ToUser, Data: ReadEvent{}, Render: renderReads,
			Doc: "The caller marked a conversation as read."},
		{Kind: typingShown, Ephemeral: true, Scope: core.ToConversation, Data: Typing{},
			Doc: "Another participant is typing."},
	}
}

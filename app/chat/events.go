package chat

import (
	"cmp"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

const (
	messageCreated      store.EventKind = "message.created"
	messageUpdated      store.EventKind = "message.updated"
	messageDeleted      store.EventKind = "message.deleted"
	messagesRedacted    store.EventKind = "messages.redacted"
	conversationUpdated store.EventKind = "conversation.updated"
	conversationLeft    store.EventKind = "conversation.left"
	participantUpdated  store.EventKind = "participant.updated"
	readUpdated         store.EventKind = "read.updated"
	reactionUpdated     store.EventKind = "reaction.updated"
	typingShown         store.EventKind = "typing"
	webhookUpdated      store.EventKind = "webhook.updated"
)

// Events is the package's table of events.
func Events() []core.Event {
	return []core.Event{
		{Kind: messageCreated, Scope: core.ToConversation, Data: MessageEvent{}, Render: renderMessages, Groups: byPart,
			Doc: "A message was sent."},
		{Kind: messageUpdated, Scope: core.ToConversation, Data: MessageEvent{}, Render: renderMessages, Groups: byPart,
			Doc: "A message was edited, or the card of a match lost the words of an account that was deleted."},
		{Kind: messageDeleted, Scope: core.ToConversation, Data: MessageEvent{}, Render: renderMessages, Groups: byPart,
			Doc: "A message was deleted; its content is empty."},
		{Kind: messagesRedacted, Scope: core.ToConversation, Data: RedactedEvent{}, Render: renderRedacted,
			Doc: "The account of a person was deleted: all its messages in the conversation are deleted ones now, from “Deleted account”. " +
				"Read them again."},
		{Kind: conversationUpdated, Scope: core.ToConversation, Data: ConversationEvent{}, Render: renderConversations,
			Doc: "A conversation was created, its title, its picture or the number of its participants changed, or a direct one is no longer " +
				"hidden by a block."},
		{Kind: participantUpdated, Scope: core.ToConversation, Data: ParticipantEvent{}, Render: renderParticipants, Groups: conversationGroups,
			Doc: "A participant of a group was added, has another role or, with `removed`, is none any more."},
		{Kind: conversationLeft, Scope: core.ToUser, Name: string(conversationUpdated), Data: ConversationEvent{}, Render: renderLeft,
			Effects: core.CheckUser,
			Doc:     "With `removed`, the caller is no longer a participant, or a block hides the conversation."},
		{Kind: readUpdated, Scope: core.ToUser, Data: ReadEvent{}, Render: renderReads,
			Doc: "The caller marked a conversation as read, or messages of it as unread."},
		{Kind: reactionUpdated, Scope: core.ToConversation, Data: ReactionEvent{}, Render: renderReactions, Groups: byPart,
			Doc: "The reactions to a message changed."},
		{Kind: typingShown, Ephemeral: true, Scope: core.ToConversation, Data: Typing{},
			Doc: "Another participant is typing."},
		{Kind: webhookUpdated, Scope: core.ToUser, Data: WebhookEvent{}, Render: renderWebhooks,
			Doc: "A webhook of the caller was created, changed, enabled or disabled, also because its receiver fails."},
	}
}

// MessageEvent is the data of message.created, message.updated and message.deleted: the message as it is now.
type MessageEvent struct {
	ConversationID string  `json:"conversationId"`
	Message        Message `json:"message"`
}

// Only the sender receives the sender's own address.
func renderMessages(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	m, err := ShownMessage(r, viewer, ev.ObjectID)
	return MessageEvent{m.ConversationID, m}, err
}

// ShowsMessage reports whether an event of the kind is about how one message looks.
func ShowsMessage(kind store.EventKind) bool {
	return slices.Contains([]store.EventKind{messageCreated, messageUpdated, messageDeleted, reactionUpdated}, kind)
}

// To viewers with the same part in a message it looks the same.
func byPart(r *store.Reader, ev store.Event) (func(store.Viewer) string, error) {
	parts, err := r.Parts(ev.ObjectID)
	return func(v store.Viewer) string { return parts[v.UserID] }, err
}

// RedactedEvent is the data of messages.redacted.
type RedactedEvent struct {
	ConversationID string `json:"conversationId"`
}

func renderRedacted(_ *store.Reader, _ store.Viewer, ev store.Event) (any, error) {
	return RedactedEvent{ConversationID: ev.ObjectID}, nil
}

// Ended emits the events for conversations that the deletion of an account changed.
func Ended(tx *store.Tx, what store.Ended) (err error) {
	by := store.Viewer{UserID: store.DeletedUserID}
	for _, id := range what.Messages {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: id, Kind: messagesRedacted, ObjectID: id, ActorID: by.UserID}))
	}
	for _, m := range what.Cards {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: m.ConversationID, Kind: messageUpdated, ObjectID: m.ID, ActorID: by.UserID}))
	}
	for _, m := range what.Members {
		err = cmp.Or(err, participantChanged(tx, by, m.ConversationID, m.UserID))
	}
	for _, id := range what.Left {
		err = cmp.Or(err, changed(tx, by, id))
	}
	return err
}

// ConversationEvent is the data of conversation.updated. It has nothing that differs between members.
type ConversationEvent struct {
	ConversationID string             `json:"conversationId"`
	Removed        bool               `json:"removed" doc:"The caller no longer sees the conversation, which is absent"`
	Conversation   *ConversationState `json:"conversation,omitzero"`
}

// ConversationState is the part of a Conversation that is the same for all members.
type ConversationState struct {
	ID          string     `json:"id"`
	Type        string     `json:"type" enum:"direct|group"`
	Title       *string    `json:"title"`
	AvatarURL   *string    `json:"avatarUrl"`
	ContainsBot bool       `json:"containsBot"`
	CreatedAt   store.Time `json:"createdAt"`
	UpdatedAt   store.Time `json:"updatedAt"`

	ParticipantCount int `json:"participantCount"`
}

func renderConversations(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	c, err := store.First(r.ConversationsByID(viewer, ev.ObjectID))
	return ConversationEvent{ConversationID: c.ID, Conversation: &ConversationState{
		ID: c.ID, Type: c.Type, Title: core.OrNil(c.Title), AvatarURL: core.OrNil(c.AvatarURL), ContainsBot: c.BotCount > 0,
		ParticipantCount: c.MemberCount, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}}, err
}

// ParticipantEvent is the data of participant.updated.
type ParticipantEvent struct {
	ConversationID string       `json:"conversationId"`
	UserID         string       `json:"userId"`
	Removed        bool         `json:"removed" doc:"Whether the person is no participant; then there is none here"`
	Participant    *Participant `json:"participant,omitzero" doc:"With the address masked"`
}

func renderParticipants(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	e := ParticipantEvent{ConversationID: ev.Topic, UserID: ev.ObjectID}
	m, err := r.Member(viewer, ev.Topic, ev.ObjectID)
	if e.Removed = errors.Is(err, store.ErrNoRow); e.Removed {
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	masked := newView(r, viewer)
	masked.self = ""
	people, err := store.First(masked.participants([][]store.Member{{m}}))
	if err == nil {
		e.Participant = &people[0]
	}
	return e, err
}

// A member who sees somebody's presence as offline is in a group of their own.
func conversationGroups(r *store.Reader, ev store.Event) (func(store.Viewer) string, error) {
	blocked, err := r.BlockedMembers(ev.Topic)
	return func(v store.Viewer) string {
		if slices.Contains(blocked, v.UserID) {
			return v.UserID
		}
		return ""
	}, err
}

// A person who sees the conversation again receives nothing.
func renderLeft(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	if _, err := r.ReadState(viewer, ev.ObjectID); !errors.Is(err, store.ErrNoRow) {
		return nil, err
	}
	return ConversationEvent{ConversationID: ev.ObjectID, Removed: true}, nil
}

// ReadEvent is the data of read.updated, which only the reader receives.
type ReadEvent struct {
	ConversationID string      `json:"conversationId"`
	LastReadAt     *store.Time `json:"lastReadAt"`
	UnreadCount    int         `json:"unreadCount"`
	Mentioned      bool        `json:"mentioned" doc:"Whether one of the unread messages mentions the caller"`
}

func renderReads(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	st, err := r.ReadState(viewer, ev.ObjectID)
	return ReadEvent{st.ConversationID, st.LastReadAt.Ptr(), st.Unread, st.Mentioned}, err
}

// WebhookEvent is the data of webhook.updated, which only the owner receives.
type WebhookEvent struct {
	Webhook Webhook `json:"webhook"`
}

func renderWebhooks(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	w, err := shownWebhook(r, viewer, ev.ObjectID)
	return WebhookEvent{w}, err
}

func encode(v any) ([]byte, error) { return json.Marshal(v, json.Deterministic(true)) }

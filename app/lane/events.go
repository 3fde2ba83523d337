package lane

import (
	"cmp"
	"strconv"

	"hearth/app/core"
	"hearth/store"
)

const (
	streamUpdated  store.EventKind = "stream.updated"
	thoughtUpdated store.EventKind = "thought.updated"
	contextUpdated store.EventKind = "context.updated"
	// contextRequested wakes the agents that were asked; nothing is delivered.
	contextRequested store.EventKind = "context.requested"
)

// Events is the package's table of events. Captures of messages follow the events of their messages.
func Events() []core.Event {
	return []core.Event{
		{Kind: streamUpdated, Scope: core.ToConversation, Data: StreamEvent{}, Render: renderStream,
			Doc: "An entry of the Stream was pinned, unpinned, changed or deleted, other than by an event of its message. If an account was " +
				"deleted, `entryId` is null for all of its entries."},
		{Kind: thoughtUpdated, Scope: core.ToUser, Data: ThoughtEvent{}, Render: renderThoughts, Groups: byDirect,
			Doc: "A thought of the caller was written, changed or deleted; not for keys and embedded sessions."},
		{Kind: contextUpdated, Scope: core.ToLane, Data: ContextEvent{}, Render: renderContext,
			Doc: "A post of the Context lane was made, changed or deleted, or its intention changed. If an account was deleted, `postId` is null " +
				"for all of its posts."},
		{Kind: contextRequested, Scope: core.ToUser},
	}
}

// ContextEvent is the data of context.updated.
type ContextEvent struct {
	ConversationID string  `json:"conversationId"`
	PostID         *string `json:"postId" doc:"Null if an account was deleted: any of the posts may have changed"`
}

func renderContext(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	return forMembers(r, viewer, ev, ContextEvent{ConversationID: ev.Topic, PostID: oneOf(ev)})
}

// StreamEvent is the data of stream.updated.
type StreamEvent struct {
	ConversationID string  `json:"conversationId"`
	EntryID        *string `json:"entryId" doc:"Null if an account was deleted: any of the entries may have changed"`
}

func renderStream(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	return forMembers(r, viewer, ev, StreamEvent{ConversationID: ev.Topic, EntryID: oneOf(ev)})
}

func oneOf(ev store.Event) *string {
	if ev.ObjectID == ev.Topic {
		return nil
	}
	return &ev.ObjectID
}

// Ended records what the deletion of an account changed in Context lanes and Streams.
func Ended(tx *store.Tx, what store.Ended) (err error) {
	by := store.Viewer{UserID: store.DeletedUserID}
	for _, id := range what.Posts {
		err = cmp.Or(err, contextChanged(tx, by, id, id))
	}
	for _, id := range what.Pins {
		err = cmp.Or(err, streamChanged(tx, by, id, id))
	}
	return err
}

func forMembers(r *store.Reader, viewer store.Viewer, ev store.Event, data any) (any, error) {
	_, err := r.ReadState(viewer, ev.Topic)
	return data, err
}

// ThoughtEvent is the data of thought.updated.
type ThoughtEvent struct {
	ThoughtID string `json:"thoughtId"`
}

// Private thoughts do not exist for keys and embedded sessions.
func renderThoughts(_ *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	if !viewer.Direct() || viewer.UserID != ev.Topic {
		return nil, nil
	}
	return ThoughtEvent{ThoughtID: ev.ObjectID}, nil
}

func byDirect(*store.Reader, store.Event) (func(store.Viewer) string, error) {
	return func(v store.Viewer) string { return strconv.FormatBool(v.Direct()) }, nil
}

// changed tells the account that its thought changed, and the members of the conversations that it is shared with.
func changed(tx *store.Tx, by store.Viewer, id string, shared []string) error {
	err := tx.Emit(store.Event{Topic: by.UserID, Kind: thoughtUpdated, ObjectID: id, ActorID: by.UserID})
	for _, conversationID := range shared {
		err = cmp.Or(err, streamChanged(tx, by, conversationID, id))
	}
	return err
}

func streamChanged(tx *store.Tx, by store.Viewer, conversationID, id string) error {
	return tx.Emit(store.Event{Topic: conversationID, Kind: streamUpdated, ObjectID: id, ActorID: by.UserID})
}

func contextChanged(tx *store.Tx, by store.Viewer, conversationID, id string) error {
	return tx.Emit(store.Event{Topic: conversationID, Kind: contextUpdated, ObjectID: id, ActorID: by.UserID})
}

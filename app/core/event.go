package core

import (
	"github.com/go-json-experiment/json"

	"hearth/store"
)

// Scope says what the topic of an event is, and so which streams receive it.
type Scope uint8

const (
	// ToUser: the topic is an account; its own streams receive the event.
	ToUser Scope = iota
	// ToConversation: the topic is a conversation; its members' streams receive the event.
	ToConversation
	// ToLane: the topic is a conversation; members who have its Context lane open receive the event on a separate
	// stream.
	ToLane
	// ToList: the topic is a list; its streams receive the event.
	ToList
)

// Effect is a set of effects of an event on open streams, besides its delivery.
type Effect uint8

const (
	// CheckUser ends the topic account's streams that are no longer permitted: an invalid session or key, or a list
	// or Context lane it may not see. It also updates the account's name for others on the same lists.
	CheckUser Effect = 1 << iota
	// CheckList ends the topic list's streams for viewers who may no longer see it. It updates the names of the
	// others.
	CheckList
	// EndList ends the topic list's streams after they received the event.
	EndList
	// EndTyping ends the typing notice of the topic account in lists.
	EndTyping
)

// RenderFunc returns the data of ev for viewer, to be sent as JSON. It returns nil or store.ErrNoRow to deliver nothing.
// viewer represents everybody of the same group. After another error the streams end, and their clients read the event
// from the log when they reconnect.
type RenderFunc func(r *store.Reader, viewer store.Viewer, ev store.Event) (data any, err error)

// Event declares a kind of event. Each domain package has a table of events; live streams, their documentation and
// webhooks are derived from it.
type Event struct {
	Kind store.EventKind
	// Ephemeral events are published to connected clients and not stored. Others are emitted in a write and stay in
	// the log.
	Ephemeral bool
	Scope     Scope
	Name      string // name for clients; "" means Kind
	Doc       string // when it is sent, for the reference
	Data      any    // zero value of the data; nil if nothing is delivered
	// Render is set for stored events that are delivered.
	Render RenderFunc
	// Groups returns a function that groups the viewers of an event: a group receives the same bytes, rendered once.
	// Nil means a single group.
	Groups  func(r *store.Reader, ev store.Event) (func(viewer store.Viewer) string, error)
	Effects Effect
	// Presence marks the ephemeral kind that the hub publishes for the viewers of a list.
	Presence bool
}

// ClientName returns the name of the event for clients.
func (e Event) ClientName() string {
	if e.Name != "" {
		return e.Name
	}
	return string(e.Kind)
}

// JSON returns the data of ev that viewer receives, or nil for nothing.
func (e Event) JSON(r *store.Reader, viewer store.Viewer, ev store.Event) ([]byte, error) {
	data, err := e.Render(r, viewer, ev)
	if err != nil || data == nil {
		return nil, store.Optional(err)
	}
	return json.Marshal(data, json.Deterministic(true))
}

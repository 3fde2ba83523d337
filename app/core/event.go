package core

import (
	"github.com/go-json-experiment/json"

	"hearth/store"
)

// Scope is what the topic of a kind of event is, which determines the streams
// that receive it.
type Scope uint8

const (
	// ToUser: the topic is an account, whose own streams receive the event.
	ToUser Scope = iota
	// ToConversation: the topic is a conversation, whose members' streams
	// receive the event.
	ToConversation
	// ToLane: the topic is a conversation; those of its members who have its
	// Context lane open receive the event on a stream of their own.
	ToLane
	// ToList: the topic is a list, whose streams receive the event.
	ToList
)

// Effect is a set of effects of an event on open streams, apart from its
// delivery.
type Effect uint8

const (
	// CheckUser ends the streams of the account that is the topic whose session or
	// key is no longer valid, or which may no longer see the list or the Context lane,
	// and updates its name for those who watch the same lists.
	CheckUser Effect = 1 << iota
	// CheckList ends the streams of the list that is the topic whose viewers
	// may no longer see it, and updates the names of the others.
	CheckList
	// EndList ends the streams of the list that is the topic after they received
	// the event.
	EndList
	// EndTyping ends what the account that is the topic is shown as typing in lists.
	EndTyping
)

// RenderFunc returns what viewer receives of ev, to be sent as JSON, or nil if nothing is
// to be delivered, for example because viewer may not see the object. viewer represents
// everybody of the same group. After an error the streams concerned end, and their
// clients read the event from the log when they reconnect.
type RenderFunc func(r *store.Reader, viewer store.Viewer, ev store.Event) (data any, err error)

// Event declares a kind of event. Each domain package has one table of them,
// from which live streams, their documentation and webhooks are derived.
type Event struct {
	Kind store.EventKind
	// Ephemeral events are published to connected clients and not stored. The
	// others are emitted in a write and stay in the log.
	Ephemeral bool
	Scope     Scope
	Name      string // name for clients; "" means Kind
	Doc       string // when it is sent, for the reference
	Data      any    // zero value of the data; nil if nothing is delivered
	// Render is set for stored events that are delivered.
	Render RenderFunc
	// Groups returns the function that groups the viewers of one event: all of a group
	// receive the same bytes, which are rendered once. Nil means a single group.
	Groups  func(r *store.Reader, ev store.Event) (func(viewer store.Viewer) string, error)
	Effects Effect
	// Presence marks the ephemeral kind with which the hub publishes who watches
	// a list.
	Presence bool
}

// ClientName returns the name of the event for clients.
func (e Event) ClientName() string {
	if e.Name != "" {
		return e.Name
	}
	return string(e.Kind)
}

// JSON returns the data of ev, of the kind of e, that viewer receives; nil for nothing.
func (e Event) JSON(r *store.Reader, viewer store.Viewer, ev store.Event) ([]byte, error) {
	data, err := e.Render(r, viewer, ev)
	if err != nil || data == nil {
		return nil, err
	}
	return json.Marshal(data, json.Deterministic(true))
}

// ByActor is the Groups of events that differ for the account that caused them, such as
// a message, which shows its sender their own address.
func ByActor(_ *store.Reader, ev store.Event) (func(viewer store.Viewer) string, error) {
	return func(v store.Viewer) string {
		if v.UserID != "" && v.UserID == ev.ActorID {
			return "actor"
		}
		return ""
	}, nil
}

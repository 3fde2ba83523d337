package core

import "hearth/store"

// Scope says what the topic of a kind of event is, and so which streams
// receive it.
type Scope uint8

const (
	// ToUser: the topic is an account, whose own feeds receive the event.
	ToUser Scope = iota
	// ToConversation: the topic is a conversation, whose members' feeds
	// receive the event.
	ToConversation
	// ToList: the topic is a list, whose streams receive the event.
	ToList
)

// Effect is a set of what a kind of event does to open streams, apart from
// being delivered.
type Effect uint8

const (
	// CheckCredentials ends the streams of the account that is the topic
	// whose session or key is no longer valid.
	CheckCredentials Effect = 1 << iota
	// CheckList ends the streams of the list that is the topic whose viewers
	// may no longer see it, and updates the names of the others.
	CheckList
	// CheckNames updates under which name the account that is the topic is
	// shown to those who watch the same lists.
	CheckNames
	// EndList ends the streams of the list that is the topic once they have
	// received the event.
	EndList
)

// RenderFunc returns, for each of evs, the JSON that viewer receives for it:
// nil where there is nothing to deliver, for example because viewer may not
// see the object (any longer). It reads through visible queries, all of one
// state, and a fixed number of them however long evs is. viewer stands for
// everybody of the same variant. With an error the streams concerned end, and
// read the events from the log when their clients reconnect.
type RenderFunc func(r *store.Reader, viewer store.Viewer, evs []store.Event) ([][]byte, error)

// Event declares a kind of event. Each domain package has one table of them;
// live streams, their documentation and webhooks are made from these tables.
type Event struct {
	Kind store.EventKind
	// Ephemeral events are published to those who are connected and never
	// stored; the others are emitted in a write and stay in the log.
	Ephemeral bool
	Scope     Scope
	Name      string // under which clients receive it; "" means Kind
	Doc       string // a sentence for the reference: when it is sent
	Data      any    // the zero value of what clients receive; nil if nothing is delivered
	// Render is set for stored events that are delivered.
	Render RenderFunc
	// Variant names the group of viewers that a viewer belongs to: all of one
	// group receive the same bytes, rendered once. Nil means a single group.
	Variant func(ev store.Event, viewer store.Viewer) string
	Effects Effect
	// Presence marks the ephemeral kind by which the hub itself publishes who
	// watches a list.
	Presence bool
}

// ClientName returns the name under which clients receive the event.
func (e Event) ClientName() string {
	if e.Name != "" {
		return e.Name
	}
	return string(e.Kind)
}

// ByActor is the Variant of events that look different to those who caused
// them, such as a message that shows its sender their own address.
func ByActor(ev store.Event, v store.Viewer) string {
	if v.UserID != "" && v.UserID == ev.ActorID {
		return "actor"
	}
	return ""
}

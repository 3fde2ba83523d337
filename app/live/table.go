package live

import (
	"fmt"

	"hearth/app/core"
	"hearth/store"
)

// Resync is the name of the one event that is not of a table: the position
// that a client resumes from is no longer in the log, so it has to load what
// it shows again.
const Resync = "resync"

// rights are the effects that have to be applied before anything is delivered.
const rights = core.CheckUser | core.CheckList

// table is the declared events.
type table struct {
	byKind   map[store.EventKind]core.Event
	checks   []store.EventKind // those with an effect among rights
	presence string            // under which name who watches a list is published
}

func newTable(events []core.Event) (table, error) {
	t := table{byKind: make(map[store.EventKind]core.Event, len(events))}
	for _, e := range events {
		if _, twice := t.byKind[e.Kind]; twice {
			return t, fmt.Errorf("live: the event %s is declared twice", e.Kind)
		}
		if (e.Render != nil) != (e.Data != nil && !e.Ephemeral) {
			return t, fmt.Errorf("live: the event %s must have a Render function if and only if it is stored and has data", e.Kind)
		}
		t.byKind[e.Kind] = e
		if e.Effects&rights != 0 {
			t.checks = append(t.checks, e.Kind)
		}
		if e.Presence {
			t.presence = e.ClientName()
		}
	}
	return t, nil
}

// ephemeral returns the event of the kind; an error if it is not one that is
// published to this scope.
func (t *table) ephemeral(kind store.EventKind, scope core.Scope) (core.Event, error) {
	e, ok := t.byKind[kind]
	if !ok || !e.Ephemeral || e.Scope != scope {
		return e, fmt.Errorf("live: no ephemeral event %q is declared for this scope", kind)
	}
	return e, nil
}

package people

import (
	"hearth/app/core"
	"hearth/store"
)

const blockChanged store.EventKind = "block.changed"

// Events is the package's table of events.
func Events() []core.Event {
	return []core.Event{
		{Kind: blockChanged, Scope: core.ToUser, Effects: core.CheckNames},
	}
}

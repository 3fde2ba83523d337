package account

import (
	"hearth/app/core"
	"hearth/store"
)

const (
	authChanged     store.EventKind = "auth.changed"
	userUpdated     store.EventKind = "user.updated"
	presenceChanged store.EventKind = "presence"
)

// Events is the package's table of events.
func Events() []core.Event {
	return []core.Event{
		{Kind: authChanged, Scope: core.ToUser, Effects: core.CheckUser | core.EndTyping},
		{Kind: userUpdated, Scope: core.ToUser, Effects: core.CheckUser | core.EndTyping},
		{Kind: presenceChanged, Ephemeral: true, Scope: core.ToUser, Data: PresenceEvent{},
			Doc: "The profile or presence of the caller, or of a person who shares a conversation with the caller, changed."},
	}
}

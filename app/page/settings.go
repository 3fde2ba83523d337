package page

import "hearth/store"

type settingsView struct {
	Frame
	Tab        string
	Email      string
	Form       Form
	StatusForm Form
}

type sessionView struct {
	ID, Device            string
	CreatedAt, LastSeenAt store.Time
	Current               bool
}

type sessionsView struct {
	Frame
	Tab      string
	Sessions []sessionView
}

type keyView struct {
	ID, Name, Prefix, AgentName string
	Scopes                      []string
	CreatedAt                   store.Time
	LastUsedAt, ExpiresAt       store.Time
	Ended                       string // "revoked" or "expired"
	CanEdit                     bool
	Form                        Form
}

// secretView is a key just made: the only time it is shown.
type secretView struct{ Name, Secret string }

type keysView struct {
	Frame
	Tab     string
	Keys    []keyView
	Form    Form
	Created *secretView
}

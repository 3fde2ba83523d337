package store

import "cmp"

// Kind is how a caller is authenticated.
type Kind uint8

const (
	// Anonymous has no credential.
	Anonymous Kind = iota
	// Human is a person in a session or with a user JWT.
	Human
	// Embedded is a person in another site's page, with a short-lived JWT that
	// may do what an agent key may.
	Embedded
	// Agent is an agent key (oc_) acting as its owner within its scopes.
	Agent
	// ListKey is a personal key (cl_): reads the list service as its owner.
	ListKey
	// PublicKey is the published key every agent may use: reads public lists
	// and adds to open ones.
	PublicKey
	// Bridge is the trusted peer service, which has no account.
	Bridge
	// Operator is a command on the server. It has no account: access to the
	// database file is its permission to administer.
	Operator
)

func (k Kind) String() string {
	return [...]string{"anonymous", "human", "embedded", "agent", "listkey", "publickey", "bridge", "operator"}[k]
}

// Viewer is the caller on whose behalf something is read or done. Every query
// on behalf of a caller takes one. The zero Viewer is Anonymous.
type Viewer struct {
	Kind      Kind
	UserID    string // "" unless the caller acts as an account
	Name      string // the account's name when the caller was identified
	Email     string // and its e-mail address
	KeyID     string // the key's id, for Agent and ListKey
	AgentName string // what the key calls its agent, for Agent
	OwnerID   string // of the bot that the account is; "" for a person
	CanRead   bool   // scopes; a person has both
	CanWrite  bool
	SessionID string // the session or token the call came with, for Human and Embedded
	Admin     bool
	Until     Time   // when the credential expires; 0 is never
	Device    string // the caller's user agent, for the list of sessions
	IP        string // the client's address, for quotas; never stored with content

	// Generation is one more than the generation of the UserCache that the viewer was
	// read for, and 0 for a viewer that was not read.
	Generation uint64
}

// SignedIn reports whether the caller acts as an account.
func (v Viewer) SignedIn() bool { return v.UserID != "" }

// PersonID returns the id of the person who stands for the caller: the owner of a bot.
func (v Viewer) PersonID() string { return cmp.Or(v.OwnerID, v.UserID) }

// CountsUnder returns under what the requests of v count where one of many may not take
// all places: their network, and the person if they have an account.
func (v Viewer) CountsUnder() []string {
	if !v.SignedIn() {
		return []string{v.IP}
	}
	return []string{v.IP, v.PersonID()}
}

// ActsForPerson reports whether the caller is a key of a person, and not of a bot.
func (v Viewer) ActsForPerson() bool {
	return (v.Kind == Agent || v.Kind == ListKey) && v.OwnerID == ""
}

// Direct reports whether the caller is a person in their own session, as only
// that may see private entries and manage keys.
func (v Viewer) Direct() bool { return v.Kind == Human }

// operatorID stands for the account of a command on the server. No account has
// it: the ids of accounts are UUIDs.
const operatorID = "operator"

// adminID returns the id of the account whose rights as an administrator count:
// "" for a caller who cannot be one.
func (v Viewer) adminID() string {
	switch v.Kind {
	case Human:
		return v.UserID
	case Operator:
		return operatorID
	}
	return ""
}

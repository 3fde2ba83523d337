package op

import (
	"hearth/app/core"
	"hearth/store"
)

// Guard says who may call an operation at all. What they may see and do with it is decided by the operation. The zero
// Guard admits no one and is refused by New.
type Guard uint8

const (
	closed Guard = iota

	// Public admits anyone. A credential that is not valid counts as none.
	Public
	// Member admits a person (embedded sessions too) or an agent key with the scope the operation needs: read for
	// ReadOnly ones, write for the rest (missing_scope). List keys and the public key are no credentials here.
	Member
	// HumanOnly admits a person in a session or with a token of their own. Embedded sessions and agent keys are refused
	// with human_only.
	HumanOnly
	// ListRead admits anyone; an agent key needs the scope read. List keys read as their owner, the public key as an
	// anonymous caller.
	ListRead
	// ListOwnRead admits a person, an agent key with read, or a list key: for what belongs to the caller. The public key
	// is refused with public_key.
	ListOwnRead
	// ListWrite admits a person or an agent key with write. A list key is refused with read_only_key, the public key with
	// public_key.
	ListWrite
	// ListAdd is ListWrite and admits the public key, which the operation then restricts to open lists.
	ListAdd
	// ListToolWrite is ListWrite and admits list keys: for the tools of agents, where a personal key writes as its owner.
	ListToolWrite
	// AdminOnly admits administrators in a session or with a token of their own, and commands on the server. Other people
	// are refused with admin_only, embedded sessions and agent keys with human_only.
	AdminOnly
	// Bridge admits the peer service with the shared secret.
	Bridge
)

var guards = [...]struct{ name, who string }{
	closed:        {"closed", "Nobody."},
	Public:        {"public", "Anyone."},
	Member:        {"member", "A signed-in person, or an agent key (`oc_`) with the scope."},
	HumanOnly:     {"human only", "Only a person in a session of their own; keys and embedded sessions get 403."},
	ListRead:      {"list read", "Anyone; a credential adds what its owner may see."},
	ListOwnRead:   {"list own read", "A signed-in person, an agent key (`oc_`) with the scope read, or a personal key (`cl_`)."},
	ListWrite:     {"list write", "A signed-in person, or an agent key (`oc_`) with the scope write."},
	ListAdd:       {"list add", "A signed-in person, an agent key (`oc_`) with the scope write, or the public agent key on open lists."},
	ListToolWrite: {"list tool write", "A signed-in person, an agent key (`oc_`) with the scope write, or a personal key (`cl_`)."},
	AdminOnly:     {"administrator", "An administrator in a session of their own; everybody else gets 403."},
	Bridge:        {"bridge", "The peer service, with the shared secret as bearer token."},
}

// String returns the guard's name in lower case: "list own read".
func (g Guard) String() string { return guards[g].name }

// Who says in a sentence who is admitted, for the reference.
func (g Guard) Who() string { return guards[g].who }

// Open reports whether the guard admits a caller without a credential.
func (g Guard) Open() bool { return g == Public || g == ListRead }

// Check returns nil if v may call an operation with the hints h behind g, and otherwise an Unauthenticated or Forbidden
// error.
func (g Guard) Check(v store.Viewer, h Hints) error {
	switch {
	case g == Public, g == ListRead && v.Kind == store.Anonymous, g == AdminOnly && v.Kind == store.Operator,
		g == Bridge && v.Kind == store.Bridge:
		return nil
	case g == closed, g == Bridge:
		return core.ErrUnauthenticated
	}
	switch v.Kind {
	case store.Human:
		if g == AdminOnly && !v.Admin {
			return core.ErrAdminOnly
		}
		return nil
	case store.Embedded, store.Agent: // they act in a person's place
		switch {
		case g == HumanOnly, g == AdminOnly:
			return core.ErrHumanOnly
		case v.Kind == store.Agent && h.Has(ReadOnly):
			return CheckRead(v)
		case v.Kind == store.Agent && !v.CanWrite:
			return errMissingScope("write")
		}
		return nil
	case store.ListKey:
		switch g {
		case ListRead, ListOwnRead, ListToolWrite:
			return nil
		case ListWrite, ListAdd:
			return core.New(core.Forbidden, "read_only_key",
				"Personal keys (cl_) only read over this API, and write with the tools at /mcp. Use an agent key (oc_) with the scope write here, or "+
					"sign in.")
		}
	case store.PublicKey:
		switch g {
		case ListRead, ListAdd:
			return nil
		case ListOwnRead, ListWrite, ListToolWrite:
			return core.ErrPublicKey
		}
	}
	return core.ErrUnauthenticated
}

// CheckRead returns an error for a key without the scope read. A write calls it that sends content to the caller later.
func CheckRead(by store.Viewer) error {
	if withoutRead(by) {
		return errMissingScope("read")
	}
	return nil
}

// withoutRead reports whether by is a key that may write and not read.
func withoutRead(by store.Viewer) bool { return by.Kind == store.Agent && !by.CanRead }

func errMissingScope(scope string) error {
	return core.New(core.Forbidden, "missing_scope", "This key does not have the scope %s. Add the scope to it, or use another key.", scope)
}

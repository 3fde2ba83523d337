package op

import (
	"hearth/app/core"
	"hearth/store"
)

// Guard says who may call an operation at all. What they may see and do with
// it is decided by the operation. The zero Guard admits no one and is refused
// by New.
type Guard uint8

const (
	closed Guard = iota

	// Public admits anyone. A credential that is not valid counts as none.
	Public
	// Member admits a person (embedded sessions too) or an agent key with the
	// scope the operation needs: read for ReadOnly ones, write for the rest
	// (missing_scope). List keys and the public key are no credentials here.
	Member
	// HumanOnly admits a person in a session or with a token of their own.
	// Embedded sessions and agent keys are refused with human_only.
	HumanOnly
	// ListRead admits anyone; an agent key needs the scope read. List keys
	// read as their owner, the public key as an anonymous caller.
	ListRead
	// ListOwnRead admits a person, an agent key with read, or a list key: for
	// what belongs to the caller. The public key is refused with public_key.
	ListOwnRead
	// ListWrite admits a person or an agent key with write. A list key is
	// refused with read_only_key, the public key with public_key.
	ListWrite
	// ListAdd is ListWrite and admits the public key, which the operation then
	// restricts to open lists.
	ListAdd
	// ListToolWrite is ListWrite and admits list keys: for the tools of agents,
	// where a personal key writes as its owner.
	ListToolWrite
	// AdminOnly admits administrators in a session or with a token of their own,
	// and commands on the server. Other people are refused with admin_only,
	// embedded sessions and agent keys with human_only.
	AdminOnly
	// Bridge admits the peer service with the shared secret.
	Bridge
)

// String returns the guard's name in lower case: "list own read".
func (g Guard) String() string {
	return [...]string{
		closed: "closed", Public: "public", Member: "member", HumanOnly: "human only", ListRead: "list read",
		ListOwnRead: "list own read", ListWrite: "list write", ListAdd: "list add", ListToolWrite: "list tool write", AdminOnly: "administrator",
		Bridge: "bridge",
	}[g]
}

// Who says in a sentence who is admitted, for the reference.
func (g Guard) Who() string {
	return [...]string{
		closed:        "Nobody.",
		Public:        "Anyone.",
		Member:        "A signed-in person, or an agent key (`oc_`) with the scope.",
		HumanOnly:     "Only a person in a session of their own; keys and embedded sessions get 403.",
		ListRead:      "Anyone; a credential adds what its owner may see.",
		ListOwnRead:   "A signed-in person, an agent key (`oc_`) with the scope read, or a personal key (`cl_`).",
		ListWrite:     "A signed-in person, or an agent key (`oc_`) with the scope write.",
		ListAdd:       "A signed-in person, an agent key (`oc_`) with the scope write, or the public agent key on open lists.",
		ListToolWrite: "A signed-in person, an agent key (`oc_`) with the scope write, or a personal key (`cl_`).",
		AdminOnly:     "An administrator in a session of their own; everybody else gets 403.",
		Bridge:        "The peer service, with the shared secret as bearer token.",
	}[g]
}

// Open reports whether the guard admits a caller without a credential.
func (g Guard) Open() bool { return g == Public || g == ListRead }

// Check returns nil if v may call an operation with the hints h behind g, and
// otherwise an Unauthenticated or Forbidden error.
func (g Guard) Check(v store.Viewer, h Hints) error {
	if g == Public {
		return nil
	}
	switch v.Kind {
	case store.Human:
		switch {
		case g == AdminOnly && !v.Admin:
			return core.ErrAdminOnly
		case g != Bridge && g != closed:
			return nil
		}
	case store.Embedded, store.Agent:
		return g.checkDelegate(v, h)
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
	case store.Anonymous:
		if g == ListRead {
			return nil
		}
	case store.Bridge:
		if g == Bridge {
			return nil
		}
	case store.Operator:
		if g == AdminOnly {
			return nil
		}
	}
	return core.ErrUnauthenticated
}

// checkDelegate is Check for those who act in a person's place.
func (g Guard) checkDelegate(v store.Viewer, h Hints) error {
	switch g {
	case closed, Bridge:
		return core.ErrUnauthenticated
	case HumanOnly, AdminOnly:
		return core.ErrHumanOnly
	}
	scope, has := "write", v.CanWrite
	if h.Has(ReadOnly) {
		scope, has = "read", v.CanRead
	}
	if v.Kind == store.Agent && !has {
		return errMissingScope(scope)
	}
	return nil
}

func errMissingScope(scope string) error {
	return core.New(core.Forbidden, "missing_scope", "This key does not have the scope %s. Add the scope to it, or use another key.", scope)
}

package api

import (
	"net/http"

	"hearth/app/core"
	"hearth/store"
)

// Guard says who may call a route at all. What they may see and do there is
// the operation's matter. The zero Guard lets nobody in, and a table that has
// one is refused at start.
type Guard uint8

const (
	closed Guard = iota

	// Public: anyone. A credential that is shown and not valid is as none.
	Public
	// Member: a person (embedded ones too) or an agent key, which needs the
	// scope read for GET and HEAD and write for the rest (403 missing_scope).
	// List keys and the public key are no credentials here: 401.
	Member
	// HumanOnly: a person in a session or with a token of their own. An
	// embedded session and an agent key: 403 human_only; all others 401.
	HumanOnly
	// ListRead: anyone; an agent key needs the scope read. List keys read as
	// their owner, the public key as nobody.
	ListRead
	// ListOwnRead: a person, an agent key with read, or a list key: reads what
	// belongs to the caller. The public key: 403 public_key; nobody: 401.
	ListOwnRead
	// ListWrite: a person or an agent key with write. A list key: 403
	// read_only_key; the public key: 403 public_key; nobody: 401.
	ListWrite
	// ListAdd: as ListWrite, and the public key, which the operation then holds
	// to open lists.
	ListAdd
	// Bridge: the peer service with the shared secret. The order of answers is
	// 503 not configured, 401 wrong, and only then what is wrong with the body.
	Bridge
)

// who says in a sentence who passes, for the reference.
func (g Guard) who() string {
	return [...]string{
		closed:      "Nobody.",
		Public:      "Anyone.",
		Member:      "Signed in as a person, or with an agent key (`oc_`) that has the scope.",
		HumanOnly:   "Only a person in a session of their own; keys and embedded sessions get 403.",
		ListRead:    "Anyone; with a credential, what it may see.",
		ListOwnRead: "Signed in as a person, with an agent key (`oc_`) that has read, or with a personal key (`cl_`).",
		ListWrite:   "Signed in as a person, or with an agent key (`oc_`) that has write.",
		ListAdd:     "Signed in as a person, with an agent key (`oc_`) that has write, or with the public agent key on open lists.",
		Bridge:      "The peer service, with the shared secret as bearer.",
	}[g]
}

// String returns the name of the guard as the table has it, in small letters.
func (g Guard) String() string {
	return [...]string{
		closed: "closed", Public: "public", Member: "member", HumanOnly: "human only", ListRead: "list read",
		ListOwnRead: "list own read", ListWrite: "list write", ListAdd: "list add", Bridge: "bridge",
	}[g]
}

// open tells whether the guard lets a caller without any credential pass.
func (g Guard) open() bool { return g == Public || g == ListRead }

// Check returns nil if v may call a route of method behind g, and else the
// answer.
func (g Guard) Check(v store.Viewer, method string) error {
	if g == Public {
		return nil
	}
	switch v.Kind {
	case store.Human:
		if g != Bridge && g != closed {
			return nil
		}
	case store.Embedded, store.Agent:
		return g.checkDelegate(v, method)
	case store.ListKey:
		switch g {
		case ListRead, ListOwnRead:
			return nil
		case ListWrite, ListAdd:
			return core.New(core.Forbidden, "read_only_key", "Personal keys (cl_) only read. Use an agent key (oc_) with the scope write, or sign in.")
		}
	case store.PublicKey:
		switch g {
		case ListRead, ListAdd:
			return nil
		case ListOwnRead, ListWrite:
			return core.New(core.Forbidden, "public_key", "The public agent key only reads public lists and adds to open ones. Use a key of your own, or sign in.")
		}
	case store.Nobody:
		if g == ListRead {
			return nil
		}
	case store.Bridge:
		if g == Bridge {
			return nil
		}
	}
	return core.ErrUnauthenticated
}

// checkDelegate is Check for those who act in a person's place.
func (g Guard) checkDelegate(v store.Viewer, method string) error {
	switch g {
	case closed, Bridge:
		return core.ErrUnauthenticated
	case HumanOnly:
		return core.ErrHumanOnly
	}
	scope, has := "write", v.CanWrite
	if g == ListRead || g == ListOwnRead || g == Member && safe(method) {
		scope, has = "read", v.CanRead
	}
	if v.Kind == store.Agent && !has {
		return core.New(core.Forbidden, "missing_scope", "This key does not have the scope %s. Give it that scope, or use another key.", scope)
	}
	return nil
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

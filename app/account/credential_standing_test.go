package account

import (
	"testing"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A viewer is still valid with the account, the kind and at most the rights of the
// session or key that it was authenticated with.
func TestStandingOfViewer(t *testing.T) {
	h := open(t)
	if err := h.Promote(t.Context(), "ben@example.org"); err != nil {
		t.Fatal(err)
	}
	ada, ben := h.as("ada@example.org"), h.as("ben@example.org")
	key := func(scope string) store.Viewer {
		t.Helper()
		made, err := h.CreateAgentKey.Call(t.Context(), ada, CreateAgentKeyIn{Name: "k", Scopes: []string{scope}})
		if err != nil {
			t.Fatal(err)
		}
		v, err := h.bearer(made.Key)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	reader, writer := key("read"), key("write")
	for name, tc := range map[string]struct {
		by     store.Viewer
		change func(v *store.Viewer)
		ok     bool
	}{
		"a session":                {ada, func(*store.Viewer) {}, true},
		"an administrator":         {ben, func(*store.Viewer) {}, true},
		"a key that reads":         {reader, func(*store.Viewer) {}, true},
		"a key that writes":        {writer, func(*store.Viewer) {}, true},
		"with fewer rights":        {ben, func(v *store.Viewer) { v.Admin, v.CanRead, v.CanWrite = false, false, false }, true},
		"neither session nor key":  {storetest.Human(h.cast.Ada), func(*store.Viewer) {}, true},
		"of another account":       {ada, func(v *store.Viewer) { v.UserID = ben.UserID }, false},
		"of another kind":          {ada, func(v *store.Viewer) { v.Kind = store.Embedded }, false},
		"as administrator":         {ada, func(v *store.Viewer) { v.Admin = true }, false},
		"a key that may not write": {reader, func(v *store.Viewer) { v.CanWrite = true }, false},
		"a key that may not read":  {writer, func(v *store.Viewer) { v.CanRead = true }, false},
	} {
		tc.change(&tc.by)
		if err := h.stillValid(t.Context(), tc.by); tc.ok != (err == nil) || !tc.ok && !core.IsKind(err, core.Unauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A request whose session ends before its operation begins is refused, and counts as one
// without a session where none is needed.
func TestOperationAfterTheSessionEnds(t *testing.T) {
	h := open(t)
	ada := h.as("ada@example.org")
	if _, err := h.GetMe.Call(t.Context(), ada, core.None{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.EndAllSessions.Call(t.Context(), ada, core.None{}); err != nil {
		t.Fatal(err)
	}
	_, err := h.GetMe.Call(t.Context(), ada, core.None{})
	wantCode(t, "reading", err, "unauthenticated")
	_, err = h.UpdateMe.Call(t.Context(), ada, UpdateMeIn{Name: core.Some("Other")})
	wantCode(t, "writing", err, "unauthenticated")
	if name := h.user("ada@example.org").Name; name != "Ada" {
		t.Errorf("the name is now %q", name)
	}
	if out, err := h.GetSession.Call(t.Context(), ada, core.None{}); err != nil || out.User != nil {
		t.Errorf("the session is %+v, %v", out, err)
	}
}

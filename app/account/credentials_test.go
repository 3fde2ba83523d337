package account

import (
	"context"
	"crypto/sha256"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func TestCredentialsCache(t *testing.T) {
	h := open(t)
	key := credentialKey{hash: sha256.Sum256([]byte("k"))}
	ada := store.Viewer{Kind: store.Human, UserID: "ada", Until: h.db.Now().Add(time.Hour)}
	reads := func(key credentialKey) (n int) {
		v, err := h.identified(key, func() (store.Viewer, error) { n++; return ada, nil })
		if v.Generation = 0; v != ada || err != nil {
			t.Errorf("%+v, %v", v, err)
		}
		return n
	}
	if reads(key) != 1 || reads(key) != 0 {
		t.Error("not read once")
	}
	if reads(credentialKey{cookie: true, hash: key.hash}) != 1 {
		t.Error("a token is accepted as a cookie")
	}
	h.db.Clock.Advance(time.Hour)
	if reads(key) != 1 {
		t.Error("valid after its expiry")
	}
	refused := credentialKey{hash: sha256.Sum256([]byte("refused"))}
	for range 2 {
		if _, err := h.identified(refused, func() (store.Viewer, error) { return ada, core.ErrUnauthenticated }); err == nil {
			t.Error("a refused credential is cached")
		}
	}
}

// No request that starts after a revocation has returned succeeds.
func TestRevokeDuringRequests(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := storetest.Human(h.cast.Ada)
	for range 20 {
		made, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
		if err != nil {
			t.Fatal(err)
		}
		var revoked atomic.Bool
		var wg sync.WaitGroup
		started := make(chan struct{}, 8)
		for range 8 {
			wg.Go(func() {
				for i := 0; ; i++ {
					over := revoked.Load() // before the request
					_, err := h.bearer(made.Key)
					if i == 0 {
						started <- struct{}{}
					}
					if over {
						if err == nil {
							t.Error("a request that started after the revocation succeeded")
						}
						return
					}
				}
			})
		}
		<-started
		if _, err := h.RevokeAgentKey.Call(ctx, ada, KeyIn{ID: made.ID}); err != nil {
			t.Fatal(err)
		}
		revoked.Store(true)
		wg.Wait()
	}
}

// Changes by another process invalidate the cache, too.
func TestCredentialsChangedByOtherProcess(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	made, err := h.CreateAgentKey.Call(ctx, storetest.Human(h.cast.Ada), CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.bearer(made.Key); err != nil {
		t.Fatal(err)
	}
	changed := make(chan struct{}, 100)
	h.db.OnCredentials(func(ids []string) {
		h.credentials.Invalidate(ids)
		if ids == nil {
			changed <- struct{}{}
		}
	})
	beside, err := store.Open(ctx, h.db.Path(), store.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	err = beside.Write(ctx, func(tx *store.Tx) error { return tx.RevokeKeys(h.cast.Ada.ID) })
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.After(10 * time.Second) // it takes a quarter of a second
	for {
		select {
		case <-changed:
			if _, err := h.bearer(made.Key); err != nil {
				return
			}
		case <-deadline:
			t.Fatal("the key still works")
		}
	}
}

// A cookie is read up to exactly the longest length.
func TestCookieIsReadUpToItsLength(t *testing.T) {
	h := open(t)
	for length, want := range map[int]int{43: 43, 127: 127, 128: 128, 129: 0} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Cookie", "hearth="+strings.Repeat("A", length))
		if got := h.cookieToken(r); got != strings.Repeat("A", want) {
			t.Errorf("of %d bytes, %d are read", length, len(got))
		}
	}
}

// An account has exactly 200 sessions: a further one ends the oldest, with an event for
// its streams, and no other.
func TestExactlyTheOldestSessionEnds(t *testing.T) {
	t.Parallel()
	h := open(t)
	var ids []string
	for n := range 201 {
		err := h.db.Write(t.Context(), func(tx *store.Tx) error {
			row, err := addToken(tx, h.cast.Ada, "token", "", tokenLife)
			ids = append(ids[:n], row.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.db.Clock.Advance(time.Second)
	}
	ended := 0
	for n, id := range ids {
		v := store.Viewer{Kind: store.Human, UserID: h.cast.Ada.ID, SessionID: id, CanRead: true, CanWrite: true}
		if n == 0 {
			wantCode(t, "the oldest", h.recheck(v), "unauthenticated")
		} else if h.recheck(v) != nil {
			ended++
		}
	}
	if events := h.events(h.cast.Ada.ID); ended > 0 || len(events) != 1 || events[0] != "auth.changed "+ids[0] {
		t.Errorf("%d others ended; the events are %q", ended, events)
	}
}

// Sessions that were ended are not listed any more, whatever ended them.
func TestEndedSessionsAreNotListed(t *testing.T) {
	h := open(t)
	for what, end := range map[string]func(*store.Tx, store.User) error{
		"all are ended": func(tx *store.Tx, u store.User) error { _, err := revokeSessions(tx, u); return err },
		"suspended and restored": func(tx *store.Tx, u store.User) error {
			if err := Suspend(tx, store.Viewer{Kind: store.Operator}, u); err != nil {
				return err
			}
			u, err := tx.User(u.ID)
			if err != nil {
				return err
			}
			return Restore(tx, store.Viewer{Kind: store.Operator}, u)
		},
	} {
		h.as("ada@example.org")
		err := h.db.Write(t.Context(), func(tx *store.Tx) error {
			u, err := tx.User(h.cast.Ada.ID)
			if err != nil {
				return err
			}
			return end(tx, u)
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := h.listSessions(t.Context(), storetest.Human(h.cast.Ada), core.None{})
		if err != nil || len(out.Sessions) != 0 {
			t.Errorf("%s: listed %+v, %v", what, out.Sessions, err)
		}
	}
}

// A session ends once: to end it again, or that of another account, is no error, ends
// nothing and tells no stream.
func TestSessionEndsOnce(t *testing.T) {
	h := open(t)
	ada, ben := h.as("ada@example.org"), h.as("ben@example.org")
	for _, tc := range []struct {
		what, id string
		events   int
	}{
		{"of another account", ben.SessionID, 0}, {"unknown", store.NewID(), 0}, {"none", "", 0}, {"the session", ada.SessionID, 1},
		{"the session again", ada.SessionID, 1},
	} {
		err := h.db.Write(t.Context(), func(tx *store.Tx) error { return endSession(tx, ada.UserID, tc.id) })
		if events := h.events(ada.UserID); err != nil || len(events) != tc.events {
			t.Errorf("%s: the events are %q, %v", tc.what, events, err)
		}
	}
	wantCode(t, "the session", h.recheck(ada), "unauthenticated")
	wantCode(t, "that of another account", h.recheck(ben), "")
	if events := h.events(ben.UserID); len(events) > 0 {
		t.Errorf("the events of another account are %q", events)
	}
}

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
		tc.by.Generation = 0 // it is read again
		if _, err := h.stillValid(t.Context(), tc.by); tc.ok != (err == nil) || !tc.ok && !core.IsKind(err, core.Unauthenticated) {
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

// An operation whose credential ends after it has begun does not write. What others
// do, and what does not end a credential, leaves it alone.
func TestNoWriteAfterTheCredentialEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change  func(h *harness, tx *store.Tx, session, key store.Viewer) error
		refused []string
	}{
		"signed out": {func(h *harness, tx *store.Tx, session, _ store.Viewer) error {
			return endSession(tx, session.UserID, session.SessionID)
		}, []string{"session"}},
		"the key revoked": {func(_ *harness, tx *store.Tx, _, key store.Viewer) error { return tx.RevokeKey(key.UserID, key.KeyID) },
			[]string{"key"}},
		"the scope taken": {func(_ *harness, tx *store.Tx, _, key store.Viewer) error {
			return tx.UpdateKey(store.Key{ID: key.KeyID, UserID: key.UserID, Name: "k", CanRead: true})
		}, []string{"key"}},
		"all keys revoked": {func(_ *harness, tx *store.Tx, session, _ store.Viewer) error { return tx.RevokeKeys(session.UserID) },
			[]string{"bot", "key"}},
		"suspended": {func(h *harness, tx *store.Tx, session, _ store.Viewer) error {
			u := h.user(session.Email)
			u.SuspendedAt = tx.Now
			_, err := tx.UpdateUser(u)
			return err
		}, []string{"bot", "key", "session"}},
		"renamed": {func(h *harness, tx *store.Tx, session, _ store.Viewer) error {
			u := h.user(session.Email)
			u.Name = "Other"
			_, err := tx.UpdateUser(u)
			return err
		}, nil},
		"another signed out": {func(h *harness, tx *store.Tx, _, _ store.Viewer) error { return tx.DeleteSessions(h.cast.Ben.ID) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			callers := map[string]store.Viewer{"session": h.as("ada@example.org"), "key": {}, "bot": {}}
			for what, in := range map[string]CreateAgentKeyIn{"key": {Name: "k"}, "bot": {Name: "k", Bot: &KeyBotIn{Name: "Helper"}}} {
				made, err := h.CreateAgentKey.Call(t.Context(), callers["session"], in)
				if err != nil {
					t.Fatal(err)
				}
				if callers[what], err = h.bearer(made.Key); err != nil {
					t.Fatal(err)
				}
			}
			begun := map[string]context.Context{}
			err := h.db.Write(t.Context(), func(tx *store.Tx) error {
				for what, by := range callers { // nothing has ended for whoever reads
					ctx, err := h.stillValid(t.Context(), by)
					if err != nil {
						return err
					}
					begun[what] = ctx
				}
				return tc.change(h, tx, callers["session"], callers["key"])
			})
			if err != nil {
				t.Fatal(err)
			}
			for what, ctx := range begun {
				want := ""
				if slices.Contains(tc.refused, what) {
					want = "unauthenticated"
				}
				wantCode(t, what, h.db.Write(ctx, func(*store.Tx) error { return nil }), want)
			}
		})
	}
}

// An operation that ends the credential of its caller completes its writes.
func TestOperationThatEndsItsOwnCredential(t *testing.T) {
	h := open(t)
	ada := h.as("ada@example.org")
	ctx, err := h.stillValid(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(tx *store.Tx) error{
		func(tx *store.Tx) error { return tx.DeleteSessions(ada.UserID) },
		func(*store.Tx) error { return nil },
	} {
		if err := h.db.Write(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
}

package account

import (
	"context"
	"crypto/sha256"
	"slices"
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
		v, err := h.identified(t.Context(), key, func(*store.Reader) (store.Viewer, error) { n++; return ada, nil })
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
		refuse := func(*store.Reader) (store.Viewer, error) { return ada, core.ErrUnauthenticated }
		if _, err := h.identified(t.Context(), refused, refuse); err == nil {
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
		if _, err := h.RevokeAgentKey.Call(ctx, ada, core.ByID{ID: made.ID}); err != nil {
			t.Fatal(err)
		}
		revoked.Store(true)
		wg.Wait()
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

package account

import (
	"context"
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

func keyOf(i int) credentialKey {
	return credentialKey{hash: sha256.Sum256([]byte{byte(i), byte(i >> 8), byte(i >> 16)})}
}

func TestCredentialsCache(t *testing.T) {
	c := newCredentials()
	ada := store.Viewer{Kind: store.Human, UserID: "ada", Until: 100}
	has := func(want bool, why string) {
		t.Helper()
		if v, ok := c.get(keyOf(1), 99); ok != want || ok && v != ada {
			t.Errorf("%s: %+v, %v", why, v, ok)
		}
	}
	has(false, "empty")
	c.put(keyOf(1), ada, c.now())
	has(true, "after put")
	if _, ok := c.get(keyOf(1), 100); ok {
		t.Error("valid after its expiry")
	}
	if _, ok := c.get(credentialKey{cookie: true, hash: keyOf(1).hash}, 99); ok {
		t.Error("a token is accepted as a cookie")
	}
	c.change([]string{"ben"})
	has(true, "after a change of another account")
	c.change([]string{"ada"})
	has(false, "after a change of its account")
	before := c.now()
	c.change([]string{"ada"})
	c.put(keyOf(1), ada, before)
	has(false, "read before a change and cached after it")
	c.put(keyOf(1), ada, c.now())
	has(true, "read again")
	c.change(nil)
	has(false, "after a change of every account")
}

func TestCredentialsAreBounded(t *testing.T) {
	c := newCredentials()
	for i := range 3 * maxCredentials {
		c.put(keyOf(i), store.Viewer{UserID: "ada"}, c.now())
		c.get(keyOf(0), 1) // used all the time, so it is not dropped
		c.change([]string{store.NewID()})
	}
	if n := len(c.newer) + len(c.older); n > 2*maxCredentials {
		t.Errorf("%d credentials are cached", n)
	}
	if len(c.changed) > maxCredentials {
		t.Errorf("%d changes are stored", len(c.changed))
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
		h.credentials.change(ids)
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

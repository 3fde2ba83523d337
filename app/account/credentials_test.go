package account

import (
	"context"
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

func TestCredentialsCache(t *testing.T) {
	c := newCredentials[credentialKey]()
	key := credentialKey{hash: sha256.Sum256([]byte("k"))}
	ada := store.Viewer{Kind: store.Human, UserID: "ada", Until: 100}
	reads := func(key credentialKey, at store.Time) (n int) {
		v, err := c.cached(key, at, func() (store.Viewer, error) { n++; return ada, nil })
		if v != ada || err != nil {
			t.Errorf("%+v, %v", v, err)
		}
		return n
	}
	if reads(key, 99) != 1 || reads(key, 99) != 0 {
		t.Error("not read once")
	}
	if reads(key, 100) != 1 {
		t.Error("valid after its expiry")
	}
	if reads(credentialKey{cookie: true, hash: key.hash}, 99) != 1 {
		t.Error("a token is accepted as a cookie")
	}
	refused := credentialKey{hash: sha256.Sum256([]byte("refused"))}
	for range 2 {
		if _, err := c.cached(refused, 99, func() (store.Viewer, error) { return ada, core.ErrUnauthenticated }); err == nil {
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
		h.invalidate(ids)
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

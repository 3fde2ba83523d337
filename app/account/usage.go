package account

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"hearth/app/core"
	"hearth/store"
)

// usage collects the last use of accounts and keys in memory: a write per request would be too expensive.
type usage struct {
	mu      sync.Mutex
	pending uses // since the last flush

	flushing sync.Mutex // held until what was taken is stored
}

type uses struct {
	keys  map[string]store.Time
	users map[string]store.Time
	acts  map[keyAct]store.KeyUse
}

type keyAct struct {
	keyID     string
	operation string
	failed    bool
}

func newUses() uses {
	return uses{keys: map[string]store.Time{}, users: map[string]store.Time{}, acts: map[keyAct]store.KeyUse{}}
}

// A key that acts for a person does not count as their presence: others would see that an absent or invisible person
// was here.
func (u *usage) note(v store.Viewer, at store.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if v.KeyID != "" {
		u.pending.keys[v.KeyID] = at
	}
	if isPerson(v) || v.OwnerID != "" {
		u.pending.users[v.UserID] = at
	}
}

func (u *usage) take(users bool) uses {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken, left := u.pending, newUses()
	if !users {
		taken.users, left.users = left.users, taken.users
	}
	u.pending = left
	return taken
}

// KeyUse is one use of a key: an operation, without its content.
type KeyUse struct {
	Operation string     `json:"operation" doc:"The summary of an operation, as in the reference."`
	Failed    bool       `json:"failed" doc:"Whether these requests failed or were refused."`
	Uses      int        `json:"uses" doc:"How many requests there were."`
	LastAt    store.Time `json:"lastAt" doc:"When the last one was."`
}

func keyUseOf(u store.KeyUse) KeyUse {
	return KeyUse{Operation: u.Operation, Failed: u.Failed, Uses: u.Uses, LastAt: u.LastAt}
}

// GetKeyActivityOut has the uses of a key.
type GetKeyActivityOut struct {
	Activity []KeyUse `json:"activity" doc:"Each operation once or, if some requests failed, twice; the latest first."`
}

func (s *Service) getKeyActivity(ctx context.Context, by store.Viewer, in core.ByID) (out GetKeyActivityOut, err error) {
	_, err = store.Get(ctx, s.db, func(r *store.Reader) (store.Key, error) { return r.Key(by, "agent", in.ID) })
	if err != nil {
		return out, core.Found(err)
	}
	s.flushForReader(ctx)
	uses, err := store.Get(ctx, s.db, func(r *store.Reader) ([]store.KeyUse, error) { return r.KeyUses(by, in.ID) })
	out.Activity = core.Map(uses, keyUseOf)
	return out, err
}

// Used records that a key did an operation, named by its summary, or failed to. Callers without a key are not
// recorded.
func (s *Service) Used(by store.Viewer, operation string, failed bool) {
	if by.KeyID == "" {
		return
	}
	s.used.mu.Lock()
	defer s.used.mu.Unlock()
	act := keyAct{by.KeyID, operation, failed}
	s.used.pending.acts[act] = store.KeyUse{KeyID: by.KeyID, Operation: operation, Failed: failed,
		Uses: s.used.pending.acts[act].Uses + 1, LastAt: s.db.Now()}
}

// FlushKeyUse stores the uses since the previous flush in one write. They are lost if it fails.
func (s *Service) FlushKeyUse(ctx context.Context) error { return s.flush(ctx, true) }

func (s *Service) flush(ctx context.Context, users bool) error {
	s.used.flushing.Lock()
	defer s.used.flushing.Unlock()
	u := s.used.take(users)
	if len(u.users) == 0 && len(u.keys) == 0 && len(u.acts) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.TouchKeys(u.keys), tx.AddKeyUses(slices.Collect(maps.Values(u.acts))), tx.TouchUsers(u.users))
	})
}

// flushForReader stores the uses of keys, which are about to be read. They can be read while nothing can be written.
func (s *Service) flushForReader(ctx context.Context) {
	if err := s.flush(context.WithoutCancel(ctx), false); err != nil && !store.Unavailable(err) {
		s.log.Warn("uses of keys not stored", "error", err)
	}
}

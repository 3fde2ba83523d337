package account

import (
	"cmp"
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

	flushing sync.Mutex // also held while stored uses are read, so that pending ones are not counted twice
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

func (u *usage) take() uses {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.pending
	u.pending = newUses()
	return taken
}

func (u *usage) putBack(taken uses) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.Copy(taken.keys, u.pending.keys)
	maps.Copy(taken.users, u.pending.users)
	for act, use := range u.pending.acts {
		use.Uses += taken.acts[act].Uses
		taken.acts[act] = use
	}
	u.pending = taken
}

func (u *usage) lastOf(keyID string) store.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.pending.keys[keyID]
}

// withPending adds the uses of a key that are not stored yet, and returns the latest first.
func (u *usage) withPending(keyID string, all []store.KeyUse) []store.KeyUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	for act, use := range u.pending.acts {
		if act.keyID != keyID {
			continue
		}
		i := slices.IndexFunc(all, func(k store.KeyUse) bool { return k.Operation == act.operation && k.Failed == act.failed })
		if i < 0 {
			all = append(all, use)
			continue
		}
		all[i].Uses, all[i].LastAt = all[i].Uses+use.Uses, use.LastAt
	}
	slices.SortFunc(all, func(a, b store.KeyUse) int {
		return cmp.Or(cmp.Compare(b.LastAt, a.LastAt), cmp.Compare(a.Operation, b.Operation))
	})
	return all
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

func (s *Service) withUse(k AgentKey, stored []store.KeyUse) AgentKey {
	k.LastUsedAt = max(core.OrZero(k.LastUsedAt), s.used.lastOf(k.ID)).Ptr()
	if all := s.used.withPending(k.ID, stored); len(all) > 0 {
		last := keyUseOf(all[0])
		k.LastUse = &last
	}
	return k
}

// GetKeyActivityOut has the uses of a key.
type GetKeyActivityOut struct {
	Activity []KeyUse `json:"activity" doc:"Each operation once or, if some requests failed, twice; the latest first."`
}

func (s *Service) getKeyActivity(ctx context.Context, by store.Viewer, in core.ByID) (out GetKeyActivityOut, err error) {
	s.used.flushing.Lock()
	defer s.used.flushing.Unlock()
	err = s.db.Read(ctx, func(r *store.Reader) error {
		if _, err := r.Key(by, "agent", in.ID); err != nil {
			return err
		}
		stored, err := r.KeyUses(by, in.ID)
		out.Activity = core.Map(s.used.withPending(in.ID, stored), keyUseOf)
		return err
	})
	return out, core.Found(err)
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

// FlushKeyUse stores the uses since the previous flush in one write.
func (s *Service) FlushKeyUse(ctx context.Context) error {
	s.used.flushing.Lock()
	defer s.used.flushing.Unlock()
	u := s.used.take()
	if len(u.users) == 0 && len(u.keys) == 0 && len(u.acts) == 0 {
		return nil
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.TouchKeys(u.keys), tx.AddKeyUses(slices.Collect(maps.Values(u.acts))), tx.TouchUsers(u.users))
	})
	if err != nil {
		s.used.putBack(u)
	}
	return err
}

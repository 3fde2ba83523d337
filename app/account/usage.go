package account

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"hearth/store"
)

// usage collects the last use of accounts and keys in memory: a write per request would be too expensive.
type usage struct {
	mu      sync.Mutex
	pending uses // since the last flush began
	writing uses // of a running flush
}

type uses struct {
	keys  map[string]store.Time
	users map[string]store.Time
	acts  map[keyAct]acted
}

type keyAct struct {
	keyID     string
	operation string
	failed    bool
}

type acted struct {
	uses int
	last store.Time
}

// A key that acts for a person does not count as their presence: others would see that an absent or invisible person
// was here.
func (u *usage) note(v store.Viewer, at store.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending.users == nil {
		u.pending.keys, u.pending.users = map[string]store.Time{}, map[string]store.Time{}
	}
	if v.KeyID != "" {
		u.pending.keys[v.KeyID] = at
	}
	if isPerson(v) || v.OwnerID != "" {
		u.pending.users[v.UserID] = at
	}
}

func (u *usage) noteAct(act keyAct, at store.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending.acts == nil {
		u.pending.acts = map[keyAct]acted{}
	}
	u.pending.acts[act] = acted{u.pending.acts[act].uses + 1, at}
}

func (u *usage) begin() uses {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.writing, u.pending = u.pending, uses{}
	return u.writing
}

func (u *usage) end(stored bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !stored {
		u.writing.add(u.pending)
		u.pending = u.writing
	}
	u.writing = uses{}
}

func (u *uses) add(later uses) {
	if u.users == nil {
		u.keys, u.users = map[string]store.Time{}, map[string]store.Time{}
	}
	if u.acts == nil {
		u.acts = map[keyAct]acted{}
	}
	maps.Copy(u.keys, later.keys)
	maps.Copy(u.users, later.users)
	for act, a := range later.acts {
		u.acts[act] = acted{u.acts[act].uses + a.uses, a.last}
	}
}

func (u *usage) lastUse(keyID string, stored store.Time) store.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return max(stored, u.writing.keys[keyID], u.pending.keys[keyID])
}

// During a flush, stored may or may not contain its uses; they count only if the operation is not stored at all.
func (u *usage) withPending(keyID string, stored []store.KeyUse) []store.KeyUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := slices.Clone(stored)
	merge := func(act keyAct, a acted, uses int) {
		if act.keyID != keyID {
			return
		}
		i := slices.IndexFunc(out, func(k store.KeyUse) bool { return k.Operation == act.operation && k.Failed == act.failed })
		if i < 0 {
			i = len(out)
			uses = a.uses
			out = append(out, store.KeyUse{KeyID: keyID, Operation: act.operation, Failed: act.failed})
		}
		out[i].Uses, out[i].LastAt = out[i].Uses+uses, max(out[i].LastAt, a.last)
	}
	for act, a := range u.writing.acts {
		merge(act, a, 0)
	}
	for act, a := range u.pending.acts {
		merge(act, a, a.uses)
	}
	slices.SortFunc(out, func(a, b store.KeyUse) int {
		return cmp.Or(cmp.Compare(b.LastAt, a.LastAt), cmp.Compare(a.Operation, b.Operation))
	})
	return out
}

// Used records that a key did an operation, named by its summary, or failed to. Callers without a key are not
// recorded.
func (s *Service) Used(by store.Viewer, operation string, failed bool) {
	if by.KeyID != "" {
		s.used.noteAct(keyAct{by.KeyID, operation, failed}, s.db.Now())
	}
}

// FlushKeyUse stores the uses since the previous flush in one write.
func (s *Service) FlushKeyUse(ctx context.Context) (err error) {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	u := s.used.begin()
	defer func() { s.used.end(err == nil) }()
	if len(u.users) == 0 && len(u.keys) == 0 && len(u.acts) == 0 {
		return nil
	}
	acts := make([]store.KeyUse, 0, len(u.acts))
	for act, a := range u.acts {
		acts = append(acts, store.KeyUse{KeyID: act.keyID, Operation: act.operation, Failed: act.failed, Uses: a.uses, LastAt: a.last})
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.TouchKeys(u.keys); err != nil {
			return err
		}
		if err := tx.AddKeyUses(acts); err != nil {
			return err
		}
		return tx.TouchUsers(u.users)
	})
}

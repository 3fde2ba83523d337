package account

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

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
	k.LastUsedAt = s.used.lastUse(k.ID, core.OrZero(k.LastUsedAt)).Ptr()
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

func (s *Service) getKeyActivity(ctx context.Context, by store.Viewer, in KeyIn) (out GetKeyActivityOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		if _, err := r.Key(by, "agent", in.ID); err != nil {
			return err
		}
		stored, err := r.KeyUses(by, in.ID)
		for _, u := range s.used.withPending(in.ID, stored) {
			out.Activity = append(out.Activity, keyUseOf(u))
		}
		return err
	})
	return out, core.Found(err)
}

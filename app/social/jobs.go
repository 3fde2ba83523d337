package social

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"hearth/store"
)

const (
	// tidied is how many rows a write of a job changes at most.
	tidied = 200
	// reviewSetting has until when the queue's window was looked at last.
	reviewSetting = "review_window"
)

// Tidy takes intents that have expired out of the index, and deletes grants that
// have, or of which the key has. They count for nothing already; the accounts whose
// agents had asked are told.
func (s *Service) Tidy(ctx context.Context) error {
	for more := true; more; {
		err := s.DB.Write(ctx, func(tx *store.Tx) error {
			expired, err := tx.ExpiredIntents(tidied)
			for _, seq := range expired {
				if err == nil {
					err = tx.UnlistIntent(seq)
				}
			}
			if err != nil {
				return err
			}
			ended, err := tx.PruneGrants(tidied)
			told := map[string]bool{}
			for _, g := range ended {
				if g.KeyID != "" && !told[g.UserID] {
					told[g.UserID], err = true, cmp.Or(err, reviewChanged(tx, g.UserID))
				}
			}
			more = len(expired) == tidied || len(ended) == tidied
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Remind tells the accounts of which a search or a Story expires within the
// window of the review queue, since the last time, that the queue changed: in small
// writes, until another process has done it.
func (s *Service) Remind(ctx context.Context) error {
	var last string
	var until store.Time
	var users []string
	err := s.DB.ReadLong(ctx, func(r *store.Reader) (err error) {
		if last, err = r.Setting(reviewSetting); err != nil {
			return err
		}
		from, _ := strconv.ParseInt(last, 10, 64) // none yet: all that is in the window
		until = r.Now().Add(reviewWindow)
		users, err = r.ExpiringUsers(max(store.Time(from), r.Now()), until, math.MaxInt32)
		return err
	})
	for more := true; more && err == nil; {
		part := users[:min(len(users), tidied)]
		users = users[len(part):]
		err = s.DB.Write(ctx, func(tx *store.Tx) error {
			now, err := tx.Setting(reviewSetting)
			if more = len(users) > 0 && now == last; err != nil || now != last {
				return err
			}
			for _, u := range part {
				if err := reviewChanged(tx, u); err != nil {
					return err
				}
			}
			if more {
				return nil
			}
			return tx.SetSetting(reviewSetting, strconv.FormatInt(int64(until), 10))
		})
	}
	return err
}

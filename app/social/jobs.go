package social

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"hearth/app/core"
	"hearth/store"
)

const (
	tidied        = 200             // rows changed by one write of a job
	reviewSetting = "review_window" // the end of the window that Remind looked at last
)

// Tidy deletes the vectors of expired intents, and grants that expired or whose key did. It emits events for
// accounts whose agents had asked.
func (s *Service) Tidy(ctx context.Context) error {
	for more := true; more; {
		err := s.DB.Write(ctx, func(tx *store.Tx) error {
			if err := tx.DropVectors(); err != nil {
				return err
			}
			ended, err := tx.PruneGrants(tidied)
			told := map[string]bool{}
			for _, g := range ended {
				if g.KeyID != "" && !told[g.UserID] {
					told[g.UserID], err = true, cmp.Or(err, core.InboxChanged(tx, g.UserID))
				}
			}
			more = len(ended) == tidied
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Remind adds an event for each account with a search or Story that expires soon. It reports an expiry once, when it
// enters the window of the review queue.
func (s *Service) Remind(ctx context.Context) error {
	return s.DB.Write(ctx, func(tx *store.Tx) error {
		last, err := tx.Setting(reviewSetting)
		if err != nil {
			return err
		}
		from, _ := strconv.ParseInt(last, 10, 64) // none yet: everything in the window
		now := tx.Reader.Now()
		until := now.Add(reviewWindow)
		users, err := tx.ExpiringUsers(max(store.Time(from), now), until, math.MaxInt32)
		if err != nil || len(users) == 0 {
			return err // an idle server writes nothing
		}
		for _, u := range users {
			err = cmp.Or(err, core.InboxChanged(tx, u))
		}
		return cmp.Or(err, tx.SetSetting(reviewSetting, strconv.FormatInt(int64(until), 10)))
	})
}

package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hearth/app/core"
	"hearth/store"
)

const (
	// eraseTime is how long a request waits for the rows of an account to be
	// changed. By then it is read as deleted by everybody; a job does the rest.
	eraseTime = 20 * time.Second
	// scrubTime is how long one of the small writes should take, so that other
	// writes hardly wait for it. Afterwards the writer is left to others for as
	// long.
	scrubTime = 10 * time.Millisecond
	// eventTime is how long events keep the id of an account that is deleted, so
	// that its streams end.
	eventTime = 5 * time.Second
	// eventWindow is how many events are searched for an id in one read.
	eventWindow = 20_000
	// wipeWindow is how many pages of the file are searched in one read.
	wipeWindow = 1000
	// wipePages is how many of them are written at once.
	wipePages = 16
	// friendsAtOnce is how many friendships end in one write. Each changes three rows.
	friendsAtOnce = 200
	// matchesAtOnce is how many matches end in one write. Each changes two rows.
	matchesAtOnce = 200
	// redactTries is how often messages are read that change meanwhile.
	redactTries = 5
)

// EraseProgress is called during the deletion of an account with the number of
// rows that were deleted or changed since the last call.
type EraseProgress func(rows int)

// deleteMe deletes the caller's account. Their messages stay as deleted ones,
// without words, from the shared account Deleted account; everything else that
// is theirs is deleted. It returns Conflict, with the code last_admin, for the
// only administrator.
func (s *Service) deleteMe(ctx context.Context, by store.Viewer, _ core.None) (core.None, error) {
	err := s.erase(ctx, by.UserID, nil, func(tx *store.Tx, _ store.User) error { return checkSession(&tx.Reader, by) })
	return core.None{}, ownAccountError(err)
}

// Erase deletes the account of an address, for the command line.
func (s *Service) Erase(ctx context.Context, email string, progress EraseProgress) error {
	var u store.User
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		u, err = UserOf(r, email)
		return err
	})
	if err == nil {
		err = s.erase(ctx, u.ID, progress, func(tx *store.Tx, u store.User) error {
			if u.IsSystem {
				return core.New(core.Conflict, "system_account", "This account belongs to the server and cannot be deleted.")
			}
			return tx.Audit(store.Viewer{Kind: store.Operator}, "user.erase", store.DeletedUserID, "")
		})
	}
	return s.noAccount(err, email)
}

// erase deletes an account and its bots, if check permits it. Once the account
// is frozen the end of ctx has no effect: nobody could start again. Without
// progress it returns after eraseTime at the latest.
func (s *Service) erase(ctx context.Context, userID string, progress EraseProgress, check func(*store.Tx, store.User) error) error {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.User(userID)
		if err != nil {
			return err
		}
		if err := check(tx, u); err != nil {
			return err
		}
		if err := checkLastAdmin(tx, u); err != nil {
			return err
		}
		return freeze(tx, userID)
	})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if err := s.redactFrozen(ctx, userID); err != nil {
		return err
	}
	if progress == nil {
		limited, cancel := context.WithTimeout(ctx, eraseTime)
		defer cancel()
		ctx, progress = limited, func(int) {}
	}
	err = s.scrubRedacted(ctx, userID, progress)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return err
}

// freeze ends what an account and its bots can do, and their streams.
func freeze(tx *store.Tx, userID string) error {
	bots, err := tx.Bots(userID)
	if err != nil {
		return err
	}
	for _, id := range append(bots, userID) {
		if err := tx.Freeze(id); err != nil {
			return err
		}
		if err := emitAuthChanged(tx, id, id); err != nil {
			return err
		}
	}
	return nil
}

// ErrNotDeleted is returned for accounts whose deletion failed. Others are not affected,
// and the job tries again.
var ErrNotDeleted = errors.New("account: the deletion of an account failed")

// eachDeletion calls f with the accounts that are at a stage of their deletion, each
// person's bots and then the person; with an id only for those with it. One deletion
// that fails does not hold up the others. It reports whether there were any, and
// returns ErrNotDeleted for those that failed.
func (s *Service) eachDeletion(ctx context.Context, stage store.Stage, id string, f func(ids []string) error) (found bool, err error) {
	all, err := s.erasures(ctx, stage)
	if err != nil {
		return false, err
	}
	var people []string
	ids := map[string][]string{}
	for _, e := range all {
		if ids[e.Person] == nil {
			people = append(people, e.Person)
		}
		ids[e.Person] = append(ids[e.Person], e.UserID)
	}
	var failed []error
	for _, person := range people {
		if id != "" && !slices.Contains(ids[person], id) {
			continue
		}
		found = true
		if err := f(ids[person]); err != nil {
			failed = append(failed, fmt.Errorf("%w: %s: %w", ErrNotDeleted, person, err))
		}
	}
	return found, errors.Join(failed...)
}

// redactFrozen ends the friendships and matches of every frozen account, or of the one
// with an id, makes it be read as deleted in one write with its bots, and adds them to
// the ledger beside the file before anybody is told.
func (s *Service) redactFrozen(ctx context.Context, id string) error {
	_, err := s.eachDeletion(ctx, store.Frozen, id, func(ids []string) error {
		for _, id := range ids {
			if err := errors.Join(s.endFriendships(ctx, id), s.endMatches(ctx, id)); err != nil {
				return err
			}
		}
		for try := 1; ; try++ {
			done, err := s.tryRedact(ctx, ids, try == redactTries)
			if err != nil || done {
				return err
			}
		}
	})
	return err
}

// endFriendships ends the friendships and requests of a frozen account, in small
// writes.
func (s *Service) endFriendships(ctx context.Context, userID string) error {
	for {
		var ended int
		err := s.db.Write(ctx, func(tx *store.Tx) error {
			people, err := tx.EndFriendships(userID, friendsAtOnce)
			if ended = len(people); err != nil || ended == 0 {
				return err
			}
			return s.redacted(tx, store.Redaction{UserID: userID, People: people})
		})
		if err != nil || ended < friendsAtOnce {
			return err
		}
	}
}

// endMatches ends the matches of a frozen account, in small writes.
func (s *Service) endMatches(ctx context.Context, userID string) error {
	for {
		var ended store.EndedMatches
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			if ended, err = tx.EndMatches(userID, matchesAtOnce); err != nil || ended.Matches == 0 {
				return err
			}
			return s.redacted(tx, store.Redaction{UserID: userID, EndedMatches: ended})
		})
		if err != nil || ended.Matches < matchesAtOnce {
			return err
		}
	}
}

// tryRedact reports false if messages of the accounts changed since they were
// read; reading them within the write, as the last resort, takes long.
func (s *Service) tryRedact(ctx context.Context, ids []string, inWrite bool) (done bool, err error) {
	var frozen []store.Authored
	read := func(r *store.Reader) (err error) {
		frozen, err = authored(r, ids)
		return err
	}
	if err := s.db.ReadLong(ctx, read); err != nil {
		return false, err
	}
	var ledger []store.Erased
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if inWrite {
			if err := read(&tx.Reader); err != nil {
				return err
			}
		}
		ledger = make([]store.Erased, 0, len(frozen))
		for _, a := range frozen {
			if e, err := tx.Erasure(a.UserID); err != nil || e.Stage != store.Frozen {
				return errRedactAgain // another process has done it
			}
			out, err := tx.Redact(a)
			if err == nil && !out.Done {
				err = errRedactAgain
			}
			if err == nil {
				err = s.redacted(tx, out)
			}
			if err != nil {
				return err
			}
			ledger = append(ledger, store.Erased{UserID: a.UserID, At: tx.Now})
		}
		return nil
	})
	if errors.Is(err, errRedactAgain) && !inWrite {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, s.db.AppendLedger(ledger)
}

var errRedactAgain = errors.New("account: the messages of a deleted account changed meanwhile")

// authored returns what those of the accounts that are frozen have written.
func authored(r *store.Reader, ids []string) (out []store.Authored, err error) {
	for _, id := range ids {
		switch e, err := r.Erasure(id); {
		case errors.Is(err, store.ErrNoRow):
			continue
		case err != nil:
			return nil, err
		case e.Stage != store.Frozen:
			continue
		}
		a, err := r.Authored(id)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// scrubRedacted changes the rows of every account that is read as deleted, or of the
// one with an id, in small writes, and then deletes it.
func (s *Service) scrubRedacted(ctx context.Context, id string, progress EraseProgress) error {
	found, err := s.eachDeletion(ctx, store.Redacted, id, func(ids []string) error {
		for _, id := range ids {
			if err := s.scrub(ctx, id, progress); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || !found {
		return err
	}
	_, err = s.db.Truncate(ctx)
	return err
}

func (s *Service) erasures(ctx context.Context, stage store.Stage) (out []store.Erasure, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		all, err := r.Erasures()
		for _, e := range all {
			if e.Stage == stage {
				out = append(out, e)
			}
		}
		return err
	})
	return out, err
}

func (s *Service) scrub(ctx context.Context, userID string, progress EraseProgress) error {
	limit := 4
	for {
		var more bool
		var start time.Time
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			start = time.Now()
			more, err = tx.Scrub(userID, limit)
			return err
		})
		took := time.Since(start) // with the index of words, which is written at the end of the group
		if err != nil {
			return err
		}
		if !more {
			break
		}
		progress(limit)
		limit = stepSize(limit, took)
		if err := sleep(ctx, took); err != nil {
			return err
		}
	}
	err := s.db.Write(ctx, func(tx *store.Tx) error { return tx.RemoveUser(userID) })
	if errors.Is(err, store.ErrNoRow) {
		return nil // done by another process, or by the job
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ContinueErasures goes on with the deletions that a request has not finished:
// because it would have taken long, or because the server stopped. At last it
// removes the ids of deleted accounts from the event log, and what they wrote
// from the write-ahead log.
func (s *Service) ContinueErasures(ctx context.Context) error {
	err := errors.Join(s.redactFrozen(ctx, ""), s.scrubRedacted(ctx, "", func(int) {}))
	removed, e := s.erasures(ctx, store.Removed)
	removed = slices.DeleteFunc(removed, func(e store.Erasure) bool { return e.At.Add(eventTime) > s.db.Now() })
	if e != nil || len(removed) == 0 {
		return errors.Join(err, e)
	}
	return errors.Join(err, s.forget(ctx, removed))
}

// forget ends the deletion of accounts. If readers keep the write-ahead log from
// being emptied, the next run tries again.
func (s *Service) forget(ctx context.Context, removed []store.Erasure) error {
	for _, e := range removed {
		if err := s.forgetEvents(ctx, e.UserID); err != nil {
			return err
		}
	}
	if err := s.inSteps(ctx, func(tx *store.Tx, _ int) (bool, error) { return tx.IndexWords() }); err != nil {
		return err
	}
	if err := s.inSteps(ctx, (*store.Tx).PruneDropped); err != nil {
		return err
	}
	if err := s.wipe(ctx); err != nil {
		return err
	}
	if done, err := s.db.Truncate(ctx); err != nil || !done {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		for _, e := range removed {
			if err := tx.EndErasure(e.UserID); err != nil {
				return err
			}
		}
		return nil
	})
}

// inSteps calls a function within small writes, with about how much to do in one,
// until there is no more.
func (s *Service) inSteps(ctx context.Context, step func(tx *store.Tx, size int) (more bool, err error)) error {
	size := 4
	for {
		var more bool
		var start time.Time
		err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
			start = time.Now()
			more, err = step(tx, size)
			return err
		})
		if err != nil || !more {
			return err
		}
		took := time.Since(start)
		size = stepSize(size, took)
		if err := sleep(ctx, took); err != nil {
			return err
		}
	}
}

// wipe overwrites, in small writes, copies of deleted rows that are left in the
// file.
func (s *Service) wipe(ctx context.Context) error {
	for from := int64(1); from > 0; {
		found, next, err := s.db.Residue(ctx, from, wipeWindow)
		if err != nil {
			return err
		}
		for part := range slices.Chunk(found, wipePages) {
			start := time.Now()
			if err := s.db.Write(ctx, func(tx *store.Tx) error { return tx.Wipe(part) }); err != nil {
				return err
			}
			if err := sleep(ctx, time.Since(start)); err != nil {
				return err
			}
		}
		from = next
	}
	return nil
}

// stepSize returns the size of the next small write after one that took so long.
func stepSize(size int, took time.Duration) int {
	return min(max(1, int(float64(size)*float64(scrubTime)/float64(max(took, scrubTime/2)))), 1000)
}

func (s *Service) forgetEvents(ctx context.Context, userID string) error {
	var first, last int64
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		first, last, err = r.EventRange()
		return err
	})
	for after := first - 1; err == nil && after < last; after += eventWindow {
		var ids []int64
		err = s.db.ReadLong(ctx, func(r *store.Reader) (err error) {
			if after, err = r.PastGap(after); err == nil {
				ids, err = r.EventsOf(userID, after, after+eventWindow)
			}
			return err
		})
		for len(ids) > 0 && err == nil {
			part := ids[:min(len(ids), 200)]
			ids = ids[len(part):]
			err = s.db.Write(ctx, func(tx *store.Tx) error { return tx.ForgetEvents(userID, part) })
		}
	}
	return err
}

// ReapplyErasures deletes again every account of the deletion ledger that is
// there, because an older backup was restored, and makes the ledger in the file
// and the one beside it the same. It has deletions that had only begun when a
// server stopped be read as such. It must run before the file is served. It
// returns how many accounts there were, and ErrNotDeleted if some of them could not
// be deleted.
func (s *Service) ReapplyErasures(ctx context.Context, progress EraseProgress) (accounts int, err error) {
	ledger, err := store.ReadLedger(s.db.Path())
	if err != nil {
		return 0, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddErased(ledger); err != nil {
			return err
		}
		ids, err := tx.Resurrected()
		if err != nil {
			return err
		}
		accounts = len(ids)
		for _, id := range ids {
			if err := freeze(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	var all []store.Erased
	err = s.db.Read(ctx, func(r *store.Reader) (err error) {
		all, err = r.Erased()
		return err
	})
	if err == nil {
		err = s.db.AppendLedger(all)
	}
	if err == nil {
		err = s.redactFrozen(ctx, "")
	}
	if (err == nil || errors.Is(err, ErrNotDeleted)) && accounts > 0 {
		err = errors.Join(err, s.scrubRedacted(ctx, "", progress))
	}
	return accounts, err
}

// redacted has the hooks of the other packages emit what follows from a
// redaction.
func (s *Service) redacted(tx *store.Tx, out store.Redaction) error {
	if s.onRedact == nil {
		return nil
	}
	return s.onRedact(tx, out)
}

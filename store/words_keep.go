package store

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"
)

// How the index of words is kept. Its parts are merged in quiet moments down to
// a few; when there are many, also beside writes, and when there are very many,
// half of the time.
const (
	olderStep    = 100 // messages or accounts added in one write
	keepInterval = 250 * time.Millisecond
	retryAfter   = 10 * time.Second
	fewParts     = 4
	manyParts    = 64
	tooManyParts = 256

	minPages, maxPages = 8, 512 // that one write merges
	shortMerge         = 5 * time.Millisecond
	longMerge          = 15 * time.Millisecond

	// After a purge the next one waits for purgeRest, and for purgeRests times as long as
	// it has taken: it writes the whole index, however little is marked.
	purgeRest  = 10 * time.Second
	purgeRests = 50
)

// KeepWords adds what is not yet in the index of words, and then merges its
// parts and those with words of documents that are marked, until ctx ends. It works in small writes and leaves the writer to others
// for at least as long after each.
func (db *DB) KeepWords(ctx context.Context, log *slog.Logger) {
	k := wordKeeper{db: db, pages: minPages, purges: map[wordIndex]purging{}}
	next := k.older
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		start := time.Now()
		done, err := next(ctx)
		switch {
		case errors.Is(err, ErrClosed) || errors.Is(err, ErrDead):
			return
		case err != nil && ctx.Err() == nil:
			log.Warn("the index of words could not be written", "error", err)
			wait = retryAfter
		case done:
			next, wait = k.keep, keepInterval
		default:
			wait = time.Since(start)
		}
	}
}

type wordKeeper struct {
	db    *DB
	pages int    // that the next write merges
	state []byte // of the index, when it was looked at last
	idle  []byte // the state in which there was nothing to merge

	purges map[wordIndex]purging
}

// purging is how long the purge of an index that runs has taken, and until when there is
// none.
type purging struct {
	took  time.Duration
	rests time.Time
}

// older adds a few messages and names to the index, and reports whether all are
// there.
func (k *wordKeeper) older(ctx context.Context) (done bool, err error) {
	waiting := false
	err = k.db.Read(ctx, func(r *Reader) error {
		for _, name := range []string{wordsSetting, namesSetting} {
			v, err := r.Setting(name)
			if err != nil {
				return err
			}
			waiting = waiting || v != ""
		}
		return nil
	})
	if err != nil || !waiting {
		return true, err
	}
	err = k.db.Write(ctx, func(tx *Tx) error {
		names, err := tx.IndexOlderNames(olderStep)
		if err != nil {
			return err
		}
		words, err := tx.IndexOlder(olderStep)
		done = names && words
		return err
	})
	return done, err
}

// keep changes a part of a long document, and purges or merges some pages if it is time for
// it, and reports whether the next ones can wait.
func (k *wordKeeper) keep(ctx context.Context) (done bool, err error) {
	long, err := k.long(ctx)
	if err != nil {
		return true, err
	}
	if purged, err := k.purge(ctx); err != nil || purged {
		return err != nil, err
	}
	done, err = k.merge(ctx)
	return done && !long, err
}

// long changes a part of a long document in the index, and reports whether there was one.
func (k *wordKeeper) long(ctx context.Context) (was bool, err error) {
	err = k.db.Read(ctx, func(r *Reader) (err error) {
		was, err = r.longWaits()
		return err
	})
	if err != nil || !was {
		return false, err
	}
	err = k.db.Write(ctx, func(tx *Tx) (err error) {
		was, err = tx.ChangeLong()
		return err
	})
	if err == nil { // the parts are merged as if nothing had been written
		k.state, _, err = k.look(ctx)
	}
	return was, err
}

// purge merges some pages of an index with marked documents, and reports whether there
// is one.
func (k *wordKeeper) purge(ctx context.Context) (purged bool, err error) {
	for _, index := range []wordIndex{messageWords, listWords} {
		p := k.purges[index]
		if time.Now().Before(p.rests) {
			continue
		}
		err = k.db.Read(ctx, func(r *Reader) (err error) {
			purged, err = r.marked(index)
			return err
		})
		if err != nil {
			return false, err
		}
		if !purged {
			continue
		}
		more := false
		start := time.Now()
		err = k.db.Write(ctx, func(tx *Tx) (err error) {
			more, err = tx.purge(index, k.pages)
			return err
		})
		took := time.Since(start)
		k.adapt(took)
		if p.took += took; !more {
			p = purging{rests: time.Now().Add(max(purgeRest, purgeRests*p.took))}
		}
		k.purges[index] = p
		return true, err
	}
	return false, nil
}

// adapt has the next write merge more pages or fewer, after how long one took.
func (k *wordKeeper) adapt(took time.Duration) {
	switch {
	case took > longMerge:
		k.pages = max(k.pages/2, minPages)
	case took < shortMerge:
		k.pages = min(k.pages*2, maxPages)
	}
}

// merge merges some pages if it is time for it, and reports whether the next
// ones can wait.
func (k *wordKeeper) merge(ctx context.Context) (done bool, err error) {
	state, parts, err := k.look(ctx)
	if err != nil {
		return true, err
	}
	quiet := bytes.Equal(state, k.state)
	if k.state = state; parts <= fewParts || !quiet && parts <= manyParts || bytes.Equal(state, k.idle) {
		return true, nil
	}
	start := time.Now()
	if err := k.db.Write(ctx, func(tx *Tx) error { return tx.MergeWords(k.pages) }); err != nil {
		return true, err
	}
	k.adapt(time.Since(start))
	after, parts, err := k.look(ctx)
	if err == nil && bytes.Equal(after, k.state) {
		k.idle = after
		return true, nil
	}
	k.state = after
	return !quiet && parts <= tooManyParts, err
}

func (k *wordKeeper) look(ctx context.Context) (state []byte, parts int, err error) {
	err = k.db.Read(ctx, func(r *Reader) (err error) {
		state, parts, err = r.WordsState()
		return err
	})
	return state, parts, err
}

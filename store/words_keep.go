package store

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// How an index of words is kept. Its parts are merged in quiet moments down to a few; when
// there are many, also beside writes, and when there are very many, half of the time. The
// parts of messages are larger, as those of many writes are one.
const (
	olderStep     = 100 // messages, accounts or items added in one write
	keepInterval  = 250 * time.Millisecond
	retryAfter    = 10 * time.Second
	fewParts      = 4
	manyParts     = 64 // of the index of messages
	manyListParts = 16
	tooManyParts  = 128

	minPages, maxPages = 8, 512 // that one write merges
	shortMerge         = 5 * time.Millisecond
	longMerge          = 15 * time.Millisecond

	// After a purge the next one waits for purgeRest, and for purgeRests times as long as
	// it has taken: it writes the whole index, however little is marked.
	purgeRest  = 10 * time.Second
	purgeRests = 50
)

// KeepWords adds what is not yet in the indexes of words, and merges their parts and those
// with words of documents that are marked, until ctx ends. It works in small writes, and
// after each leaves an index for at least as long.
func (db *DB) KeepWords(ctx context.Context, log *slog.Logger) {
	var wg sync.WaitGroup
	for _, k := range []*wordKeeper{messageKeeper(db), listKeeper(db)} {
		wg.Go(func() { k.run(ctx, log) })
	}
	wg.Wait()
}

// IndexLists adds all lists and items that wait for the index to it, if this process has
// left some, and merges its parts meanwhile. It is for programs without KeepWords.
func (db *DB) IndexLists(ctx context.Context) (err error) {
	if !db.leftLists.Swap(false) {
		return nil
	}
	defer func() {
		if err != nil {
			db.leftLists.Store(true)
		}
	}()
	for k := listKeeper(db); ; {
		start := time.Now()
		added, err := k.addPart(ctx)
		if err != nil {
			return err
		}
		if done, err := k.merge(ctx); err != nil || done && !added {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(start)):
		}
	}
}

// wordKeeper keeps an index of words.
type wordKeeper struct {
	db    *DB
	index wordIndex
	first func(context.Context) (done bool, err error) // is called until it is done, before anything else
	waits func(*Reader) (bool, error)                  // whether there is something to add
	add   func(*Tx) (was bool, err error)              // changes a part of that in the index

	many    int           // with more parts than these some are merged beside writes, too
	pages   int           // that the next write merges
	state   []byte        // of the index, when it was looked at last
	idle    []byte        // the state in which there was nothing to merge
	purging time.Duration // how long the purge that runs has taken
	rests   time.Time     // until when there is no purge
}

func messageKeeper(db *DB) *wordKeeper {
	k := &wordKeeper{db: db, index: messageWords, waits: (*Reader).longWaits, add: (*Tx).ChangeLong, many: manyParts, pages: minPages}
	k.first = k.older
	return k
}

func listKeeper(db *DB) *wordKeeper {
	k := &wordKeeper{db: db, index: listWords, waits: (*Reader).listsWait, many: manyListParts, pages: minPages}
	k.first = k.keep
	k.add = func(tx *Tx) (bool, error) {
		n, err := tx.ReindexLists(olderStep)
		return n > 0, err
	}
	return k
}

func (k *wordKeeper) run(ctx context.Context, log *slog.Logger) {
	next := k.first
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
			log.Warn("an index of words could not be written", "index", k.index.table, "error", err)
			wait = retryAfter
		case done:
			next, wait = k.keep, keepInterval
		default:
			wait = time.Since(start)
		}
	}
}

// older adds a few messages to the index, and reports whether all are
// there.
func (k *wordKeeper) older(ctx context.Context) (done bool, err error) {
	waiting := ""
	err = k.db.Read(ctx, func(r *Reader) (err error) {
		waiting, err = r.Setting(wordsSetting)
		return err
	})
	if err != nil || waiting == "" {
		return true, err
	}
	err = k.db.Write(ctx, func(tx *Tx) (err error) {
		done, err = tx.IndexOlder(olderStep)
		return err
	})
	return done, err
}

// keep changes a part of what waits, and purges or merges some pages if it is time for it,
// and reports whether the next ones can wait.
func (k *wordKeeper) keep(ctx context.Context) (done bool, err error) {
	added, err := k.addPart(ctx)
	if err != nil {
		return true, err
	}
	if purged, err := k.purge(ctx); err != nil || purged {
		return err != nil, err
	}
	done, err = k.merge(ctx)
	return done && !added, err
}

// addPart changes a part of what waits in the index, and reports whether something did.
func (k *wordKeeper) addPart(ctx context.Context) (was bool, err error) {
	err = k.db.Read(ctx, func(r *Reader) (err error) {
		was, err = k.waits(r)
		return err
	})
	if err != nil || !was {
		return false, err
	}
	err = k.db.Write(ctx, func(tx *Tx) (err error) {
		was, err = k.add(tx)
		return err
	})
	if err == nil { // the parts are merged as if nothing had been written
		k.state, _, err = k.look(ctx)
	}
	return was, err
}

// purge merges some pages of the index if it has marked documents, and reports whether it
// does.
func (k *wordKeeper) purge(ctx context.Context) (purged bool, err error) {
	if time.Now().Before(k.rests) {
		return false, nil
	}
	err = k.db.Read(ctx, func(r *Reader) (err error) {
		purged, err = r.marked(k.index)
		return err
	})
	if err != nil || !purged {
		return false, err
	}
	more := false
	start := time.Now()
	err = k.db.Write(ctx, func(tx *Tx) (err error) {
		more, err = tx.purge(k.index, k.pages)
		return err
	})
	took := time.Since(start)
	k.adapt(took)
	if k.purging += took; !more {
		k.rests = time.Now().Add(max(purgeRest, purgeRests*k.purging))
		k.purging = 0
	}
	return true, err
}

// adapt has the next write merge more pages or fewer, after how long one took with its
// commit, which writes them.
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
	if k.state = state; parts <= fewParts || !quiet && parts <= k.many || bytes.Equal(state, k.idle) {
		return true, nil
	}
	start := time.Now()
	if err := k.db.Write(ctx, func(tx *Tx) error { return tx.mergeWords(k.index, k.pages) }); err != nil {
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
		state, parts, err = r.wordsState(k.index)
		return err
	})
	return state, parts, err
}

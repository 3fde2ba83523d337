package store_test

import (
	"errors"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// write runs f in one write, which must not fail.
func write(t *testing.T, db *storetest.DB, f func(tx *store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// A request is carried out again from the very end of its life on.
func TestOnceAgain(t *testing.T) {
	db := storetest.Open(t)
	const life = time.Hour
	var now store.Time
	claim := func(at store.Time, request string, want error) {
		t.Helper()
		db.Clock.Advance(at.Go().Sub(db.Clock.Now()))
		o := &store.Once{Hash: "hash", Request: request, Life: life}
		err := db.Write(store.WithOnce(t.Context(), o), func(tx *store.Tx) error { now = tx.Now; return nil })
		if !errors.Is(err, want) || o.Claimed() != (want == nil) {
			t.Errorf("at %v: %v, claimed %v", at, err, o.Claimed())
		}
		if want == nil && now != at {
			t.Fatalf("written at %v, not %v", now, at)
		}
	}
	begin := store.TimeOf(storetest.Epoch.Add(time.Minute))
	end := begin.Add(life)
	claim(begin, "a", nil)
	claim(end-2, "a", store.ErrRepeated)
	claim(end, "b", nil)
	write(t, db, func(tx *store.Tx) error {
		request, answer, err := tx.Answered("hash")
		if request != "b" || answer != nil {
			t.Errorf("request %q, answer %q", request, answer)
		}
		return err
	})
}

// Requests that have expired have no answer, and are deleted up to a limit.
func TestPruneAnswers(t *testing.T) {
	db := storetest.Open(t)
	db.Clock.Advance(time.Second)
	write(t, db, func(tx *store.Tx) error {
		for hash, life := range map[string]time.Duration{"a": 0, "b": 0, "c": -time.Microsecond, "d": time.Microsecond} {
			if err := tx.PutAnswer(&store.Once{Hash: hash, Request: "r", Life: life}, []byte("answer")); err != nil {
				return err
			}
			if _, _, err := tx.Answered(hash); errors.Is(err, store.ErrNoRow) != (life <= 0) {
				t.Errorf("%s: %v", hash, err)
			}
		}
		for _, want := range []int64{2, 1, 0} {
			if n, err := tx.PruneAnswers(2); err != nil || n != want {
				t.Errorf("%d deleted, want %d: %v", n, want, err)
			}
		}
		_, _, err := tx.Answered("d")
		return err
	})
}

// An answer is not put in the place of that of another request.
func TestPutAnswer(t *testing.T) {
	db := storetest.Open(t)
	write(t, db, func(tx *store.Tx) error {
		for _, o := range []struct{ request, answer string }{{"r", "first"}, {"other", "wrong"}, {"r", "second"}, {"other", "wrong"}} {
			if err := tx.PutAnswer(&store.Once{Hash: "h", Request: o.request, Life: time.Hour}, []byte(o.answer)); err != nil {
				return err
			}
		}
		request, answer, err := tx.Answered("h")
		if request != "r" || string(answer) != "second" {
			t.Errorf("%s: %s", request, answer)
		}
		return err
	})
}

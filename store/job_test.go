package store_test

import (
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// Of several processes that found the same job due, one starts it: neither while the
// other runs it, nor once that is over. A lease ends exactly when it says.
func TestOneProcessStartsAJob(t *testing.T) {
	db := storetest.Open(t)
	const lease = 10 * time.Minute
	now := db.Now()
	start := func(holder string, lastStart, at store.Time, want bool) {
		t.Helper()
		var got bool
		if err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
			got, err = tx.StartJob("job", holder, lastStart, at, lease)
			return err
		}); err != nil || got != want {
			t.Errorf("%s at %v: %v, want %v: %v", holder, at, got, want, err)
		}
	}
	finish := func(holder string) error {
		return db.Write(t.Context(), func(tx *store.Tx) error { return tx.FinishJob("job", holder, "", now) })
	}
	start("a", 0, now, true)
	start("b", 0, now, false)
	start("b", now, now, false) // at the very moment
	start("b", now, now.Add(lease)-1, false)
	if finish("b") == nil {
		t.Error("b ended the job of a")
	}
	if err := finish("a"); err != nil {
		t.Error(err)
	}
	start("b", 0, now.Add(time.Second), false) // it was due before a ran it
	start("b", now, now.Add(time.Second), true)
	start("a", now.Add(time.Second), now.Add(time.Second+lease)-1, false)
	start("a", now.Add(time.Second), now.Add(time.Second+lease), true) // b has died
	start("b", now.Add(time.Second+lease), now.Add(-time.Hour), true)  // the clock was set back
}

package account

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

const erasedWord = "zirbelkiefer"

// writeLog returns the write-ahead log.
func (h *harness) writeLog() []byte {
	h.t.Helper()
	b, err := os.ReadFile(h.db.Path() + "-wal")
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

// erased deletes an account, up to the last step, which is left to the job.
func (h *harness) erased(u store.User) {
	h.t.Helper()
	if _, err := h.deleteMe(context.Background(), storetest.Human(u), core.None{}); err != nil {
		h.t.Fatal(err)
	}
	h.wantStage("after the request", u.ID, store.Removed)
}

// job runs the job that goes on with deletions.
func (h *harness) job() {
	h.t.Helper()
	if err := h.ContinueErasures(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// nothingIsLeft checks that the file has neither what was deleted nor pages that may
// have copies of it. The end of the deletion, which is written last, leaves one.
func (h *harness) nothingIsLeft() {
	h.t.Helper()
	file, err := os.ReadFile(h.db.Path())
	if n := bytes.Count(file, []byte(erasedWord)); err != nil || n > 0 {
		h.t.Errorf("the word is in the file %d times, %v", n, err)
	}
	if found, _, err := h.db.Residue(h.t.Context(), 1, 1<<20); err != nil || len(found) > 1 {
		h.t.Errorf("%d pages may have copies of rows, %v", len(found), err)
	}
}

// What a deleted account wrote is not in the write-ahead log any more when the request
// ends.
func TestDeletionEmptiesTheLog(t *testing.T) {
	h := open(t)
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ben, erasedWord) })
	if !bytes.Contains(h.writeLog(), []byte(erasedWord)) {
		t.Fatal("the log has no words of the account")
	}
	h.erased(h.cast.Ben)
	if bytes.Contains(h.writeLog(), []byte(erasedWord)) {
		t.Error("the log has words of the deleted account")
	}
}

// The job does not empty the write-ahead log, for which writes wait, while there is no
// deletion to go on with.
func TestJobLeavesTheLog(t *testing.T) {
	h := open(t)
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ada, "x") })
	before := len(h.writeLog())
	h.job()
	if after := len(h.writeLog()); before == 0 || after < before {
		t.Errorf("without a deletion, the log of %d bytes has %d", before, after)
	}
	h.erased(h.cast.Ben)
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ada, "y") })
	before = len(h.writeLog())
	h.job()
	if after := len(h.writeLog()); before == 0 || after < before {
		t.Errorf("with a deletion that ends later, the log of %d bytes has %d", before, after)
	}
}

// The command line is told how many rows of an account are changed, in parts.
func TestDeletionProgress(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ben, make([]string, 30)...) })
	var first, all int
	err := h.Erase(t.Context(), h.cast.Ben.Email, func(rows int) {
		if all == 0 {
			first = rows
		}
		all += rows
	})
	if err != nil || first < 1 || first >= 30 || all < 30 {
		t.Errorf("%d rows of %d at first, %v", first, all, err)
	}
	h.wantStage("after the command", h.cast.Ben.ID, store.Removed)
}

// The job goes on with a deletion at every stage; the last it ends five seconds after
// the account is gone, when its streams have ended.
func TestJobEndsADeletion(t *testing.T) {
	t.Parallel()
	h := open(t)
	ben := h.cast.Ben.ID
	h.commit(func(tx *store.Tx) error { return errors.Join(h.say(tx, h.cast.Ben, "a", "b"), tx.Freeze(ben)) })
	if err := h.redactFrozen(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	h.wantStage("before the job", ben, store.Redacted)
	h.job()
	h.wantStage("after the job", ben, store.Removed)
	var gone store.Time
	h.commit(func(tx *store.Tx) error {
		e, err := tx.Erasure(ben)
		gone = e.At
		return err
	})
	at := func(moment store.Time) { h.db.Clock.Advance(moment.Go().Sub(h.db.Clock.Now())) }
	at(gone.Add(5*time.Second - time.Microsecond))
	h.job()
	h.wantStage("before the end", ben, store.Removed)
	at(gone.Add(5 * time.Second))
	h.job()
	if stage := h.stage(ben); stage != "" {
		t.Errorf("five seconds later the deletion is at %q", stage)
	}
}

// A deletion does not end while a reader keeps the write-ahead log from being emptied,
// and ends with the next run.
func TestReaderKeepsADeletion(t *testing.T) {
	h := open(t)
	h.erased(h.cast.Ben)
	h.db.Clock.Advance(time.Minute)
	err := h.db.Read(t.Context(), func(r *store.Reader) error {
		if _, err := r.User(h.cast.Ada.ID); err != nil {
			return err
		}
		h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ada, "x") })
		h.job()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if stage := h.stage(h.cast.Ben.ID); stage != store.Removed {
		t.Errorf("beside a reader, the deletion is at %q", stage)
	}
	h.job()
	if stage := h.stage(h.cast.Ben.ID); stage != "" {
		t.Errorf("without a reader, the deletion is at %q", stage)
	}
}

// indexed indexes what waits.
func (h *harness) indexed() {
	for was := true; was; {
		h.commit(func(tx *store.Tx) (err error) {
			was, err = tx.IndexWords()
			return err
		})
	}
}

// The words of an account with many messages are not in the file once the job has run.
func TestWordsOfManyMessagesAreGone(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.commit(func(tx *store.Tx) error {
		return h.say(tx, h.cast.Ben, strings.Split(strings.Repeat(erasedWord+" ", 120), " ")[:120]...)
	})
	h.indexed()
	h.erased(h.cast.Ben)
	h.db.Clock.Advance(time.Minute)
	h.job()
	if stage := h.stage(h.cast.Ben.ID); stage != "" {
		t.Errorf("the deletion is at %q", stage)
	}
	h.nothingIsLeft()
}

// Neither are the words of a long message.
func TestWordsOfALongMessageAreGone(t *testing.T) {
	t.Parallel()
	h := open(t)
	var text strings.Builder
	for n := range 4000 {
		fmt.Fprintf(&text, "qz%04d ", n)
	}
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ben, text.String()) })
	h.indexed()
	h.erased(h.cast.Ben)
	h.db.Clock.Advance(time.Minute)
	h.job()
	if stage := h.stage(h.cast.Ben.ID); stage != "" {
		t.Errorf("the deletion is at %q", stage)
	}
	file, err := os.ReadFile(h.db.Path())
	if n := bytes.Count(file, []byte("qz3999")); err != nil || n > 0 {
		t.Errorf("the last word is in the file %d times, %v", n, err)
	}
	h.nothingIsLeft()
}

// The whole event log is searched for a deleted account, at the bounds of the parts that
// are searched at once, too.
func TestEventsOfADeletedAccountAreGone(t *testing.T) {
	h := open(t)
	h.erased(h.cast.Ben)
	file, err := sql.Open("sqlite", "file:"+h.db.Path()+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	named := func() (n int) {
		t.Helper()
		if err := file.QueryRow(`SELECT count(*) FROM event WHERE ?1 IN (topic, object_id, actor_id)`, h.cast.Ben.ID).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var first, last int64
	if err := file.QueryRow(`SELECT min(id), max(id) FROM event`).Scan(&first, &last); err != nil || last >= first+19_000 {
		t.Fatalf("the events %d to %d, %v", first, last, err)
	}
	for n, after := range []int64{19_999, 20_000, 20_001, 39_999, 40_000, 40_001, 60_000} {
		ids := []string{"x", "x", "x"}
		ids[n%3] = h.cast.Ben.ID
		if _, err := file.Exec(`INSERT INTO event VALUES (?, ?, 'k', ?, ?, 0)`, first+after, ids[0], ids[1], ids[2]); err != nil {
			t.Fatal(err)
		}
	}
	if named() < 7 {
		t.Fatalf("%d events name the account", named())
	}
	h.db.Clock.Advance(time.Minute)
	h.job()
	if n := named(); n > 0 {
		t.Errorf("%d events name the account", n)
	}
	if err := file.QueryRow(`SELECT max(id) FROM event`).Scan(&last); err != nil || last < first+60_000 {
		t.Errorf("the last event is %d, %v", last, err)
	}
}

// The size of a small write follows the time that the one before it took, within
// bounds.
func TestStepSize(t *testing.T) {
	for _, tc := range []struct {
		size int
		took time.Duration
		want int
	}{
		{4, scrubTime, 4}, {4, 2 * scrubTime, 2}, {4, time.Minute, 1}, {4, scrubTime / 2, 8}, {4, 0, 8},
		{499, 0, 998}, {500, 0, 1000}, {501, 0, 1000}, {1000, 0, 1000}, {1000, scrubTime, 1000}, {1, 0, 2},
	} {
		if got := stepSize(tc.size, tc.took); got != tc.want {
			t.Errorf("after %d in %v: %d, want %d", tc.size, tc.took, got, tc.want)
		}
	}
}

// Accounts of the ledger that are there again, because an older file was restored, are
// deleted when the file is opened; and the ledger in the file and the one beside it are
// the same afterwards.
func TestLedgerIsReapplied(t *testing.T) {
	t.Parallel()
	h := open(t)
	inFile := store.Erased{UserID: store.NewID(), At: 5}
	beside := []store.Erased{{UserID: h.cast.Ben.ID, At: 6}, {UserID: h.cast.Cleo.ID, At: 7}, {UserID: store.NewID(), At: 8}}
	h.commit(func(tx *store.Tx) error {
		return errors.Join(h.say(tx, h.cast.Ben, "a", "b"), tx.AddErased([]store.Erased{inFile}))
	})
	if err := h.db.AppendLedger(beside); err != nil {
		t.Fatal(err)
	}
	rows := 0
	n, err := h.ReapplyErasures(t.Context(), func(n int) { rows += n })
	if err != nil || n != 2 || rows == 0 {
		t.Errorf("%d accounts and %d rows, %v", n, rows, err)
	}
	h.wantStage("in the ledger", h.cast.Ben.ID, store.Removed)
	h.wantStage("in the ledger", h.cast.Cleo.ID, store.Removed)
	h.wantStage("not in the ledger", h.cast.Ada.ID, "")
	var table []store.Erased
	if err := h.db.Read(t.Context(), func(r *store.Reader) (err error) { table, err = r.Erased(); return err }); err != nil {
		t.Fatal(err)
	}
	text, err := store.ReadLedger(h.db.Path())
	for _, e := range append(beside, inFile) {
		for where, ledger := range map[string][]store.Erased{"in the file": table, "beside it": text} {
			if !strings.Contains(fmt.Sprint(ledger), fmt.Sprint(e)) || len(ledger) != 4 {
				t.Errorf("%v is not in the ledger %s: %v, %v", e, where, ledger, err)
			}
		}
	}
}

// The start of a server has every deletion that began be read as such, and leaves the
// rest, which may take long, to the job.
func TestStartLeavesRowsToTheJob(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.commit(func(tx *store.Tx) error {
		return errors.Join(h.say(tx, h.cast.Ben, "a", "b"), tx.Freeze(h.cast.Ben.ID))
	})
	for range 2 {
		n, err := h.ReapplyErasures(t.Context(), func(n int) { t.Errorf("%d rows were changed", n) })
		if n != 0 || err != nil {
			t.Errorf("%d accounts, %v", n, err)
		}
		h.wantStage("after the start", h.cast.Ben.ID, store.Redacted)
	}
}

// The gap that a restore leaves in the ids of events is not searched for the account,
// and what is behind it is.
func TestDeletionAfterARestore(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.cast.Ben.ID
	name := func(tx *store.Tx) error { return tx.Emit(store.Event{Topic: id}) }
	h.commit(name)
	storetest.SkipEvents(t, h.db)
	h.commit(name)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := h.forgetEvents(ctx, id); err != nil {
		t.Fatal(err)
	}
	h.commit(func(tx *store.Tx) error {
		_, newest, err := tx.EventRange()
		if err != nil {
			return err
		}
		if left, err := tx.EventsOf(id, 0, newest); err != nil || len(left) > 0 {
			t.Errorf("events %v name the account, %v", left, err)
		}
		return nil
	})
}

// Neither are those of the lists that are deleted with the account.
func TestWordsOfManyItemsAreGone(t *testing.T) {
	t.Parallel()
	h := open(t)
	text := erasedWord
	for n := range 200 {
		text += fmt.Sprint(" w", n)
	}
	h.commit(func(tx *store.Tx) error {
		l, err := tx.InsertList(store.List{OwnerID: h.cast.Ben.ID, Title: "A list", Visibility: "public", Slug: "a-list"})
		for range 20 {
			if err == nil {
				_, _, err = tx.InsertItem(store.Item{ListID: l.ID, AuthorID: h.cast.Ben.ID, Content: text})
			}
		}
		return err
	})
	h.indexed()
	h.erased(h.cast.Ben)
	h.db.Clock.Advance(time.Minute)
	h.job()
	if stage := h.stage(h.cast.Ben.ID); stage != "" {
		t.Errorf("the deletion is at %q", stage)
	}
	h.nothingIsLeft()
}

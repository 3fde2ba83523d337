package cron

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"hearth/store"
	"hearth/store/storetest"
)

func newCrontab(db *storetest.DB, log *bytes.Buffer) *Crontab {
	return &Crontab{db: db.DB, log: slog.New(slog.NewTextHandler(log, nil))}
}

func schedule(t *testing.T, text string) cron.Schedule {
	t.Helper()
	s, err := cron.ParseStandard(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The clock of storetest shows 09:26:53; the schedule is 09:27 of each day.
func TestMissed(t *testing.T) {
	db, daily := storetest.Open(t), schedule(t, "27 9 * * *")
	c := newCrontab(db, new(bytes.Buffer))
	step := func(advance time.Duration, want bool, why string) {
		t.Helper()
		db.Clock.Advance(advance)
		if got := c.isMissed(t.Context(), "count", daily); got != want {
			t.Fatalf("%s: %t", why, got)
		}
		if want {
			c.run(t.Context(), Job{Name: "count", Run: func(context.Context) error { return nil }}, daily)
		}
	}
	step(0, false, "it is new")
	step(time.Second, false, "09:26:54")
	step(6*time.Second, true, "09:27:00")
	step(time.Second, false, "09:27:01, done")
	step(50*time.Hour, true, "two missed times are one run")
	step(0, false, "done")
	step(-24*time.Hour, true, "the clock was set back")
	if j := jobRow(t, db, "count"); j.Runs != 3 || j.Error != "" || j.FinishedAt != db.Now() {
		t.Errorf("row: %+v", j)
	}
}

func TestFailuresAreRecordedAndRetried(t *testing.T) {
	db := storetest.Open(t)
	var log bytes.Buffer
	c := newCrontab(db, &log)
	for _, tc := range []struct {
		run  func(context.Context) error
		want string
	}{
		{func(context.Context) error { return errors.New("disk on fire") }, "disk on fire"},
		{func(context.Context) error { panic("boom") }, "panic: boom"},
		{func(context.Context) error { return nil }, ""},
	} {
		log.Reset()
		c.run(t.Context(), Job{Name: "j", Run: tc.run}, schedule(t, "7 3 * * *"))
		if got := jobRow(t, db, "j"); got.Error != tc.want {
			t.Errorf("row %+v, want error %q", got, tc.want)
		}
		if strings.Contains(log.String(), "job failed") != (tc.want != "") {
			t.Errorf("log: %s", log.String())
		}
	}
}

// A server that nobody uses writes nothing to its disk but once a day.
func TestIdleJobsWriteNothing(t *testing.T) {
	db := storetest.Open(t)
	storetest.People(t, db)
	c := newCrontab(db, new(bytes.Buffer))
	runs := func() {
		for _, j := range StoreJobs(db.DB) {
			if s := schedule(t, j.Schedule); !isRare(s) {
				c.run(t.Context(), j, s)
			}
		}
	}
	runs() // empties the log
	db.Clock.Advance(time.Minute)
	runs()
	if log, err := os.Stat(db.Path() + "-wal"); err != nil || log.Size() != 0 {
		t.Errorf("the log: %v, %v", log.Size(), err)
	}
}

func TestStoreJobs(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		for range pruneChunk + 50 {
			if err := tx.Emit(store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}); err != nil {
				return err
			}
		}
		_, err := tx.InsertSession(store.Session{UserID: p.Ada.ID, Kind: "token", Epoch: 1, ExpiresAt: tx.Now.Add(time.Hour)})
		return err
	})
	run := func() {
		t.Helper()
		for _, j := range StoreJobs(db.DB) {
			if _, err := cron.ParseStandard(j.Schedule); err != nil {
				t.Errorf("%s: %v", j.Name, err)
			}
			if err := j.Run(t.Context()); err != nil {
				t.Errorf("%s: %v", j.Name, err)
			}
		}
	}
	counts := func() (events int64, sessions int) {
		t.Helper()
		err := db.Read(t.Context(), func(r *store.Reader) error {
			oldest, newest, err := r.EventRange()
			if err != nil {
				return err
			}
			events = newest - oldest + 1
			list, err := r.Sessions(storetest.Human(p.Ada))
			sessions = len(list)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return events, sessions
	}
	run()
	if e, s := counts(); e != pruneChunk+50 || s != 1 {
		t.Errorf("what is not over was deleted: %d events, %d sessions", e, s)
	}
	db.Clock.Advance(keepEvents + time.Minute)
	write(t, db, func(tx *store.Tx) error { return tx.Emit(store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}) })
	run()
	if e, s := counts(); e != 1 || s != 0 {
		t.Errorf("%d events and %d sessions are left, want 1 and 0", e, s)
	}
	// The last event is not deleted, however old, so that the next gets a new
	// number.
	db.Clock.Advance(keepEvents + time.Minute)
	run()
	if e, _ := counts(); e != 1 {
		t.Errorf("%d events are left, want the newest", e)
	}
}

func TestCronRunsMissedJobsAtStart(t *testing.T) {
	db := storetest.Open(t)
	var log bytes.Buffer
	ran := make(chan struct{}, 10)
	jobs := []Job{
		{"yearly", "0 0 1 1 *", func(context.Context) error { ran <- struct{}{}; return nil }},
		{"waits", "0 0 1 1 *", func(ctx context.Context) error { ran <- struct{}{}; <-ctx.Done(); return ctx.Err() }},
	}
	add := func(tx *store.Tx) error {
		return errors.Join(tx.AddJob("yearly", db.Now()), tx.AddJob("waits", db.Now()), tx.AddJob("last", db.Now()))
	}
	if err := db.DB.Write(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	db.Clock.Advance(366 * 24 * time.Hour)
	fresh := Job{"new", "0 0 1 1 *", func(context.Context) error { t.Error("a new job ran at start"); return nil }}
	c, err := Start(db.DB, slog.New(slog.NewTextHandler(&log, nil)), append([]Job{fresh}, jobs...))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-ran:
		case <-time.After(10 * time.Second):
			t.Fatal("a missed job was not run at start")
		}
	}
	c.Stop() // ends the one that waits
	if j := jobRow(t, db, "waits"); j.FinishedAt == 0 || j.Error == "" {
		t.Errorf("a job stopped half-way: %+v", j)
	}
	last := Job{"last", "0 0 1 1 *", func(context.Context) error { ran <- struct{}{}; return nil }}
	c, err = Start(db.DB, slog.New(slog.NewTextHandler(&log, nil)), []Job{jobs[0], last})
	if err != nil {
		t.Fatal(err)
	}
	<-ran // jobs are started in order
	c.Stop()
	if j := jobRow(t, db, "yearly"); j.Runs != 1 {
		t.Errorf("%d runs although it was not due again", j.Runs)
	}
	if _, err := Start(db.DB, slog.Default(), []Job{{Name: "bad", Schedule: "every day"}}); err == nil {
		t.Error("a bad schedule was accepted")
	}
}

// Within a minute of its deletion a word is in neither of the files.
func TestDeletedWordsLeaveTheFiles(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	const word = "Heliotropium"
	var m store.Message
	write(t, db, func(tx *store.Tx) error {
		id, _, err := tx.InsertDirect(cast.Ada.ID, cast.Ben.ID, "")
		if err != nil {
			return err
		}
		m = store.Message{ConversationID: id, SenderID: cast.Ada.ID, Content: "a " + word + " for you", Type: "text"}
		return tx.Send(&m, nil)
	})
	if found := filesWith(t, db.Path(), word); len(found) == 0 {
		t.Fatal("the word was never in a file")
	}
	write(t, db, func(tx *store.Tx) error {
		row, err := tx.Message(storetest.Human(cast.Ada), m.ID)
		if err == nil {
			err = tx.DeleteMessage(&row)
		}
		return err
	})
	for _, job := range StoreJobs(db.DB) {
		if job.Schedule == "* * * * *" {
			if err := job.Run(t.Context()); err != nil {
				t.Errorf("%s: %v", job.Name, err)
			}
		}
	}
	if found := filesWith(t, db.Path(), word); len(found) > 0 {
		t.Errorf("the deleted word is in %v", found)
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Error(broken, err)
	}
}

// filesWith returns which of the files of a database have a word, in any case: an
// index may fold it.
func filesWith(t *testing.T, path, word string) (found []string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(bytes.ToLower(b), []byte(strings.ToLower(word))) {
			found = append(found, filepath.Base(path+suffix))
		}
	}
	return found
}

func jobRow(t *testing.T, db *storetest.DB, name string) (j store.Job) {
	t.Helper()
	err := db.Read(t.Context(), func(r *store.Reader) (err error) {
		j, err = r.Job(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func write(t *testing.T, db *storetest.DB, f func(*store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

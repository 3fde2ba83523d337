package live_test

import (
	"database/sql"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// logged is a log of which the first line can be awaited.
type logged chan string

func (l logged) Write(b []byte) (int, error) {
	select {
	case l <- string(b):
	default:
	}
	return len(b), nil
}

func newLogged() (logged, *slog.Logger) {
	l := make(logged, 1)
	return l, slog.New(slog.NewTextHandler(l, nil))
}

// All events of a commit are delivered after one notification, however many they
// are, and nothing is logged.
func TestBacklogIsDeliveredAfterOneNotification(t *testing.T) {
	lines, log := newLogged()
	w := newWorld(t, func(c *live.Config) { c.Poll, c.Log = time.Hour, log })
	c := w.connect(t, "list=l1", "")
	c.expect("presence", "viewers")
	events := make([]store.Event, 250)
	for i := range events {
		events[i] = store.Event{Topic: "l2", Kind: "item.created", ObjectID: "elsewhere"}
	}
	w.emitAll(t, append(events, store.Event{Topic: "l1", Kind: "item.created", ObjectID: "last"})...)
	c.skipTo("last")
	w.closeHub(t)
	select {
	case line := <-lines:
		t.Errorf("logged: %s", line)
	default:
	}
}

// dropLog removes the event log, which must be empty, and returns the statements
// that make it again.
func (w *world) dropLog(t *testing.T) (restore string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.db.Path()+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT group_concat(sql, ';' ORDER BY rowid) FROM sqlite_schema WHERE tbl_name = 'event'`).Scan(&restore); err != nil {
		t.Fatal(err)
	}
	w.sql(t, `DROP TABLE event`)
	return restore
}

// A log that cannot be read is reported, and read again at the next poll.
func TestUnreadableLogIsReported(t *testing.T) {
	lines, log := newLogged()
	w := newWorld(t, func(c *live.Config) { c.Log = log })
	p := storetest.People(t, w.db)
	c := w.connect(t, as(p.Ada), "")
	c.block()
	restore := w.dropLog(t)
	select {
	case line := <-lines:
		if !strings.Contains(line, "level=WARN") || !strings.Contains(line, "no such table") {
			t.Errorf("logged: %s", line)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was logged within ten seconds")
	}
	w.sql(t, restore)
	w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}, "f1")
	c.expect("friend.updated", "f1")
}

package chat_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/store"
)

const (
	park     = "Where can I park?"
	parkSays = "Behind the mill."
)

// logged starts the work with a log of its own. The log is complete after stop.
func (d *desk) logged() *bytes.Buffer {
	d.Helper()
	d.stop()
	var log bytes.Buffer
	var err error
	d.secretary, err = chat.NewSecretary(d.ctx, d.db.DB, slog.New(slog.NewTextHandler(&log, nil)))
	d.ok(err)
	d.s = chat.New(chat.Config{DB: d.db.DB, Secretary: d.secretary})
	return &log
}

// commits returns a channel that has a value after each commit from now on, or
// after several.
func (d *desk) commits() <-chan struct{} {
	c := make(chan struct{}, 1)
	d.db.OnCommit(func([]store.Event) {
		select {
		case c <- struct{}{}:
		default:
		}
	})
	return c
}

// await waits until a conversation has n automatic replies, and does not ask the
// secretary for them.
func (d *desk) await(commits <-chan struct{}, conversationID string, n int) {
	d.Helper()
	late := time.After(10 * time.Second)
	for d.automatic(conversationID) < n {
		select {
		case <-commits:
		case <-late:
			d.Fatalf("%d automatic replies, want %d", d.automatic(conversationID), n)
		}
	}
}

// automatic counts the automatic replies in a conversation.
func (d *desk) automatic(conversationID string) (n int) {
	d.Helper()
	d.ok(d.db.Read(d.ctx, func(r *store.Reader) error {
		rows, err := r.Messages(as(d.Ben), conversationID, 0, 100)
		for _, m := range rows {
			if m.ViaSecretary {
				n++
			}
		}
		return err
	}))
	return n
}

// A message that cannot be answered is logged, and tried again with the next one.
// What was answered, and what cannot be because the database is closed, is not.
func TestSecretaryFails(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	log := d.logged()
	d.answers(d.Ada, wifi, wifiSays, park, parkSays)
	c := d.direct(d.Ben, d.Ada)
	d.sql(`CREATE TRIGGER refuse BEFORE INSERT ON message WHEN NEW.via_secretary = 1 BEGIN SELECT RAISE(ABORT, 'refused'); END`)
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID)
	d.sql(`DROP TRIGGER refuse`)
	commits := d.commits()
	d.send(d.Ben, c.ID, park)
	d.secretary.Notify(nil)
	d.await(commits, c.ID, 2)
	d.want(c.ID, wifiSays, parkSays)
	d.stop()
	if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "refused") {
		t.Errorf("logged %q", got)
	}
}

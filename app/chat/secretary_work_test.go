package chat_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

const (
	park     = "Where can I park?"
	parkSays = "Behind the mill."
)

// clockAt sets the clock to a moment that is not past.
func (d *desk) clockAt(at store.Time) {
	d.Helper()
	by := at.Sub(d.db.Now())
	if by < 0 {
		d.Fatalf("the clock is %v past %v", -by, at)
	}
	d.db.Clock.Advance(by)
}

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

// A message is answered up to exactly ten minutes after it was sent.
func TestSecretaryAgeExactly(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays, park, parkSays)
	c := d.direct(d.Ben, d.Ada)
	q := d.send(d.Ben, c.ID, wifi)
	d.clockAt(q.CreatedAt.Add(10 * time.Minute))
	d.want(c.ID, wifiSays)
	q = d.send(d.Ben, c.ID, park)
	d.clockAt(q.CreatedAt.Add(10*time.Minute + time.Microsecond))
	d.want(c.ID, wifiSays)
}

// The ten replies of a minute are counted from the first, until exactly a minute
// later.
func TestSecretaryRateExactly(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	ends := d.db.Now().Add(time.Minute)
	for range 10 {
		d.send(d.Ben, c.ID, wifi)
	}
	d.want(c.ID, slices.Repeat([]string{wifiSays}, 10)...)
	d.send(d.Ben, c.ID, wifi)
	d.clockAt(ends - 1)
	if n := len(d.replies(c.ID)); n != 10 {
		t.Errorf("%d replies within the minute", n)
	}
	d.clockAt(ends - 1)
	d.send(d.Ben, c.ID, wifi)
	d.clockAt(ends)
	if n := len(d.replies(c.ID)); n != 11 {
		t.Errorf("%d replies after exactly a minute, want 11", n)
	}
}

// What was sent while the server stood still is answered when it starts, without
// another message.
func TestSecretaryAnswersAtTheStart(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	d.want(c.ID)
	d.stop()
	d.send(d.Ben, c.ID, wifi)
	commits := d.commits()
	d.start()
	d.await(commits, c.ID, 1)
}

// Another account that enables its secretary does not make that of the first forget
// what it has not read yet.
func TestSecretaryOfAnotherIsEnabled(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	d.send(d.Ben, c.ID, wifi)
	d.answers(d.Cleo, park, parkSays)
	d.want(c.ID, wifiSays)
}

// The id of a reply follows from its question. Whoever sends a message with that id
// before, or asks again, does not keep others from their replies.
func TestSecretaryGoesOnAfterATakenID(t *testing.T) {
	d := newDesk(t)
	log := d.logged()
	d.answers(d.Ada, wifi, wifiSays, park, parkSays)
	c, other := d.direct(d.Ben, d.Ada), d.direct(d.Ben, d.Cleo)
	q := d.send(d.Ben, c.ID, wifi)
	_, err := d.s.SendMessage.Call(d.ctx, as(d.Ben), chat.SendMessageIn{ConversationID: other.ID, ID: store.ReplyID(q.ID, q.CreatedAt),
		Content: "mine"})
	d.ok(err)
	d.send(d.Ben, c.ID, park)
	d.want(c.ID, parkSays)
	if d.stop(); log.Len() > 0 {
		t.Errorf("logged %s", log)
	}
	log = d.logged()
	d.send(d.Ben, c.ID, park)
	d.want(c.ID, parkSays, parkSays)
	if d.stop(); log.Len() > 0 {
		t.Errorf("logged %s", log)
	}
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

// A reply mentions whom the answer names.
func TestSecretaryMentions(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, "On the board, @Ben.")
	c := d.direct(d.Ben, d.Ada)
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID, "On the board, @Ben.")
	if got := d.conversation(d.Ben, c.ID); !got.Mentioned || !slices.Equal(got.LastMessage.Mentions, []string{d.Ben.ID}) {
		t.Errorf("mentioned %v in %+v", got.Mentioned, got.LastMessage)
	}
}

// The question of an answer can be changed alone, and the answer alone.
func TestSecretaryChangesQuestion(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	all, err := d.s.GetSecretary.Call(d.ctx, as(d.Ada), core.None{})
	d.ok(err)
	got, err := d.s.UpdateSecretaryAnswer.Call(d.ctx, as(d.Ada), chat.UpdateAnswerIn{ID: all.Answers[0].ID, Question: core.Some(park)})
	if d.ok(err); got.Question != park || got.Answer != wifiSays || got.UpdatedAt <= got.CreatedAt {
		t.Errorf("got %+v", got)
	}
	for question, want := range map[string]bool{wifi: false, park: true} {
		out, err := d.s.TryQuestion.Call(d.ctx, as(d.Ada), chat.TryQuestionIn{Question: question})
		if d.ok(err); (out.Answer != nil) != want {
			t.Errorf("%s: %+v", question, out.Answer)
		}
	}
}

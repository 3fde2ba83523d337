package chat_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// desk is a world in which secretaries work.
type desk struct {
	*world
	secretary *chat.Secretary
}

func newDesk(t *testing.T) *desk {
	d := &desk{world: newWorld(t)}
	d.start()
	t.Cleanup(d.stop)
	return d
}

// start starts the work, as a server does, and stop ends it.
func (d *desk) start() {
	d.Helper()
	var err error
	d.secretary, err = chat.NewSecretary(d.ctx, d.db.DB, slog.New(slog.NewTextHandler(d.Output(), nil)))
	d.ok(err)
	d.s = chat.New(chat.Config{DB: d.db.DB, Secretary: d.secretary})
}

func (d *desk) stop() { d.secretary.Close() }

// answers enables the secretary of u with pairs of a question and an answer.
func (d *desk) answers(u store.User, pairs ...string) {
	d.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		_, err := d.s.CreateSecretaryAnswer.Call(d.ctx, as(u), chat.CreateAnswerIn{Question: pairs[i], Answer: pairs[i+1]})
		d.ok(err)
	}
	_, err := d.s.UpdateSecretary.Call(d.ctx, as(u), chat.UpdateSecretaryIn{Enabled: new(true)})
	d.ok(err)
}

// replies waits for the work to be done and returns the automatic replies in a
// conversation.
func (d *desk) replies(conversationID string) (out []string) {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.ctx, 30*time.Second)
	defer cancel()
	d.ok(d.secretary.Wait(ctx))
	d.ok(d.db.Read(d.ctx, func(r *store.Reader) error {
		rows, err := r.Messages(as(d.Ben), conversationID, 0, 100)
		for _, m := range rows {
			if m.ViaSecretary {
				out = append([]string{m.Content}, out...)
			}
		}
		return err
	}))
	return out
}

func (d *desk) want(conversationID string, replies ...string) {
	d.Helper()
	if got := d.replies(conversationID); strings.Join(got, "|") != strings.Join(replies, "|") {
		d.Errorf("automatic replies %q, want %q", got, replies)
	}
}

const (
	wifi     = "What is the wifi password?"
	wifiSays = "On the board."
)

func TestSecretaryReplies(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays, "Where can I park?", "Behind the mill.")
	c := d.direct(d.Ben, d.Ada)
	q := d.send(d.Ben, c.ID, "hey! whats the wifi pasword?")
	d.want(c.ID, wifiSays)
	page := d.page(d.Ben, chat.ListMessagesIn{ConversationID: c.ID, Limit: 10})
	m := page.Messages[len(page.Messages)-1]
	if m.SenderID != d.Ada.ID || !m.ViaSecretary || m.ReplyToID == nil || *m.ReplyToID != q.ID || m.Agent != nil || !store.ValidID(m.ID) ||
		m.ID[14] != '7' {
		t.Errorf("got %+v", m)
	}
	// It is Ada's message, and yet she has not read Ben's.
	if got := d.conversation(d.Ada, c.ID); got.UnreadCount != 1 || got.LastReadAt != nil {
		t.Errorf("the question does not stay unread: %+v", got)
	}
	if got := d.conversation(d.Ben, c.ID); got.UnreadCount != 1 {
		t.Errorf("the reply is not unread: %+v", got)
	}
	evs := d.db.Events(t, c.ID)
	if last := evs[len(evs)-1]; last.Kind != "message.created" || last.ObjectID != m.ID || last.ActorID != d.Ada.ID {
		t.Errorf("the last event is %+v", last)
	}
}

func TestSecretaryIsSilent(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(d *desk, direct string){
		"about anything else": func(d *desk, direct string) { d.send(d.Ben, direct, "see you tomorrow at the mill") },
		"to its owner":        func(d *desk, direct string) { d.send(d.Ada, direct, wifi) },
		"in a group": func(d *desk, direct string) {
			d.send(d.Ben, d.group(d.Ben, d.Ada).ID, wifi)
			d.want(direct)
		},
		"in notes to oneself": func(d *desk, direct string) {
			d.send(d.Ada, d.direct(d.Ada, d.Ada).ID, wifi)
			d.want(direct)
		},
		"to an agent key": func(d *desk, direct string) {
			by := as(d.Ben)
			by.Kind, by.KeyID, by.AgentName = store.Agent, store.NewID(), "Helper"
			_, err := d.s.SendMessage.Call(d.ctx, by, chat.SendMessageIn{ConversationID: direct, Content: wifi})
			d.ok(err)
		},
		"to a bot": func(d *desk, direct string) {
			bot := d.add(store.User{Name: "Bot", Email: "bot@example.org", IsBot: true})
			c := d.direct(d.Ada, bot)
			d.send(bot, c.ID, wifi)
			d.ok(d.secretary.Wait(d.ctx))
			if c := d.conversation(d.Ada, c.ID); c.LastMessage.ViaSecretary {
				d.Error("it answered a bot")
			}
		},
		"when disabled": func(d *desk, direct string) {
			_, err := d.s.UpdateSecretary.Call(d.ctx, as(d.Ada), chat.UpdateSecretaryIn{Enabled: new(false)})
			d.ok(err)
			d.send(d.Ben, direct, wifi)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.answers(d.Ada, wifi, wifiSays)
			c := d.direct(d.Ben, d.Ada)
			send(d, c.ID)
			d.want(c.ID)
		})
	}
}

// A question from before a block is not answered while it lasts, nor afterwards,
// whoever of both blocks the other.
func TestSecretaryAcrossABlock(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	block := func(blocker, blocked store.User, on bool) {
		t.Helper()
		d.ok(d.db.Write(d.ctx, func(tx *store.Tx) (err error) {
			if on {
				_, err = tx.InsertBlock(blocker.ID, blocked.ID)
			} else {
				err = tx.DeleteBlock(blocker.ID, blocked.ID)
			}
			if err == nil {
				_, err = tx.HideDirects(blocker.ID, blocked.ID)
			}
			return err
		}))
	}
	for _, pair := range [][2]store.User{{d.Ada, d.Ben}, {d.Ben, d.Ada}} {
		d.stop()
		d.send(d.Ben, c.ID, wifi) // the secretary has not read it when the block comes
		block(pair[0], pair[1], true)
		d.start()
		d.ok(d.secretary.Wait(d.ctx))
		if out, err := d.s.SendMessage.Call(d.ctx, as(d.Ben), chat.SendMessageIn{ConversationID: c.ID, Content: wifi}); err != nil ||
			out.Created() {
			t.Errorf("a message across the block: %+v, %v", out, err)
		}
		d.ok(d.secretary.Wait(d.ctx))
		block(pair[0], pair[1], false)
		d.want(c.ID)
	}
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID, wifiSays)
}

// An answer is the one that is stored when the question comes, also if the secretary
// gave an earlier one before.
func TestSecretaryGivesTheChangedAnswer(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID, wifiSays)
	all, err := d.s.GetSecretary.Call(d.ctx, as(d.Ada), core.None{})
	d.ok(err)
	_, err = d.s.UpdateSecretaryAnswer.Call(d.ctx, as(d.Ada), chat.UpdateAnswerIn{ID: all.Answers[0].ID, Answer: core.Some("Swordfish.")})
	d.ok(err)
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID, wifiSays, "Swordfish.")
}

// Two secretaries whose answers are each other's questions do not talk.
func TestSecretariesDoNotTalk(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, "Where can I park?", "Behind the mill.", wifi)
	d.answers(d.Ben, "Where can I park?", "Behind the mill.", wifi, "Where can I park?")
	c := d.direct(d.Ben, d.Ada)
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID, "Where can I park?")
}

// A question is answered once, however often its event is read, and not
// forgotten when the server stops before.
func TestSecretaryAcrossRestarts(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays, "Where can I park?", "Behind the mill.")
	c := d.direct(d.Ben, d.Ada)
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID, wifiSays)
	d.stop()

	d.send(d.Ben, c.ID, "Where can I park?") // nobody works
	d.start()
	d.want(c.ID, wifiSays, "Behind the mill.")
	d.stop()

	d.start()
	d.want(c.ID, wifiSays, "Behind the mill.")

	// Not even one that was deleted is sent again.
	page := d.page(d.Ada, chat.ListMessagesIn{ConversationID: c.ID, Limit: 10})
	_, err := d.s.DeleteMessage.Call(d.ctx, as(d.Ada), core.ByID{ID: page.Messages[1].ID})
	d.ok(err)
	d.stop()
	d.start()
	d.want(c.ID, "", "Behind the mill.")
}

// What has changed since the question came is not decided again: a late start
// sends no reply that the owner did not approve before, and none to old messages.
func TestSecretaryStartsLate(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	d.ok(d.secretary.Wait(d.ctx))
	d.stop()
	d.send(d.Ben, c.ID, "Where can I park?")
	d.answers(d.Ada, "Where can I park?", "Behind the mill.")
	d.start()
	d.want(c.ID)
	d.stop()

	d.send(d.Ben, c.ID, wifi)
	d.db.Clock.Advance(11 * time.Minute)
	d.start()
	d.want(c.ID)
}

// The first person who enables the secretary while the server runs is answered for from
// then on.
func TestSecretaryOfTheFirst(t *testing.T) {
	d := newDesk(t)
	d.stop()
	d.sql(`UPDATE secretary SET enabled = 0`)
	d.start()
	d.sql(`UPDATE secretary SET enabled = 1`) // of an account that has nothing to do with this
	c := d.direct(d.Ben, d.Ada)
	d.send(d.Ben, c.ID, wifi)
	d.answers(d.Ada, wifi, wifiSays)
	d.send(d.Ben, c.ID, wifi)
	d.want(c.ID, wifiSays)
}

func TestSecretaryRate(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	c := d.direct(d.Ben, d.Ada)
	for range 12 {
		d.send(d.Ben, c.ID, wifi)
	}
	if n := len(d.replies(c.ID)); n != 10 {
		t.Errorf("%d replies within a minute, want 10", n)
	}
	d.db.Clock.Advance(61 * time.Second)
	d.send(d.Ben, c.ID, wifi)
	if n := len(d.replies(c.ID)); n != 11 {
		t.Errorf("%d replies, want 11: one more in the next minute", n)
	}
}

func TestTryQuestion(t *testing.T) {
	d := newDesk(t)
	d.answers(d.Ada, wifi, wifiSays)
	out, err := d.s.TryQuestion.Call(d.ctx, as(d.Ada), chat.TryQuestionIn{Question: "wifi pw?"})
	if d.ok(err); out.Answer == nil || out.Answer.Answer != wifiSays {
		t.Errorf("got %+v", out.Answer)
	}
	out, err = d.s.TryQuestion.Call(d.ctx, as(d.Ben), chat.TryQuestionIn{Question: "wifi pw?"})
	if d.ok(err); out.Answer != nil {
		t.Errorf("another account's answer: %+v", out.Answer)
	}
}

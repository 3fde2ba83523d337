package chat

import (
	"errors"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// The answer is the one whose question is nearest; of equal ones, the oldest; and none
// if another answer is nearly as near.
func TestPick(t *testing.T) {
	const wifi = "What is the wifi password?"
	answers := func(pairs ...string) (rows []store.SecretaryAnswer) {
		for i := 0; i < len(pairs); i += 2 {
			rows = append(rows, store.SecretaryAnswer{Question: pairs[i], Answer: pairs[i+1]})
		}
		return rows
	}
	for name, c := range map[string]struct {
		answers []store.SecretaryAnswer
		want    int
	}{
		"none":                          {nil, -1},
		"nothing like it":               {answers("When is the harvest?", "In June."), -1},
		"the first is nearest":          {answers(wifi, "A", "Where is the wifi password written?", "B"), 0},
		"the second is nearest":         {answers("Where is the wifi password written?", "B", wifi, "A"), 1},
		"two that say the same":         {answers("When is the harvest?", "In June.", wifi, "A", wifi, "A"), 1},
		"two that say different things": {answers(wifi, "A", wifi, "B"), -1},
	} {
		if got := pick(wifi, c.answers); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// asked is a database with a question of Ben's to Ada, which her secretary may answer.
type asked struct {
	*testing.T
	storetest.Cast
	db *storetest.DB
	s  *Service
	q  store.SecretaryQuestion
	a  store.SecretaryAnswer
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	db := storetest.Open(t)
	x := &asked{T: t, Cast: storetest.People(t, db), db: db, s: New(Config{DB: db.DB})}
	ctx, ada, ben := t.Context(), storetest.Human(x.Ada), storetest.Human(x.Ben)
	_, err := x.s.UpdateSecretary.Call(ctx, ada, UpdateSecretaryIn{Enabled: new(true)})
	x.ok(err)
	_, err = x.s.CreateSecretaryAnswer.Call(ctx, ada, CreateAnswerIn{Question: "Where can I park?", Answer: "Behind the mill."})
	x.ok(err)
	c, err := x.s.CreateConversation.Call(ctx, ben, CreateConversationIn{ParticipantIDs: []string{x.Ada.ID}})
	x.ok(err)
	m, err := x.s.SendMessage.Call(ctx, ben, SendMessageIn{ConversationID: c.ID, Content: "Where can I park?"})
	x.ok(err)
	x.ok(db.Read(ctx, func(r *store.Reader) error {
		rows, err := r.SecretaryAnswers(ada)
		if err == nil {
			x.a = rows[0]
			x.q, err = r.SecretaryQuestion(m.ID)
		}
		return err
	}))
	return x
}

func (x *asked) ok(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

// reply sends the answer, which was chosen before.
func (x *asked) reply() error {
	return x.db.Write(x.Context(), func(tx *store.Tx) error { return reply(tx, x.q, x.a) })
}

// Nothing is replied to a question that was edited, nor with an answer that was
// changed, since the answer was chosen.
func TestReplyToWhatHasChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(x *asked) error{
		"the question": func(x *asked) error {
			_, err := x.s.EditMessage.Call(x.Context(), storetest.Human(x.Ben), EditMessageIn{ID: x.q.ID, Content: new("Where can I not park?")})
			return err
		},
		"the answer": func(x *asked) error {
			return x.db.Write(x.Context(), func(tx *store.Tx) error {
				a := x.a
				a.Answer = "Nowhere."
				_, err := tx.UpdateSecretaryAnswer(a)
				return err
			})
		},
		"the question of the answer": func(x *asked) error {
			return x.db.Write(x.Context(), func(tx *store.Tx) error {
				a := x.a
				a.Question = "Where can I leave my bicycle?"
				_, err := tx.UpdateSecretaryAnswer(a)
				return err
			})
		},
		"nothing": func(*asked) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			x := newAsked(t)
			x.ok(change(x))
			want, replies := store.ErrNoRow, 0
			if name == "nothing" {
				want, replies = nil, 1
			}
			if err := x.reply(); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			page, err := x.s.ListMessages.Call(t.Context(), storetest.Human(x.Ben), ListMessagesIn{ConversationID: x.q.ConversationID})
			if x.ok(err); len(page.Messages) != 1+replies {
				t.Errorf("%d messages, want %d", len(page.Messages), 1+replies)
			}
		})
	}
}

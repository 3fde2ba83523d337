package social_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// world is the service on a database of the test's own, with the cast.
type world struct {
	*testing.T
	storetest.Cast
	db  *storetest.DB
	s   *social.Service
	ctx context.Context
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return worldIn(t, storetest.Open(t))
}

func worldIn(t *testing.T, db *storetest.DB) *world {
	t.Helper()
	w := &world{T: t, Cast: storetest.People(t, db), db: db, ctx: context.Background()}
	w.s = social.New(social.Config{DB: db.DB, Connect: connect, Reply: reply})
	return w
}

// connect and reply do what the chat does.
func connect(tx *store.Tx, userIDs [2]string, card store.MessageCard) (string, error) {
	id, _, err := tx.InsertDirect(userIDs[0], userIDs[1], "")
	if err == nil {
		_, err = tx.SendCard(id, card)
	}
	return id, err
}

func reply(tx *store.Tx, by store.Viewer, userID, content string) (string, jsontext.Value, error) {
	id, _, err := tx.InsertDirect(by.UserID, userID, "")
	if err == nil {
		err = tx.Send(&store.Message{ConversationID: id, SenderID: by.UserID, Content: content}, nil)
	}
	return id, jsontext.Value(`{}`), err
}

var as = storetest.Human

// code returns the code of an error, "" for none.
func code(err error) string {
	if err == nil {
		return ""
	}
	return core.As(err).Code
}

// later returns a moment d from the world's clock.
func (w *world) later(d time.Duration) *store.Time {
	at := w.db.Now().Add(d)
	return &at
}

// person adds a person.
func (w *world) person(name string) store.User {
	w.Helper()
	var u store.User
	w.write(func(tx *store.Tx) (err error) {
		u, err = tx.InsertUser(store.User{Email: name + "@example.org", Name: name, SignupProvider: "magic-link", DiscoveryMode: "name"})
		return err
	})
	return u
}

func (w *world) write(f func(tx *store.Tx) error) {
	w.Helper()
	if err := w.db.Write(w.ctx, f); err != nil {
		w.Fatal(err)
	}
}

// intent publishes an intent of u's.
func (w *world) intent(u store.User, kind, terms string, change ...func(*social.CreateIntentIn)) social.AgentIntent {
	w.Helper()
	in := social.CreateIntentIn{Kind: kind, Terms: terms, Confirm: new(true)}
	for _, c := range change {
		c(&in)
	}
	out, err := w.s.CreateIntent.Call(w.ctx, as(u), in)
	if err != nil {
		w.Fatal(err)
	}
	return out.Intent
}

// matches returns the matches of u.
func (w *world) matches(u store.User) []social.AgentMatch {
	w.Helper()
	out, err := w.s.ListMatches.Call(w.ctx, as(u), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	return out.Matches
}

// story publishes a Story of u's, with the preview that it needs.
func (w *world) story(u store.User, in social.PublishStoryIn) social.PublishOut {
	w.Helper()
	in.Confirm, in.ApprovalGrant = new(true), w.grant(u, in)
	out, err := w.s.PublishStory.Call(w.ctx, as(u), in)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// grant returns the grant for a Story.
func (w *world) grant(u store.User, in social.PublishStoryIn) string {
	w.Helper()
	in.Confirm = new(false)
	out, err := w.s.PublishStory.Call(w.ctx, as(u), in)
	if err != nil {
		w.Fatal(err)
	}
	_, preview := out.Bodies()
	return preview.(*social.Preview).ApprovalGrant
}

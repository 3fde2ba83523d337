package people_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/people"
	"hearth/store"
	"hearth/store/storetest"
)

// world is the service on a database of the test's own, with the cast.
type world struct {
	*people.Service
	t    *testing.T
	db   *storetest.DB
	cast storetest.Cast
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := storetest.Open(t)
	return &world{people.New(people.Config{DB: db.DB, BaseURL: "https://hearth.test"}), t, db, storetest.People(t, db)}
}

// code returns the code of an error, "" for none.
func code(err error) string {
	if err == nil {
		return ""
	}
	return core.As(err).Code
}

// model is what friends, cooldowns and blocks should be: by two people, in
// order.
type model struct {
	state    map[[2]string]string // none is ""
	cooldown map[[2]string]time.Time
	blocks   map[[2]string]bool
	now      time.Time
}

func (m *model) set(a, b, state, mirrored string) {
	m.state[[2]string{a, b}], m.state[[2]string{b, a}] = state, mirrored
}

// do returns the expected code and changes the model.
func (m *model) do(act, a, b string) string {
	ab, ba := [2]string{a, b}, [2]string{b, a}
	state := m.state[ab]
	switch act {
	case "block":
		if m.blocks[ab] {
			return ""
		}
		if m.blocks[ba] {
			return "not_found"
		}
		m.blocks[ab] = true
		m.set(a, b, "", "")
		return ""
	case "unblock":
		if !m.blocks[ab] {
			return "not_found"
		}
		delete(m.blocks, ab)
		return ""
	}
	if m.blocks[ab] || m.blocks[ba] {
		return "not_found"
	}
	switch {
	case act == "request" && state == "outgoing":
	case act == "request" && state == "" && m.cooldown[ab].After(m.now):
		return "declined_before"
	case act == "request" && state == "":
		m.set(a, b, "outgoing", "incoming")
	case (act == "request" || act == "accept") && state == "incoming":
		m.set(a, b, "friends", "friends")
		delete(m.cooldown, ab)
		delete(m.cooldown, ba)
	case act == "decline" && state == "incoming":
		m.set(a, b, "", "")
		m.cooldown[ba] = m.now.Add(7 * 24 * time.Hour)
	case act == "cancel" && state == "outgoing", act == "remove" && state == "friends":
		m.set(a, b, "", "")
	default:
		return "friend_state"
	}
	return ""
}

// Random acts of three people have the outcomes of the model, and both sides
// always see the same.
func TestFriendsModel(t *testing.T) {
	w := newWorld(t)
	all := []store.User{w.cast.Ada, w.cast.Ben, w.cast.Cleo}
	m := &model{state: map[[2]string]string{}, cooldown: map[[2]string]time.Time{}, blocks: map[[2]string]bool{}, now: w.db.Clock.Now()}
	acts := []string{"request", "request", "request", "accept", "accept", "decline", "cancel", "remove", "block", "unblock", "unblock"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 600 {
		a := rnd.IntN(3)
		b := (a + 1 + rnd.IntN(2)) % 3
		act := acts[rnd.IntN(len(acts))]
		w.db.Clock.Advance(time.Duration(rnd.IntN(12)) * time.Hour)
		m.now = w.db.Clock.Now()
		err := w.act(act, all[a], all[b])
		if want := m.do(act, all[a].ID, all[b].ID); code(err) != want {
			t.Fatalf("step %d: %s by %s about %s: got %q, want %q", i, act, all[a].Name, all[b].Name, code(err), want)
		}
		w.compare(m, all)
	}
}

func (w *world) act(act string, a, b store.User) error {
	in, by := core.ByID{ID: b.ID}, storetest.Human(a)
	ctx := context.Background()
	switch act {
	case "block":
		_, err := w.BlockUser.Call(ctx, by, in)
		return err
	case "unblock":
		_, err := w.UnblockUser.Call(ctx, by, in)
		return err
	}
	f := map[string]func(context.Context, store.Viewer, core.ByID) (people.FriendStatus, error){
		"request": w.RequestFriend.Call, "accept": w.AcceptFriend.Call, "decline": w.DeclineFriend.Call,
		"cancel": w.CancelFriend.Call, "remove": w.RemoveFriend.Call,
	}[act]
	_, err := f(ctx, by, in)
	return err
}

// compare compares what everybody sees with the model.
func (w *world) compare(m *model, all []store.User) {
	w.t.Helper()
	for _, a := range all {
		out, err := w.ListFriends.Call(context.Background(), storetest.Human(a), core.None{})
		if err != nil {
			w.t.Fatal(err)
		}
		got := map[string]string{}
		for _, list := range [][]people.Friend{out.Friends, out.Incoming, out.Outgoing} {
			for _, f := range list {
				got[f.UserID] = f.State
			}
		}
		for _, b := range all {
			if want := m.state[[2]string{a.ID, b.ID}]; got[b.ID] != want {
				w.t.Fatalf("%s sees %s as %q, want %q", a.Name, b.Name, got[b.ID], want)
			}
		}
	}
}

// Twenty people can be asked within an hour; what is refused or repeated is not
// counted.
func TestRequestQuota(t *testing.T) {
	w := newWorld(t)
	ctx, ada := context.Background(), storetest.Human(w.cast.Ada)
	var last string
	for range 20 {
		id := w.add("someone")
		for range 2 {
			if _, err := w.RequestFriend.Call(ctx, ada, core.ByID{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
		last = id
	}
	next := core.ByID{ID: w.add("one more")}
	_, err := w.RequestFriend.Call(ctx, ada, next)
	var e *core.Error
	if !errors.As(err, &e) || e.Code != "too_many_friend_requests" || e.RetryAfter <= 0 || e.RetryAfter > time.Hour {
		t.Errorf("the 21st request: %v", err)
	}
	if _, err := w.RequestFriend.Call(ctx, ada, core.ByID{ID: last}); err != nil {
		t.Errorf("a repeated request: %v", err)
	}
	w.db.Clock.Advance(time.Hour + time.Second)
	if _, err := w.RequestFriend.Call(ctx, ada, next); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

// add inserts another account and returns its id.
func (w *world) add(name string) (id string) {
	w.t.Helper()
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.InsertUser(store.User{Email: store.NewID() + "@example.org", Name: name, SignupProvider: "magic-link"})
		id = u.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// A report keeps the text of the account as it was, and is the same one until it
// is decided.
func TestReportKeepsText(t *testing.T) {
	w := newWorld(t)
	ctx, ben := context.Background(), storetest.Human(w.cast.Ben)
	if _, err := w.UpdateCard.Call(ctx, ben, people.UpdateCardIn{Headline: core.Some("Cheap watches"), Enabled: core.Some(true)}); err != nil {
		t.Fatal(err)
	}
	in := people.ReportIn{TargetType: "user", TargetID: w.cast.Ben.ID, Reason: "spam"}
	first, err := w.Report.Call(ctx, storetest.Human(w.cast.Ada), in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.UpdateCard.Call(ctx, ben, people.UpdateCardIn{Headline: core.Some("A friendly person")}); err != nil {
		t.Fatal(err)
	}
	again, err := w.Report.Call(ctx, storetest.Human(w.cast.Ada), in)
	if err != nil || again.ID != first.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	other, err := w.Report.Call(ctx, storetest.Human(w.cast.Cleo), in)
	if err != nil || other.ID == first.ID {
		t.Errorf("by another person: %+v, %v", other, err)
	}
}

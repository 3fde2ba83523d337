package chat_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func (w *world) addTo(by store.User, id string, u store.User) (chat.AddParticipantOut, error) {
	return w.s.AddParticipant.Call(w.ctx, as(by), chat.AddParticipantIn{ConversationID: id, UserID: u.ID})
}

func (w *world) remove(by store.User, id string, u store.User) error {
	_, err := w.s.RemoveParticipant.Call(w.ctx, as(by), chat.RemoveParticipantIn{ConversationID: id, UserID: u.ID})
	return err
}

func (w *world) role(by store.User, id string, u store.User, role string) error {
	_, err := w.s.UpdateParticipant.Call(w.ctx, as(by), chat.UpdateParticipantIn{ConversationID: id, UserID: u.ID, Role: role})
	return err
}

func roles(c chat.Conversation) map[string]string {
	out := map[string]string{}
	for _, p := range c.Participants {
		out[p.User.Name] = p.Role
	}
	return out
}

func TestAddParticipant(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	w.send(w.Ada, c.ID, "before")
	out, err := w.addTo(w.Ada, c.ID, w.Cleo)
	if err != nil || !out.Created() {
		t.Fatal(err, out.Created())
	}
	if d := cmp.Diff(map[string]string{"Ada": "owner", "Ben": "member", "Cléo 🌿": "member"}, roles(out.Conversation)); d != "" {
		t.Error(d)
	}
	if got := w.conversation(w.Cleo, c.ID); got.UnreadCount != 0 || got.LastReadAt == nil {
		t.Errorf("what was said before is unread: %+v", got)
	}
	w.send(w.Ada, c.ID, "after")
	if got := w.conversation(w.Cleo, c.ID); got.UnreadCount != 1 {
		t.Errorf("unread %d, want 1", got.UnreadCount)
	}
	if out, err = w.addTo(w.Ada, c.ID, w.Cleo); err != nil || out.Created() {
		t.Errorf("a second time: %v, created %v", err, out.Created())
	}
	_, err = w.addTo(w.Ben, c.ID, w.Stranger)
	w.refuse(err, core.Forbidden, "owner_only")
	_, err = w.addTo(w.Ada, w.direct(w.Ada, w.Ben).ID, w.Cleo)
	w.refuse(err, core.Invalid, "direct_conversation")
	hidden := w.add(store.User{Email: "h@example.org", Name: "Hidden", DiscoveryMode: "hidden"})
	_, err = w.addTo(w.Ada, c.ID, hidden)
	e := w.refuse(err, core.Invalid, "unreachable")
	_, err = w.addTo(w.Ada, c.ID, store.User{ID: store.NewID()})
	if unknown := w.refuse(err, core.Invalid, "unreachable"); unknown.Msg != e.Msg {
		t.Errorf("the responses reveal who exists: %q and %q", unknown.Msg, e.Msg)
	}
}

func TestLeaveAndRemove(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	w.send(w.Ben, c.ID, "bye")
	w.refuse(w.remove(w.Ben, c.ID, w.Cleo), core.Forbidden, "owner_only")
	w.refuse(w.remove(w.Ada, c.ID, w.Ada), core.Invalid, "last_owner")
	w.refuse(w.role(w.Ada, c.ID, w.Ada, "member"), core.Invalid, "last_owner")
	w.refuse(w.role(w.Ben, c.ID, w.Ben, "owner"), core.Forbidden, "owner_only")
	w.refuse(w.role(w.Ada, c.ID, w.Ben, "king"), core.Invalid, "invalid_input")
	if err := w.remove(w.Ada, c.ID, w.Stranger); err != core.ErrNotFound {
		t.Errorf("got %v", err)
	}
	if err := w.role(w.Ada, c.ID, w.Stranger, "owner"); err != core.ErrNotFound {
		t.Errorf("got %v", err)
	}
	direct := w.direct(w.Ada, w.Ben)
	w.refuse(w.remove(w.Ada, direct.ID, w.Ada), core.Invalid, "direct_conversation")
	w.refuse(w.role(w.Ada, direct.ID, w.Ben, "owner"), core.Invalid, "direct_conversation")

	w.ok(w.remove(w.Ada, c.ID, w.Ben))
	if d := cmp.Diff(map[string]string{"Ada": "owner", "Cléo 🌿": "member"}, roles(w.conversation(w.Cleo, c.ID))); d != "" {
		t.Error(d)
	}
	if ms := w.page(w.Cleo, chat.ListMessagesIn{ConversationID: c.ID}).Messages; ms[0].Sender.Name != "Ben" {
		t.Errorf("who has left has lost their name: %+v", ms[0].Sender)
	}
	w.ok(w.role(w.Ada, c.ID, w.Cleo, "owner"))
	w.ok(w.remove(w.Ada, c.ID, w.Ada))
	if d := cmp.Diff(map[string]string{"Cléo 🌿": "owner"}, roles(w.conversation(w.Cleo, c.ID))); d != "" {
		t.Error(d)
	}
	w.ok(w.remove(w.Cleo, c.ID, w.Cleo)) // the last member can leave
	if _, err := w.s.GetConversation.Call(w.ctx, as(w.Cleo), core.ByID{ID: c.ID}); err != core.ErrNotFound {
		t.Errorf("got %v", err)
	}
}

// Of all owners who leave, or give the role up, at the same instant, one stays.
func TestOwnersLeaveAtOnce(t *testing.T) {
	w := newWorld(t)
	for name, leave := range map[string]func(u store.User, id string) error{
		"leave":   func(u store.User, id string) error { return w.remove(u, id, u) },
		"give up": func(u store.User, id string) error { return w.role(u, id, u, "member") },
	} {
		c := w.group(w.Ada, w.Ben, w.Cleo)
		w.ok(w.role(w.Ada, c.ID, w.Ben, "owner"))
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, u := range []store.User{w.Ada, w.Ben} {
			wg.Go(func() { errs[i] = leave(u, c.ID) })
		}
		wg.Wait()
		owners := 0
		for _, role := range roles(w.conversation(w.Cleo, c.ID)) {
			if role == "owner" {
				owners++
			}
		}
		if (errs[0] == nil) == (errs[1] == nil) || owners != 1 {
			t.Errorf("%s: %v and %v, %d owners", name, errs[0], errs[1], owners)
		}
		w.refuse(errors.Join(errs...), core.Invalid, "last_owner")
	}
}

// A person can join an open group again after leaving it, but not after an owner
// removed them.
func TestRemovalHoldsForOpenGroups(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	if _, err := w.s.UpdateConversation.Call(w.ctx, as(w.Ada), chat.UpdateConversationIn{ID: c.ID, Title: core.Some("All"),
		Open: core.Some(true)}); err != nil {
		t.Fatal(err)
	}
	join := func() error {
		_, err := w.s.JoinConversation.Call(w.ctx, as(w.Ben), core.ByID{ID: c.ID})
		return err
	}
	w.ok(w.remove(w.Ben, c.ID, w.Ben))
	w.ok(join())
	w.ok(w.remove(w.Ada, c.ID, w.Ben))
	w.refuse(join(), core.NotFound, "not_found")
	if out, err := w.s.ListOpen.Call(w.ctx, as(w.Ben), core.None{}); err != nil || len(out.Conversations) > 0 {
		t.Errorf("open groups of who was removed: %+v, %v", out, err)
	}
	_, err := w.addTo(w.Ada, c.ID, w.Ben)
	w.ok(err)
}

// The error for people who cannot be added names the member of the input.
func TestNotAddableNamesTheField(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	w.ok(w.remove(w.Ben, c.ID, w.Ben))
	_, err := w.s.AddParticipant.Call(w.ctx, as(w.Ada), chat.AddParticipantIn{ConversationID: c.ID, UserID: w.Ben.ID})
	if e := w.refuse(err, core.Conflict, "not_addable"); e.Field != "userId" {
		t.Errorf("the field is %q", e.Field)
	}
	_, err = w.s.AddParticipant.Call(w.ctx, as(w.Ada), chat.AddParticipantIn{ConversationID: c.ID, UserID: store.NewID()})
	if e := core.As(err); e.Kind != core.Invalid || e.Field != "userId" {
		t.Errorf("nobody: %v, the field is %q", err, e.Field)
	}
}

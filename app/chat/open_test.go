package chat_test

import (
	"fmt"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// An administrator chooses an open group that they are in, or none, and that is in
// the audit log; what is refused is not.
func TestSetDefault(t *testing.T) {
	w := newWorld(t)
	root := w.add(store.User{Email: "root@example.org", Name: "Root", IsAdmin: true})
	open := func(by store.User, title string, others ...store.User) string {
		t.Helper()
		out, err := w.s.CreateConversation.Call(w.ctx, as(by), chat.CreateConversationIn{ParticipantIDs: ids(append(others, by)...), Title: title,
			Open: true})
		w.ok(err)
		return out.ID
	}
	ours, theirs, closed := open(w.Ben, "Ours", root), open(w.Ben, "Theirs"), w.group(root, w.Ben).ID
	set := func(by store.User, id core.Opt[string]) (chat.ListOpenOut, error) {
		return w.s.SetDefault.Call(w.ctx, as(by), chat.SetDefaultIn{ConversationID: id})
	}
	for name, id := range map[string]core.Opt[string]{
		"not in it": core.Some(theirs), "not open": core.Some(closed), "unknown": core.Some(store.NewID()), "left out": {},
	} {
		_, err := set(root, id)
		if e := core.As(err); err == nil || e.Kind != core.Invalid || e.Field != "conversationId" {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := set(w.Ben, core.Some(ours))
	if core.As(err).Kind != core.Forbidden {
		t.Errorf("by a member: %v", err)
	}
	out, err := set(root, core.Some(ours))
	if w.ok(err); len(out.Conversations) != 2 || out.Conversations[0].ID != ours || !out.Conversations[0].Default ||
		out.Conversations[1].Default {
		t.Errorf("chosen: %+v", out.Conversations)
	}
	out, err = set(root, core.Opt[string]{Set: true, Null: true})
	if w.ok(err); len(out.Conversations) != 2 || out.Conversations[0].Default || out.Conversations[1].Default {
		t.Errorf("none: %+v", out.Conversations)
	}
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) error {
		entries, err := r.AuditEntries(as(root), 0, 10)
		var got string
		for _, e := range entries {
			got += fmt.Sprintln(e.Actor.Name, e.Action, e.Detail)
		}
		if want := "Root settings.update defaultConversation none\nRoot settings.update defaultConversation chosen\n"; got != want {
			t.Errorf("the audit log has %q, want %q", got, want)
		}
		return err
	}))
}

// The log of a group names who joined, left and was removed, and who did it.
func TestListChangesNames(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	_, err := w.s.UpdateConversation.Call(w.ctx, as(w.Ada), chat.UpdateConversationIn{ID: c.ID, Title: core.Some("Table"),
		Open: core.Some(true)})
	w.ok(err)
	_, err = w.addTo(w.Ada, c.ID, w.Cleo)
	w.ok(err)
	_, err = w.s.JoinConversation.Call(w.ctx, as(w.Stranger), core.ByID{ID: c.ID})
	w.ok(err)
	w.ok(w.remove(w.Ada, c.ID, w.Cleo))
	w.ok(w.remove(w.Stranger, c.ID, w.Stranger))
	text := func(in chat.ListChangesIn) (text string) {
		t.Helper()
		in.ConversationID = c.ID
		out, err := w.s.ListChanges.Call(w.ctx, as(w.Ben), in)
		w.ok(err)
		for _, ch := range out.Changes {
			text += ch.Kind + " " + ch.User.Name
			if ch.Actor != nil {
				text += " by " + ch.Actor.Name
			}
			text += core.OrZero(ch.Title) + "\n"
		}
		return text
	}
	added, removed := "added "+w.Cleo.Name+" by Ada\n", "removed "+w.Cleo.Name+" by Ada\n"
	joined, left := "joined "+w.Stranger.Name+"\n", "left "+w.Stranger.Name+"\n"
	if got, want := text(chat.ListChangesIn{}), "renamed AdaTable\n"+added+joined+removed+left; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := text(chat.ListChangesIn{Limit: 2}), removed+left; got != want {
		t.Errorf("the last two: %q, want %q", got, want)
	}
	all, err := w.s.ListChanges.Call(w.ctx, as(w.Ben), chat.ListChangesIn{ConversationID: c.ID})
	w.ok(err)
	if got := text(chat.ListChangesIn{After: &all.Changes[0].At, Before: &all.Changes[2].At}); got != added {
		t.Errorf("between the first and the third: %q, want %q", got, added)
	}
}

// An open group without a title is not created.
func TestOpenGroupNeedsTitle(t *testing.T) {
	w := newWorld(t)
	_, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(w.Ada, w.Ben), Type: "group",
		Open: true})
	if e := core.As(err); err == nil || e.Code != "title_required" || e.Field != "title" {
		t.Errorf("got %v", err)
	}
}

// openGroup makes a group of owner's that everybody can join.
func (w *world) openGroup(owner store.User, title string) chat.Conversation {
	w.Helper()
	out, err := w.s.CreateConversation.Call(w.ctx, as(owner), chat.CreateConversationIn{ParticipantIDs: ids(owner), Title: title,
		Type: "group", Open: true})
	w.ok(err)
	return out.Conversation
}

// A new account is made whether or not the group that everybody joins takes it: there
// may be none, it may be full, and the account may be in it already.
func TestJoinDefaultNeverFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	join := func(u store.User) {
		t.Helper()
		w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return chat.JoinDefault(tx, u.ID) }))
	}
	join(w.Ben) // there is none
	c := w.openGroup(w.Ada, "All")
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return tx.SetDefaultConversation(c.ID) }))
	join(w.Ben)
	_, last := w.events(0)
	join(w.Ben)
	if kinds, _ := w.events(last); len(kinds) > 0 {
		t.Errorf("joined again: events %v", kinds)
	}
	w.fill(c.ID, 1000)
	_, last = w.events(0)
	join(w.Cleo)
	if kinds, _ := w.events(last); len(kinds) > 0 {
		t.Errorf("joined a full group: events %v", kinds)
	}
	if n := w.conversation(w.Ada, c.ID).ParticipantCount; n != 1000 {
		t.Errorf("%d participants", n)
	}
}

// Who left the group that everybody joins, or was removed from it, is not added again
// by the first proof of their address.
func TestJoinDefaultLeavesOutFormerMembers(t *testing.T) {
	w := newWorld(t)
	c := w.openGroup(w.Ada, "All")
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return tx.SetDefaultConversation(c.ID) }))
	for name, by := range map[string]*store.User{"left": nil, "removed": &w.Ada} {
		u := w.add(store.User{Email: name + "@example.org", Name: name})
		w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return chat.JoinDefault(tx, u.ID) }))
		if n := w.conversation(w.Ada, c.ID).ParticipantCount; n != 2 {
			t.Fatalf("%s: %d participants with a new account", name, n)
		}
		if by == nil {
			by = &u
		}
		_, err := w.s.RemoveParticipant.Call(w.ctx, as(*by), chat.RemoveParticipantIn{ConversationID: c.ID, UserID: u.ID})
		w.ok(err)
		_, last := w.events(0)
		w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return chat.JoinDefault(tx, u.ID) }))
		if kinds, _ := w.events(last); len(kinds) > 0 || w.conversation(w.Ada, c.ID).ParticipantCount != 1 {
			t.Errorf("%s: added again, events %v", name, kinds)
		}
	}
}

// fill adds new accounts to a group until it has n members.
func (w *world) fill(conversationID string, n int) {
	w.Helper()
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error {
		members, _, err := tx.MemberCounts(conversationID)
		for ; err == nil && members < n; members++ {
			var u store.User
			u, err = tx.InsertUser(store.User{Email: store.NewID() + "@example.org", Name: "P", SignupProvider: "magic-link"})
			if err == nil {
				err = tx.AddMember(conversationID, u.ID, "member")
			}
		}
		return err
	}))
}

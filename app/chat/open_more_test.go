package chat_test

import (
	"slices"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// openGroup makes a group of owner's that everybody can join.
func (w *world) openGroup(owner store.User, title string) chat.Conversation {
	w.Helper()
	out, err := w.s.CreateConversation.Call(w.ctx, as(owner), chat.CreateConversationIn{ParticipantIDs: ids(owner), Title: title, Type: "group", Open: true})
	w.ok(err)
	return out.Conversation
}

// audited returns the details of what the audit log has, the oldest first.
func (w *world) audited(admin store.Viewer) (details []string) {
	w.Helper()
	w.ok(w.db.Read(w.ctx, func(r *store.Reader) error {
		entries, err := r.AuditEntries(admin, never, 100)
		for _, e := range slices.Backward(entries) {
			details = append(details, e.Action+" "+e.Detail)
		}
		return err
	}))
	return details
}

// The group that everybody joins is chosen once: the choice that stands already is
// not recorded again.
func TestSetDefaultRecordsChangesAlone(t *testing.T) {
	w := newWorld(t)
	a, b := w.openGroup(w.Ada, "A"), w.openGroup(w.Ada, "B")
	w.sql(`UPDATE user SET is_admin = 1 WHERE id = ?`, w.Ada.ID)
	admin := as(w.Ada)
	admin.Admin = true
	none, chosen := "settings.update defaultConversation none", "settings.update defaultConversation chosen"
	want := w.audited(admin)
	for n, step := range []struct{ id, entry string }{
		{"", ""}, {a.ID, chosen}, {a.ID, ""}, {b.ID, chosen}, {b.ID, ""}, {a.ID, chosen}, {"", none}, {"", ""}, {a.ID, chosen},
	} {
		in := chat.SetDefaultIn{ConversationID: core.Opt[string]{Set: true, Null: step.id == "", V: step.id}}
		out, err := w.s.SetDefault.Call(w.ctx, admin, in)
		w.ok(err)
		for _, c := range out.Conversations {
			if c.Default != (c.ID == step.id) {
				t.Errorf("step %d: %+v", n, c)
			}
		}
		if step.entry != "" {
			want = append(want, step.entry)
		}
		if got := w.audited(admin); !slices.Equal(got, want) {
			t.Errorf("step %d: recorded %q, want %q", n, got, want)
		}
	}
}

// A new account is made whether or not the group that everybody joins takes it: there
// may be none, it may be full, and the account may be in it already.
func TestJoinDefaultNeverFails(t *testing.T) {
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

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

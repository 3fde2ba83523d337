package people_test

import (
	"testing"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A person's page is for callers who see the account, who have a friend request with it
// in either direction, or who found it by its address, while neither blocks the other.
func TestWhoReadsAPerson(t *testing.T) {
	asked := func(w *world, a, b store.User) { w.friends(a, b, "outgoing", "incoming") }
	for name, tc := range map[string]struct {
		mode  string // of Ben
		setup func(w *world, ada, ben store.User)
		want  string
	}{
		"found by name":             {"name", nil, ""},
		"by address":                {"email_only", nil, "not_found"},
		"by address, found":         {"email_only", func(w *world, ada, ben store.User) { w.found(ada, ben) }, ""},
		"by address, found Ada":     {"email_only", func(w *world, ada, ben store.User) { w.found(ben, ada) }, "not_found"},
		"found, then hidden":        {"hidden", func(w *world, ada, ben store.User) { w.found(ada, ben) }, "not_found"},
		"hidden":                    {"hidden", nil, "not_found"},
		"hidden, asked Ada":         {"hidden", func(w *world, ada, ben store.User) { asked(w, ben, ada) }, ""},
		"hidden, was asked":         {"hidden", func(w *world, ada, ben store.User) { asked(w, ada, ben) }, ""},
		"hidden, asked another":     {"hidden", func(w *world, ada, ben store.User) { asked(w, ben, w.cast.Cleo) }, "not_found"},
		"hidden, friends":           {"hidden", func(w *world, ada, ben store.User) { w.friends(ada, ben, "friends", "friends") }, ""},
		"blocks Ada":                {"name", func(w *world, ada, ben store.User) { w.block(ben, ada) }, "not_found"},
		"blocked":                   {"name", func(w *world, ada, ben store.User) { w.block(ada, ben) }, "not_found"},
		"asked Ada, blocks her":     {"hidden", func(w *world, ada, ben store.User) { asked(w, ben, ada); w.block(ben, ada) }, "not_found"},
		"by address, found, blocks": {"email_only", func(w *world, ada, ben store.User) { w.found(ada, ben); w.block(ben, ada) }, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ada, ben := w.cast.Ada, w.cast.Ben
			if tc.setup != nil {
				tc.setup(w, ada, ben)
			}
			w.mode(ben, tc.mode)
			_, err := w.GetPerson.Call(t.Context(), storetest.Human(ada), core.ByID{ID: ben.ID})
			if got := code(err); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			all, err := w.Readable(t.Context(), storetest.Human(ada), []string{store.NewID(), ben.ID, ada.ID})
			if visible := len(all) > 0 && all[0].ID == ben.ID; err != nil || visible != (tc.want == "") || all[len(all)-1].ID != ada.ID {
				t.Errorf("of several, %d are readable: %+v, %v", len(all), all, err)
			}
		})
	}
}

func (w *world) write(f func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), f); err != nil {
		w.t.Fatal(err)
	}
}

// mode sets who finds an account.
func (w *world) mode(u store.User, mode string) {
	w.t.Helper()
	w.write(func(tx *store.Tx) error {
		u, err := tx.User(u.ID)
		if err == nil {
			u.DiscoveryMode = mode
			_, err = tx.UpdateUser(u)
		}
		return err
	})
}

func (w *world) found(a, b store.User) {
	w.t.Helper()
	w.write(func(tx *store.Tx) error { return tx.FoundByAddress(storetest.Human(a), b.ID) })
}

func (w *world) friends(a, b store.User, state, mirrored string) {
	w.t.Helper()
	w.write(func(tx *store.Tx) error { return tx.PutFriends(a.ID, b.ID, state, mirrored) })
}

func (w *world) block(a, b store.User) {
	w.t.Helper()
	if err := w.act("block", a, b); err != nil {
		w.t.Fatal(err)
	}
}

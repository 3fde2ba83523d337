package store_test

import (
	"errors"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A direct conversation is hidden by a block between its two members, or the owner of
// one that is a bot, and by no block that either has with somebody else.
func TestBlocksWithOthersHideNothing(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	people := []store.User{p.Ada, p.Ben, p.Cleo}
	hidden := func(tx *store.Tx, a, b store.User) bool {
		id, err := tx.DirectConversation(a.ID, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tx.Conversation(storetest.Human(a), id)
		return err != nil
	}
	write(t, db, func(tx *store.Tx) error {
		for i, a := range people {
			for _, b := range people[i+1:] {
				if _, _, err := tx.InsertDirect(a.ID, b.ID, ""); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, blocker := range people {
		for _, blocked := range people {
			if blocker.ID == blocked.ID {
				continue
			}
			write(t, db, func(tx *store.Tx) error {
				if _, err := tx.InsertBlock(blocker.ID, blocked.ID); err != nil {
					return err
				}
				for i, a := range people {
					for _, b := range people[i+1:] {
						if _, err := tx.HideDirects(a.ID, b.ID); err != nil {
							return err
						}
						pair := []string{a.ID, b.ID}
						if want := slices.Contains(pair, blocker.ID) && slices.Contains(pair, blocked.ID); hidden(tx, a, b) != want {
							t.Errorf("%s blocks %s: %s and %s hidden, want %v", blocker.Name, blocked.Name, a.Name, b.Name, want)
						}
					}
				}
				if err := tx.DeleteBlock(blocker.ID, blocked.ID); err != nil {
					return err
				}
				_, err := tx.HideDirects(blocker.ID, blocked.ID)
				return err
			})
		}
	}
}

// A message mentions members of its conversation that its sender sees; and marks it
// for those whom it mentions, unless they sent it, whatever others have said.
func TestMentionsBeside(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada := storetest.Human(p.Ada)
	var group, other string
	write(t, db, func(tx *store.Tx) (err error) {
		if group, err = tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "G"); err == nil {
			other, err = tx.InsertGroup(p.Ada.ID, []string{p.Cleo.ID}, "G")
		}
		return err
	})
	send := func(from store.User, mentioned ...store.User) (m store.Message) {
		t.Helper()
		write(t, db, func(tx *store.Tx) error {
			m = store.Message{ConversationID: group, SenderID: from.ID, Content: "@a@b@c"}
			for n, u := range mentioned {
				m.Mentions = append(m.Mentions, store.Mention{UserID: u.ID, Start: 2 * n, Size: 2})
			}
			return tx.Send(&m, nil)
		})
		return m
	}
	marked := func(u store.User) (unread int, marked bool) {
		t.Helper()
		err := db.Read(t.Context(), func(r *store.Reader) error {
			all, err := r.ReadStates(storetest.Human(u), group, other)
			for _, st := range all {
				if st.ConversationID == group {
					unread, marked = st.Unread, st.Mentioned
				} else if st.Mentioned || st.Unread > 0 {
					t.Errorf("in the other group: %+v", st)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return unread, marked
	}
	send(p.Ben)
	if m := send(p.Ada, p.Ada, p.Ben, p.Cleo); len(m.Mentions) != 2 || slices.ContainsFunc(m.Mentions, func(q store.Mention) bool { return q.UserID == p.Cleo.ID }) {
		t.Errorf("mentioned: %+v", m.Mentions)
	}
	if n, ok := marked(p.Ada); n != 1 || ok {
		t.Errorf("Ada, by herself: %d unread, %v", n, ok)
	}
	if n, ok := marked(p.Ben); n != 1 || !ok {
		t.Errorf("Ben, by Ada: %d unread, %v", n, ok)
	}
	send(p.Ada)
	last := send(p.Ben, p.Ada)
	if n, ok := marked(p.Ada); n != 2 || !ok {
		t.Errorf("Ada, by Ben: %d unread, %v", n, ok)
	}
	write(t, db, func(tx *store.Tx) error { _, err := tx.MarkRead(ada, group, last.CreatedAt); return err })
	send(p.Ben)
	if n, ok := marked(p.Ada); n != 1 || ok {
		t.Errorf("Ada, after she has read it: %d unread, %v", n, ok)
	}
}

// What is changed of one row, by its whole key, stays of those beside it: entries of a
// Stream that are collapsed, and the last uses of keys of each kind.
func TestRowsBeside(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada := storetest.Human(p.Ada)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		places := [][3]string{{p.Ada.ID, "c1", "t1"}, {p.Ada.ID, "c1", "t2"}, {p.Ada.ID, "c2", "t1"}, {p.Ben.ID, "c1", "t1"}}
		for _, at := range places {
			if err := tx.SetCollapsed(storetest.Human(store.User{ID: at[0]}), at[1], at[2], true); err != nil {
				return err
			}
		}
		for n, at := range places {
			if err := tx.SetCollapsed(storetest.Human(store.User{ID: at[0]}), at[1], at[2], false); err != nil {
				return err
			}
			// Deleting what is left counts it.
			left, err := tx.ExecForTest(`UPDATE thought_collapsed SET user_id = user_id WHERE user_id IN (?, ?)`, p.Ada.ID, p.Ben.ID)
			if err != nil || left != int64(len(places)-n-1) {
				t.Errorf("%d are collapsed, want %d: %v", left, len(places)-n-1, err)
			}
		}
		for _, kind := range []string{"agent", "list"} {
			k, err := tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: kind, Name: kind, Prefix: "x", Hash: kind, CanRead: true})
			if err == nil {
				err = tx.AddKeyUses([]store.KeyUse{{KeyID: k.ID, Operation: "first " + kind, Uses: 1, LastAt: 1}, {KeyID: k.ID, Operation: "last " + kind, Uses: 1, LastAt: 2}})
			}
			if err != nil {
				return err
			}
		}
		for _, kind := range []string{"agent", "list"} {
			if all, err := tx.LastKeyUses(ada, kind); err != nil || len(all) != 1 || all[0].Operation != "last "+kind {
				t.Errorf("last uses of the kind %s: %+v, %v", kind, all, err)
			}
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// readUpTo makes a group in which Ada sends the second and the fourth of five messages,
// and Ben has read up to step n: before the first, at it, a moment later, at the next.
func readUpTo(t *testing.T, db *storetest.DB, p storetest.Cast, n int) (id string) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID, p.Cleo.ID}, "G")
		return err
	})
	var sent []store.Time
	for n := range 5 {
		m := store.Message{ConversationID: id, SenderID: []string{p.Cleo.ID, p.Ada.ID}[n%2], Content: "x"}
		write(t, db, func(tx *store.Tx) error { return tx.Send(&m, nil) })
		sent = append(sent, m.CreatedAt)
	}
	write(t, db, func(tx *store.Tx) error {
		upTo := sent[0] - 1
		if n > 0 {
			upTo = sent[(n-1)/2] + store.Time((n-1)%2)
		}
		_, err := tx.MarkRead(storetest.Human(p.Ben), id, upTo)
		return err
	})
	return id
}

// When an account is read as deleted, its messages leave the counts of everybody,
// however far each has read. What it owned is hidden, and each conversation is named
// whose messages changed.
func TestRedactionCountsAgain(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ben := storetest.Human(p.Ben)
	var groups, lists []string
	for n := range 11 {
		groups = append(groups, readUpTo(t, db, p, n))
	}
	for _, visibility := range []string{"public", "public-edit", "unlisted", "private"} {
		lists = append(lists, store.NewID())
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.InsertList(store.List{ID: lists[len(lists)-1], OwnerID: p.Ada.ID, Title: "L", Visibility: visibility, Slug: visibility})
			return err
		})
	}
	var out store.Redaction
	write(t, db, func(tx *store.Tx) error { return tx.Freeze(p.Ada.ID) })
	write(t, db, func(tx *store.Tx) error {
		a, err := tx.Authored(p.Ada.ID)
		if err == nil {
			out, err = tx.Redact(a)
		}
		return err
	})
	for what, lists := range map[string][2][]string{"messages": {out.Messages, groups}, "groups": {out.Left, groups}, "lists": {out.Lists, lists}} {
		if got, want := slices.Sorted(slices.Values(lists[0])), slices.Sorted(slices.Values(lists[1])); !slices.Equal(got, want) {
			t.Errorf("%s changed: %q, want %q", what, got, want)
		}
	}
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for _, id := range lists {
			if _, err := r.List(ben, id); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("a list of the account: %v", err)
			}
		}
		for n, id := range groups {
			if _, unread, err := r.ReadState(ben, id); err != nil || unread != []int{3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0}[n] {
				t.Errorf("group %d: %d unread, %v", n, unread, err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	scrubAccount(t, db, p.Ada.ID, 1000)
}

// The reactions to a message are not those to others in its conversation.
func TestReactorsOfOneMessage(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var messages []store.Message
	write(t, db, func(tx *store.Tx) error {
		messages = nil
		for range 2 { // conversations
			id, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "G")
			if err != nil {
				return err
			}
			for n := range 2 {
				m := store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "x"}
				tx.Now = tx.Tick()
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
				messages = append(messages, m)
				for _, who := range []string{p.Ada.ID, p.Ben.ID}[:n+1] {
					if _, err := tx.React(&m, store.Reaction{UserID: who, Emoji: fmt.Sprint(len(messages))}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	for n := range messages {
		m := &messages[n]
		own := fmt.Sprint(n + 1)
		want := map[string]string{p.Ada.ID: own}
		if n%2 == 1 {
			want[p.Ben.ID] = own
		}
		if err := db.Read(t.Context(), func(r *store.Reader) error {
			got, err := r.Reactors(m.ID)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("message %d: reactions %v, want %v", n, got, want)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}

// A grant that a key asked for is found by its hash, by its account alone.
func TestOneOfSeveralGrants(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada := storetest.Human(p.Ada)
	write(t, db, func(tx *store.Tx) error {
		var keys []store.Key
		for _, name := range []string{"a", "b"} {
			k, err := tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: "agent", Name: name, Prefix: "oc_", Hash: name, CanRead: true, CanWrite: true})
			if err != nil {
				return err
			}
			keys = append(keys, k)
		}
		for n, k := range keys {
			g := store.Grant{Hash: []byte{byte(n)}, UserID: p.Ada.ID, KeyID: k.ID, Action: "publish_story", Payload: "{}", ExpiresAt: tx.Now + 1000}
			if err := tx.InsertGrant(&g, 10); err != nil {
				return err
			}
		}
		for n, k := range keys {
			if g, err := tx.AgentGrant(ada, []byte{byte(n)}); err != nil || g.KeyID != k.ID {
				t.Errorf("grant %d: of %q, %v", n, g.KeyID, err)
			}
			if _, err := tx.AgentGrant(storetest.Human(p.Ben), []byte{byte(n)}); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("the grant of another: %v", err)
			}
		}
		if _, err := tx.AgentGrant(ada, []byte{9}); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("no such grant: %v", err)
		}
		return nil
	})
}

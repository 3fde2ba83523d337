package store_test

import (
	"errors"
	"fmt"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

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

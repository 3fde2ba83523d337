package store_test

import (
	"errors"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

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

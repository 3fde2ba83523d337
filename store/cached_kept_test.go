package store

import (
	"path/filepath"
	"testing"
)

// The senders that were read are cached, also after they have changed: the next read
// caches what they are then.
func TestSendersStayCached(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), Options{Schema: readText(t, "../schema.sql"), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var u User
	if err := db.Write(t.Context(), func(tx *Tx) (err error) {
		u, err = tx.InsertUser(User{Email: "ada@example.org", Name: "Ada", SignupProvider: "test"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	db.credentialsChanged([]string{u.ID})
	if _, ok := db.senders.Get(u.ID); ok {
		t.Error("cached after a change")
	}
	if err := db.Read(t.Context(), func(r *Reader) error {
		_, err := r.Sender(u.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if s, ok := db.senders.Get(u.ID); !ok || s.Name != "Ada" {
		t.Errorf("cached %+v, %v", s, ok)
	}
}

// A mark of a list is kept if it is markGap from the next one on either side, and not if
// it is nearer.
func TestMarksKeepTheirDistance(t *testing.T) {
	m := newItemMarks()
	for _, c := range []struct {
		position int
		kept     bool
	}{
		{markGap - 1, false}, {markGap, true}, {2*markGap - 1, false}, {2 * markGap, true},
		{10 * markGap, true}, {9*markGap + 1, false}, {9 * markGap, true}, {10 * markGap, true},
	} {
		m.put("list", 1, itemMark{position: c.position})
		if at, _ := m.before("list", c.position); (at.position == c.position) != c.kept {
			t.Errorf("%d: the last mark is at %d", c.position, at.position)
		}
	}
}

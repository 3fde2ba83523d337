package account

import (
	"maps"
	"testing"
	"time"

	"hearth/store"
)

// Who opens a stream, or is dropped, at the very moment of the last request has not left,
// and nor has who was never there.
func TestLeavingAtTheSameMoment(t *testing.T) {
	o := &online{people: map[string]*visit{}}
	o.note("opens", 0, 5)
	o.note("stays", 0, 5)
	left := o.left(6, 9)
	o.note("opens", 1, 5)
	left["nobody"] = 5
	if gone := o.leave(left); !maps.Equal(gone, map[string]store.Time{"stays": 5}) {
		t.Errorf("gone: %v", gone)
	}
	o.forget(left)
	if _, ok := o.people["stays"]; ok || len(o.people) != 1 {
		t.Errorf("kept are %v", o.people)
	}
}

// Nobody is told again of a person who is stored as online already, such as after a write
// that they left failed.
func TestPersonWhoIsOnlineAlreadyIsNotTold(t *testing.T) {
	told := 0
	h := open(t, func(c *Config) {
		c.Publish = func([]string, store.EventKind, []byte) error { told++; return nil }
	})
	err := h.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertGroup(h.cast.Ada.ID, []string{h.cast.Ben.ID}, "Group")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ada := store.Viewer{Kind: store.Human, UserID: h.cast.Ada.ID}
	for _, stored := range []bool{true, false} {
		h.db.Clock.Advance(2 * time.Minute)
		if stored {
			h.online.leave(h.online.left(h.db.Now(), 100)) // and the write failed
		} else if err := h.SweepPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if u := h.user("ada@example.org"); u.Online != stored {
			t.Fatalf("stored as online: %v", u.Online)
		}
		told = 0
		h.here(t.Context(), ada)
		if (told == 0) != stored {
			t.Errorf("stored as online before: %v, told %d times", stored, told)
		}
		if !h.user("ada@example.org").Online {
			t.Error("not online")
		}
	}
}

// Who was online when the server ended is taken as online when it starts, and as gone a
// minute later unless they come back.
func TestOnlineAfterARestart(t *testing.T) {
	h := open(t)
	h.db.Clock.Advance(time.Hour)
	again, err := New(Config{DB: h.db.DB, Mail: h.mail, BaseURL: "http://hearth.test"})
	if err != nil {
		t.Fatal(err)
	}
	sweep := func(what string, ada, ben bool) {
		t.Helper()
		if err := again.SweepPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, b := h.user("ada@example.org").Online, h.user("ben@example.org").Online; a != ada || b != ben {
			t.Errorf("%s: online are %v and %v", what, a, b)
		}
	}
	sweep("at the start", true, true)
	h.db.Clock.Advance(onlineFor)
	again.here(t.Context(), store.Viewer{Kind: store.Human, UserID: h.cast.Ada.ID})
	sweep("a minute later", true, true)
	h.db.Clock.Advance(time.Microsecond)
	sweep("more than a minute later", true, false)
}

// An account that is gone is not shown to anybody after a block.
func TestBlockOfAnAccountThatIsGone(t *testing.T) {
	told := 0
	h := open(t, func(c *Config) {
		c.Publish = func([]string, store.EventKind, []byte) error { told++; return nil }
	})
	for id, want := range map[string]int{store.NewID(): 0, h.cast.Ben.ID: 1} {
		told = 0
		err := h.db.Read(t.Context(), func(r *store.Reader) error { return h.showTo(r, h.cast.Ada.ID, id) })
		if err != nil || told != want {
			t.Errorf("told %d times, want %d, %v", told, want, err)
		}
	}
}

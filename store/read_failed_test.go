package store_test

import (
	"errors"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A page that could not be read is told as such, and not as one that is empty.
func TestFailedPageIsNotEmpty(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	id := group(t, db, p.Ada, p.Ben)
	say(t, db, store.Message{ConversationID: id, SenderID: p.Ben.ID, Content: "x"})
	ada := storetest.Human(p.Ada)
	enough := errors.New("enough")
	for name, read := range map[string]func(r *store.Reader) error{
		"messages":                  func(r *store.Reader) error { _, err := r.Messages(ada, id, 0, 10); return err },
		"messages from a moment on": func(r *store.Reader) error { _, err := r.MessagesFrom(ada, id, 0, 10); return err },
		"entries":                   func(r *store.Reader) error { _, err := r.Entries(ada, id, "", 0, 10); return err },
		"vectors":                   func(r *store.Reader) error { return r.EachVectors("m", 10, func(int64, []byte) {}) },
		"members to mention":        func(r *store.Reader) error { _, err := r.Mentionable(ada, id, "", 10); return err },
	} {
		told := false
		ctx := store.WithMeter(t.Context(), &store.Meter{Read: func(int) error {
			if told {
				return nil
			}
			told = true
			return enough
		}})
		if err := db.Read(ctx, func(r *store.Reader) error {
			if _, err := r.TextForTest(`SELECT printf('%.*c', 20000, 'x')`); err != nil {
				return err
			}
			if err := read(r); !errors.Is(err, enough) {
				t.Errorf("%s: %v, want %v", name, err, enough)
			}
			return nil
		}); err != nil {
			t.Errorf("%s: the read: %v", name, err)
		}
	}
}

package account

import (
	"strings"
	"testing"

	"hearth/store/storetest"
)

// A cursor is valid for every service with the same key, as it is after a restart, and
// for no other. Without a key each service has its own.
func TestCursorKey(t *testing.T) {
	h := open(t)
	h.people("name", "Person A", "Person B", "Person C")
	first := func(key string) *harness {
		s, err := New(Config{DB: h.db.DB, Mail: h.cfg.Mail, BaseURL: "http://hearth.test", CursorKey: []byte(key)})
		if err != nil {
			t.Fatal(err)
		}
		return &harness{Service: s, t: t, db: h.db, cast: h.cast, out: h.out}
	}
	ada := storetest.Human(h.cast.Ada)
	key, other := strings.Repeat("k", 32), strings.Repeat("o", 32)
	for _, tc := range []struct {
		name, seal, open string
		code             string
	}{
		{"the same key", key, key, ""}, {"another key", key, other, "bad_cursor"}, {"no key", key, "", "bad_cursor"},
		{"no key twice", "", "", "bad_cursor"},
	} {
		_, next := first(tc.seal).find(ada, FindPeopleIn{Limit: 1})
		if next == "" {
			t.Fatal("there is no next page")
		}
		_, err := first(tc.open).FindPeople.Call(t.Context(), ada, FindPeopleIn{Cursor: next, Limit: 1})
		wantCode(t, tc.name, err, tc.code)
	}
}

package account

import (
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
)

// foundCookie reports whether a store has the session of a hash.
func foundCookie(t *testing.T, c cookieStore, hash string) bool {
	t.Helper()
	b, found, err := c.FindCtx(t.Context(), hash)
	if err != nil || found != (len(b) > 0) {
		t.Fatalf("got %q, %v, %v", b, found, err)
	}
	return found
}

// The session manager may call the methods without a context: they store, find and end
// the same sessions.
func TestCookieStoreWithoutContext(t *testing.T) {
	h := open(t)
	var s scs.Store = cookieStore{h.db.DB}
	data, err := cookieCodec{}.Encode(h.db.Now().Go(), map[string]any{"user": h.cast.Ada.ID, "agent": "A browser"})
	if err != nil {
		t.Fatal(err)
	}
	hash := cookieHash("a token")
	if err := s.Commit(hash, data, time.Time{}); err != nil {
		t.Fatal(err)
	}
	stored, found, err := s.Find(hash)
	if err != nil || !found {
		t.Fatalf("got %v, %v", found, err)
	}
	if _, values, err := (cookieCodec{}).Decode(stored); err != nil || values["user"] != h.cast.Ada.ID || values["agent"] != "A browser" {
		t.Errorf("got %+v, %v", values, err)
	}
	if err := s.Delete(hash); err != nil {
		t.Fatal(err)
	}
	if foundCookie(t, cookieStore{h.db.DB}, hash) {
		t.Error("found after it was deleted")
	}
}

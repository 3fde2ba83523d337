package account

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// Whether a credential is still valid is known from its authentication, without another
// query, until something about it changes.
func TestStandingIsKnownFromTheAuthentication(t *testing.T) {
	h := open(t)
	made, err := h.CreateAgentKey.Call(t.Context(), storetest.Human(h.cast.Ada), CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{h: h}
	b.signIn(h.cast.Ben.ID)
	viewers := []store.Viewer{h.as("ada@example.org"), b.caller()}
	key, err := h.bearer(made.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(viewers, key) {
		if known, ok := h.standing.Get(credentialID(v)); !ok || known.UserID != v.UserID || known.Kind != v.Kind {
			t.Errorf("%+v: known is %+v, %v", v, known, ok)
		}
	}
	h.bearer("wrong")
	if known, ok := h.standing.Get(""); ok {
		t.Errorf("of a wrong credential, %+v is known", known)
	}
}

// A cookie is read up to exactly the longest length.
func TestCookieIsReadUpToItsLength(t *testing.T) {
	h := open(t)
	for length, want := range map[int]int{43: 43, 127: 127, 128: 128, 129: 0} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Cookie", "hearth="+strings.Repeat("A", length))
		if got := h.cookieToken(r); got != strings.Repeat("A", want) {
			t.Errorf("of %d bytes, %d are read", length, len(got))
		}
	}
}

// An account has exactly 200 sessions: a further one ends the oldest, with an event for
// its streams, and no other.
func TestExactlyTheOldestSessionEnds(t *testing.T) {
	h := open(t)
	var ids []string
	for n := range 201 {
		err := h.db.Write(t.Context(), func(tx *store.Tx) error {
			row, err := addToken(tx, h.cast.Ada, "token", "", tokenLife)
			ids = append(ids[:n], row.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.db.Clock.Advance(time.Second)
	}
	ended := 0
	for n, id := range ids {
		v := store.Viewer{Kind: store.Human, UserID: h.cast.Ada.ID, SessionID: id, CanRead: true, CanWrite: true}
		if n == 0 {
			wantCode(t, "the oldest", h.recheck(v), "unauthenticated")
		} else if h.recheck(v) != nil {
			ended++
		}
	}
	if events := h.events(h.cast.Ada.ID); ended > 0 || len(events) != 1 || events[0] != "auth.changed "+ids[0] {
		t.Errorf("%d others ended; the events are %q", ended, events)
	}
}

// Sessions that were ended are not listed any more, whatever ended them.
func TestEndedSessionsAreNotListed(t *testing.T) {
	h := open(t)
	for what, end := range map[string]func(*store.Tx, store.User) error{
		"all are ended": func(tx *store.Tx, u store.User) error { _, err := revokeSessions(tx, u); return err },
		"suspended and restored": func(tx *store.Tx, u store.User) error {
			if err := Suspend(tx, store.Viewer{Kind: store.Operator}, u); err != nil {
				return err
			}
			u, err := tx.User(u.ID)
			if err != nil {
				return err
			}
			return Restore(tx, store.Viewer{Kind: store.Operator}, u)
		},
	} {
		h.as("ada@example.org")
		err := h.db.Write(t.Context(), func(tx *store.Tx) error {
			u, err := tx.User(h.cast.Ada.ID)
			if err != nil {
				return err
			}
			return end(tx, u)
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := h.listSessions(t.Context(), storetest.Human(h.cast.Ada), core.None{})
		if err != nil || len(out.Sessions) != 0 {
			t.Errorf("%s: listed %+v, %v", what, out.Sessions, err)
		}
	}
}

// A session ends once: to end it again, or that of another account, is no error, ends
// nothing and tells no stream.
func TestSessionEndsOnce(t *testing.T) {
	h := open(t)
	ada, ben := h.as("ada@example.org"), h.as("ben@example.org")
	for _, tc := range []struct {
		what, id string
		events   int
	}{
		{"of another account", ben.SessionID, 0}, {"unknown", store.NewID(), 0}, {"none", "", 0}, {"the session", ada.SessionID, 1}, {"the session again", ada.SessionID, 1},
	} {
		err := h.db.Write(t.Context(), func(tx *store.Tx) error { return endSession(tx, ada.UserID, tc.id) })
		if events := h.events(ada.UserID); err != nil || len(events) != tc.events {
			t.Errorf("%s: the events are %q, %v", tc.what, events, err)
		}
	}
	wantCode(t, "the session", h.recheck(ada), "unauthenticated")
	wantCode(t, "that of another account", h.recheck(ben), "")
	if events := h.events(ben.UserID); len(events) > 0 {
		t.Errorf("the events of another account are %q", events)
	}
}

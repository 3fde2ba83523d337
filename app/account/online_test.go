package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// Who was online when the server ended is taken as online when it starts, and as gone a
// minute later unless they come back.
func TestOnlineAfterARestart(t *testing.T) {
	h := open(t)
	h.db.Clock.Advance(time.Hour)
	again, err := New(Config{DB: h.db.DB, Mail: h.cfg.Mail, BaseURL: "http://hearth.test"})
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
	again.Watching(store.Viewer{Kind: store.Human, UserID: h.cast.Ada.ID}, 0)
	again.AwaitPresence()
	sweep("a minute later", true, true)
	h.db.Clock.Advance(time.Microsecond)
	sweep("more than a minute later", true, false)
}

// published is a presence event: who was told that somebody is there or not.
type published struct {
	to     []string
	about  string
	online bool
}

// openTold is open with a list of the presence events, and an error that publishing
// them returns.
func openTold(t *testing.T, change ...func(*Config)) (h *harness, told *[]published, fail *error) {
	t.Helper()
	told, fail = new([]published), new(error)
	h = open(t, append(change, func(c *Config) {
		c.Publish = func(userIDs []string, _ store.EventKind, data []byte) error {
			var e PresenceEvent
			if err := json.Unmarshal(data, &e); err != nil {
				return err
			}
			*told = append(*told, published{userIDs, e.User.ID, e.User.PresenceStatus != "offline"})
			return *fail
		}
	})...)
	return h, told, fail
}

// wantTold fails the test unless exactly the ones of want were told, each as "viewer
// person online", and forgets them.
func wantTold(t *testing.T, what string, told *[]published, want ...string) {
	t.Helper()
	var got []string
	for _, p := range *told {
		got = append(got, fmt.Sprintf("%s %s %v", strings.Join(p.to, "+"), p.about, p.online))
	}
	*told = nil
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("%s: told\n%q\nwant\n%q", what, got, want)
	}
}

// Who was online when the server ended and does not come back is not online any more
// after a minute. Those who see them come and go are told, and nobody else.
func TestPeopleComeAndGo(t *testing.T) {
	h, told, _ := openTold(t)
	ada, stranger := h.cast.Ada.ID, h.cast.Stranger.ID
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ada, "x") })
	sweep := func() {
		t.Helper()
		if err := h.SweepPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	online := func(what, email string, want bool) {
		t.Helper()
		if got := h.user(email).Online; got != want {
			t.Errorf("%s: %s is online: %v", what, email, got)
		}
	}
	h.db.Clock.Advance(time.Minute)
	sweep()
	online("for a minute", "ada@example.org", true)
	h.db.Clock.Advance(time.Microsecond)
	sweep()
	for _, name := range []string{"ada", "ben", "stranger"} {
		online("for more than a minute", name+"@example.org", false)
	}
	wantTold(t, "gone", told, ada+" "+stranger+" false", stranger+" "+ada+" false")
	if len(h.online.people) > 0 {
		t.Errorf("%d people are kept who are gone", len(h.online.people))
	}
	for _, kind := range []store.Kind{store.Anonymous, store.Agent, store.ListKey, store.PublicKey, store.Bridge, store.Operator} {
		h.Watching(store.Viewer{Kind: kind, UserID: ada}, 0)
		h.AwaitPresence()
		h.Watching(store.Viewer{Kind: kind, UserID: ada}, 1)
		online(fmt.Sprintf("a caller of the kind %v", kind), "ada@example.org", false)
	}
	if len(h.online.people) > 0 {
		t.Errorf("%d people are noted who are not there", len(h.online.people))
	}
	wantTold(t, "callers that are no people", told)
	h.Watching(store.Viewer{Kind: store.Embedded, UserID: ada}, 0)
	h.AwaitPresence()
	online("in a page of another site", "ada@example.org", true)
	wantTold(t, "in a page of another site", told, stranger+" "+ada+" true")
	h.Watching(store.Viewer{Kind: store.Human, UserID: ada}, 0)
	h.AwaitPresence()
	wantTold(t, "still there", told)
	h.Watching(store.Viewer{Kind: store.Human, UserID: h.cast.Ben.ID}, 0)
	h.AwaitPresence()
	online("a request", "ben@example.org", true)
	wantTold(t, "nobody sees them", told)
}

// An update that cannot be sent is logged, and a sent update is not. An unavailable
// database is not logged here, because the log already reports it.
func TestWhatIsNotToldIsLogged(t *testing.T) {
	h, _, fail := openTold(t)
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ada, "x") })
	ada := store.Viewer{Kind: store.Human, UserID: h.cast.Ada.ID, CanRead: true, CanWrite: true}
	for _, err := range []error{nil, errors.New("no streams")} {
		*fail = err
		h.db.Clock.Advance(2 * time.Minute)
		if swept := h.SweepPresence(t.Context()); !errors.Is(swept, err) {
			t.Errorf("the sweep: %v", swept)
		}
		h.out.take()
		h.Watching(ada, 0)
		h.AwaitPresence()
		if log := h.out.take(); strings.Contains(log, "presence not stored") != (err != nil) {
			t.Errorf("coming, with %v: the log is %q", err, log)
		}
		if _, err := h.UpdateMe.Call(t.Context(), ada, UpdateMeIn{Name: core.Some(fmt.Sprint("Ada ", err))}); err != nil {
			t.Fatal(err)
		}
		if log := h.out.take(); strings.Contains(log, "profile change not published") != (err != nil) {
			t.Errorf("a new name, with %v: the log is %q", err, log)
		}
	}
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	h.Watching(store.Viewer{Kind: store.Human, UserID: h.cast.Cleo.ID}, 0)
	h.AwaitPresence()
	if log := h.out.take(); log != "" {
		t.Errorf("on a closed database, the log is %q", log)
	}
}

// After a block, two accounts are shown to each other again if they are in a
// conversation together, and only then.
func TestReshowOfTwo(t *testing.T) {
	h, told, _ := openTold(t)
	h.commit(func(tx *store.Tx) error { return h.say(tx, h.cast.Ada, "x") })
	ada, stranger := h.cast.Ada.ID, h.cast.Stranger.ID
	h.Reshow(t.Context(), ada, h.cast.Ben.ID)
	wantTold(t, "without a conversation", told)
	h.Reshow(t.Context(), ada, stranger)
	wantTold(t, "in a conversation", told, ada+" "+stranger+" true", stranger+" "+ada+" true")
	if log := h.out.take(); log != "" {
		t.Errorf("the log is %q", log)
	}
}

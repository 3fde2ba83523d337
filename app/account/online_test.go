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

// Who came is stored as online, and who has no stream and was last here before a moment
// as gone, with when that was.
func TestOnline(t *testing.T) {
	o := &online{people: map[string]*visit{}}
	for _, c := range []struct {
		user    string
		streams int
		at      store.Time
		came    bool
	}{
		{"early", 0, 5, true}, {"early", 0, 9, false}, {"early", 0, 7, false}, {"late", 0, 10, true}, {"watches", 1, 2, true},
		{"watched", 1, 2, true}, {"watched", -1, 8, false},
	} {
		if came := o.note(c.user, c.streams, c.at); came != c.came {
			t.Errorf("%+v: came %v", c, came)
		}
	}
	changes := func(what string, since store.Time, came, left string) {
		t.Helper()
		c, l := o.changes(since, 9)
		slices.Sort(c)
		var gone []string
		for id, at := range l {
			gone = append(gone, fmt.Sprintf("%s:%d", id, at))
		}
		slices.Sort(gone)
		if got := fmt.Sprint(c, gone); got != "["+came+"] ["+left+"]" {
			t.Errorf("%s: %s, want %s and %s", what, got, came, left)
		}
	}
	changes("at first", 1, "early late watched watches", "")
	o.stored([]string{"early", "late", "watched", "watches"}, nil)
	changes("stored", 1, "", "")
	changes("later", 10, "", "early:9 watched:8")
	changes("not stored", 10, "", "early:9 watched:8")
	o.note("watched", 0, 11)
	changes("came back before it was stored", 10, "", "early:9")
	o.stored(nil, map[string]store.Time{"early": 9})
	o.note("early", 0, 12)
	changes("came back", 10, "early", "")
	o.signedOut("late")
	changes("signed out", 10, "early", "")
	if o.people["late"] != nil {
		t.Error("one who is gone is kept")
	}
	o.note("late", -1, 12)
	changes("the end of a stream", 1, "early", "")
	for limit := range 4 {
		o := &online{people: map[string]*visit{}}
		for n := range 3 {
			o.note(fmt.Sprint(n), 0, 1)
		}
		if came, _ := o.changes(1, limit); len(came) != limit {
			t.Errorf("%d of at most %d people came", len(came), limit)
		}
	}
}

// The ranges of an export begin as long before it as they are named.
func TestExportRange(t *testing.T) {
	const hour = store.Time(3600_000_000)
	for key, want := range map[string]struct {
		label string
		hours store.Time
	}{
		"last_hour": {"Last hour", 1}, "last_day": {"Last day", 24}, "last_week": {"Last week", 7 * 24}, "last_month": {"Last month", 30 * 24},
		"": {"All time", 0}, "all": {"All time", 0},
	} {
		got := exportRange(key, 1000*hour)
		if got.Key != key || got.Label != want.label || (got.Since == nil) != (want.hours == 0) || got.Since != nil &&
			*got.Since != (1000-want.hours)*hour {
			t.Errorf("%q: got %+v", key, got)
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
	again.here(store.Viewer{Kind: store.Human, UserID: h.cast.Ada.ID})
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
		h.here(store.Viewer{Kind: kind, UserID: ada})
		h.AwaitPresence()
		h.Watching(store.Viewer{Kind: kind, UserID: ada}, 1)
		online(fmt.Sprintf("a caller of the kind %v", kind), "ada@example.org", false)
	}
	if len(h.online.people) > 0 {
		t.Errorf("%d people are noted who are not there", len(h.online.people))
	}
	wantTold(t, "callers that are no people", told)
	h.here(store.Viewer{Kind: store.Embedded, UserID: ada})
	h.AwaitPresence()
	online("in a page of another site", "ada@example.org", true)
	wantTold(t, "in a page of another site", told, stranger+" "+ada+" true")
	h.here(store.Viewer{Kind: store.Human, UserID: ada})
	h.AwaitPresence()
	wantTold(t, "still there", told)
	h.here(store.Viewer{Kind: store.Human, UserID: h.cast.Ben.ID})
	h.AwaitPresence()
	online("a request", "ben@example.org", true)
	wantTold(t, "nobody sees them", told)
}

// All who left go in one sweep, however many they are.
func TestManyPeopleLeave(t *testing.T) {
	h, _, _ := openTold(t)
	for _, n := range []int{99, 100, 101, 201} {
		for i := range n {
			h.here(store.Viewer{Kind: store.Human, UserID: fmt.Sprint(n, " ", i)})
		}
		h.AwaitPresence()
		h.db.Clock.Advance(2 * time.Minute)
		if err := h.SweepPresence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := len(h.online.people); left > 0 {
			t.Errorf("of %d people %d are left", n, left)
		}
	}
}

// What cannot be told of a change is logged, and what is told is not; nor is that the
// database cannot serve, of which the log has more already.
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
		h.here(ada)
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
	h.here(store.Viewer{Kind: store.Human, UserID: h.cast.Cleo.ID})
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

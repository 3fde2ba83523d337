package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearth/app/list"
	"hearth/store"
)

// published is one presence event.
type published struct {
	at   time.Duration
	list string
	data string
}

// inBubble runs f with a presence whose clock is the bubble's; got returns
// what was published so far.
func inBubble(t *testing.T, f func(t *testing.T, p *Presence, got func() []published)) {
	synctest.Test(t, func(t *testing.T) {
		p, start := newPresence(), time.Now()
		var (
			mu  sync.Mutex
			out []published
		)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.run(ctx, func(listID string) {
				mu.Lock()
				defer mu.Unlock()
				out = append(out, published{time.Since(start), listID, string(p.encoded(listID, list.Watcher{}))})
			})
		}()
		f(t, p, func() []published {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(out)
		})
		cancel()
		<-done
	})
}

func TestPresenceIsPublishedFourTimesASecond(t *testing.T) {
	inBubble(t, func(t *testing.T, p *Presence, got func() []published) {
		for i := range 200 { // two seconds of changes
			s := &Subscription{list: "l1", viewer: store.Viewer{UserID: fmt.Sprint("u", i)}}
			p.join(s, list.Watcher{UserID: s.viewer.UserID, Known: true, Name: "Ada"})
			if i%2 == 0 {
				p.leave(s)
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		out := got()
		if len(out) < 8 || len(out) > 10 {
			t.Fatalf("%d events in two seconds of changes, want about 8", len(out))
		}
		for i := range out[1:] {
			if gap := out[i+1].at - out[i].at; gap != presencePause {
				t.Errorf("events %v apart, want %v", gap, presencePause)
			}
		}
		if want := string(p.encoded("l1", list.Watcher{})); out[len(out)-1].data != want || p.Snapshot("l1", list.Watcher{}).Viewers != 100 {
			t.Errorf("the last event is not the last state: %s", out[len(out)-1].data)
		}
		if out[0].at != 0 {
			t.Errorf("the first change was published after %v", out[0].at)
		}
	})
}

func TestTypingExpires(t *testing.T) {
	inBubble(t, func(t *testing.T, p *Presence, got func() []published) {
		ada := list.Person{ID: "a", Name: "Ada"}
		p.SetTyping("l1", ada, "i1", true)
		time.Sleep(10 * time.Second)
		p.SetTyping("l1", ada, "i1", true) // goes on
		time.Sleep(15*time.Second - time.Microsecond)
		if n := len(p.Snapshot("l1", list.Watcher{}).Typing); n != 1 {
			t.Fatalf("%d are typing, want 1", n)
		}
		before := len(got())
		time.Sleep(time.Microsecond)
		if out := got(); len(out) != before+1 || out[before].data != `{"viewers":0,"people":[],"typing":[]}` {
			t.Errorf("the end was not published: %v", out[before:])
		}
		p.mu.Lock()
		if len(p.lists) != 0 {
			t.Errorf("a list in which typing expired stays in memory: %v", p.lists)
		}
		p.mu.Unlock()
		p.SetTyping("l1", ada, "i1", true)
		p.SetTyping("l1", ada, "i1", false)
		if n := len(p.Snapshot("l1", list.Watcher{}).Typing); n != 0 {
			t.Errorf("still typing after saying otherwise")
		}
		time.Sleep(time.Second)
		got()
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.lists) != 0 || len(p.dirty) != 0 {
			t.Errorf("empty lists stay in memory: %v %v", p.lists, p.dirty)
		}
	})
}

func watching(user string) *Subscription {
	return &Subscription{list: "l1", viewer: store.Viewer{UserID: user}}
}

func known(id, name string) list.Watcher {
	return list.Watcher{UserID: id, Part: true, Known: true, Name: name}
}

func unlisted(id, name string) list.Watcher {
	return list.Watcher{UserID: id, Part: true, Known: true, Name: name, Unlisted: true}
}

// changes reports whether f has presence published.
func (p *Presence) changes(f func()) bool {
	p.collect(store.Time(0).Go())
	f()
	dirty, _ := p.collect(store.Time(0).Go())
	return len(dirty) > 0
}

// An account counts once with however many streams, everybody else with each. Only
// who is known is named, and who hides is not counted.
func TestWhoIsCounted(t *testing.T) {
	p := newPresence()
	a1, a2, b, hidden, anonymous, other := watching("a"), watching("a"), watching("b"), watching("h"), watching(""), watching("")
	p.join(a1, known("a", "Ada"))
	p.join(a2, known("a", "Ada"))
	p.join(a2, known("a", "Ada")) // once more does not count
	p.join(b, list.Watcher{UserID: "b", Name: "Ben"})
	p.join(hidden, list.Watcher{UserID: "h", Hidden: true})
	p.join(anonymous, list.Watcher{Known: true})
	p.join(other, list.Watcher{})
	want := func(viewers int, people ...list.Person) {
		t.Helper()
		if got := p.Snapshot("l1", list.Watcher{}); got.Viewers != viewers || !slices.Equal(got.People, people) {
			t.Errorf("%d viewers, %v; want %d, %v", got.Viewers, got.People, viewers, people)
		}
	}
	ada, ben := list.Person{ID: "a", Name: "Ada"}, list.Person{ID: "b", Name: "Ben"}
	want(4, ada)
	p.leave(a1)
	p.leave(a1) // once more does not count
	want(4, ada)
	p.leave(other)
	want(3, ada)
	p.rename(other, known("a", "Nobody"))
	p.rename(b, known("b", "Ben"))
	want(3, ada, ben)
	p.rename(a2, unlisted("a", "Ada"))
	for _, tc := range []struct {
		to      list.Watcher
		viewers int
		people  []list.Person
	}{
		{list.Watcher{}, 3, []list.Person{ben}},
		{list.Watcher{Part: true}, 3, []list.Person{{ID: "a", Name: "Ada", Unlisted: true}, ben}},
		{list.Watcher{Part: true, Blocks: []string{"a"}}, 2, []list.Person{ben}},
	} {
		if got := p.Snapshot("l1", tc.to); got.Viewers != tc.viewers || !slices.Equal(got.People, tc.people) {
			t.Errorf("to %+v: %+v", tc.to, got)
		}
	}
	p.leave(a2)
	want(2, ben)
	for _, s := range []*Subscription{b, hidden, anonymous} {
		p.leave(s)
	}
	if want(0); len(p.lists) != 0 {
		t.Errorf("lists stay in memory: %v", p.lists)
	}
}

// What a viewer is to the list is published if it is shown in another way, or to
// others.
func TestWhichChangesArePublished(t *testing.T) {
	p := newPresence()
	s := watching("a")
	p.join(s, known("a", "Ada"))
	for _, tc := range []struct {
		as   list.Watcher
		want bool
	}{
		{known("a", "Ada"), false},
		{known("a", "Ada L."), true},
		{unlisted("a", "Ada L."), true},
		{unlisted("a", "Ada L."), false},
		{list.Watcher{UserID: "a", Name: "Ada L."}, true},
		{list.Watcher{UserID: "a", Name: "Ada"}, false},
		{list.Watcher{UserID: "a", Hidden: true}, true},
		{list.Watcher{UserID: "a", Hidden: true, Blocks: []string{"b"}}, true},
		{list.Watcher{UserID: "a", Hidden: true, Blocks: []string{"b"}}, false},
		{list.Watcher{UserID: "a", Hidden: true, Blocks: []string{"c"}}, true},
		{list.Watcher{UserID: "a", Part: true, Hidden: true, Blocks: []string{"c"}}, true},
		{list.Watcher{UserID: "a", Part: true, Hidden: true, Blocks: []string{"c"}}, false},
	} {
		if got := p.changes(func() { p.rename(s, tc.as) }); got != tc.want {
			t.Errorf("%+v: published %v, want %v", tc.as, got, tc.want)
		}
		if got := p.shown(s); !slices.Equal(got.Blocks, tc.as.Blocks) || got.Part != tc.as.Part {
			t.Errorf("%+v: shown without %v, and with a part %v", tc.as, got.Blocks, got.Part)
		}
	}
	if p.shown(watching("b")).Blocks != nil || p.shown(&Subscription{list: "l2"}).Blocks != nil {
		t.Error("blocks of a stream that is not counted")
	}
}

// Who is typing ends with the last stream of the account, and with its name in the
// list.
func TestTypingEndsWithItsStreams(t *testing.T) {
	p := newPresence()
	a1, a2 := watching("a"), watching("a")
	ada := list.Person{ID: "a", Name: "Ada"}
	typing := func() int { return len(p.Snapshot("l1", list.Watcher{}).Typing) }
	p.join(a1, known("a", "Ada"))
	p.join(a2, known("a", "Ada"))
	if !p.changes(func() { p.SetTyping("l1", ada, "i1", true) }) || typing() != 1 {
		t.Error("typing is not published")
	}
	p.leave(a1)
	if typing() != 1 {
		t.Error("typing ended with one of two streams")
	}
	p.leave(a2)
	if typing() != 0 {
		t.Error("typing goes on without a stream")
	}
	p.join(a1, known("a", "Ada"))
	p.SetTyping("l1", ada, "i1", true)
	p.rename(a1, list.Watcher{UserID: "a", Name: "Ada"})
	if typing() != 0 {
		t.Error("who has no name in the list any more is typing")
	}
	for _, id := range []string{"l1", "l2"} {
		if p.changes(func() { p.SetTyping(id, ada, "", false) }) {
			t.Errorf("%s: the end of what had not begun was published", id)
		}
	}
}

// Who is hidden from a viewer is neither named nor shown as typing, and typing ends
// at its moment.
func TestTypingIsHiddenAndEnds(t *testing.T) {
	p := newPresence()
	s := watching("a")
	p.join(s, known("a", "Ada"))
	for _, as := range []list.Watcher{known("a", "Ada"), unlisted("a", "Ada")} {
		p.rename(s, as)
		p.SetTyping("l1", as.Person(), "i1", true)
		for without, want := range map[string]bool{"": true, "a": false, "b": true} {
			for _, part := range []bool{false, true} {
				want := want && (part || !as.Unlisted)
				if got := p.Snapshot("l1", list.Watcher{Part: part, Blocks: []string{without}}); len(got.Typing) > 0 != want || len(got.People) > 0 != want {
					t.Errorf("%+v without %q to one with a part %v: %+v", as, without, part, got)
				}
			}
		}
	}
	p.rename(s, known("a", "Ada"))
	p.SetTyping("l1", list.Person{ID: "a", Name: "Ada"}, "i1", true)
	end := p.lists["l1"].typing["a"].until
	for at, want := range map[time.Time]int{end.Add(-1): 1, end: 0} {
		if got := p.snapshot("l1", at, list.Watcher{}); len(got.Typing) != want {
			t.Errorf("%v before the end: %+v", end.Sub(at), got.Typing)
		}
	}
	p.collect(end.Add(-time.Second))
	for _, tc := range []struct {
		before time.Duration
		dirty  bool
		next   time.Duration
	}{{2, false, 2}, {1, false, 1}, {0, true, time.Hour}, {0, false, time.Hour}, {-time.Second, false, time.Hour}} {
		if dirty, next := p.collect(end.Add(-tc.before)); len(dirty) > 0 != tc.dirty || next != tc.next {
			t.Errorf("%v before the end: %q changed, the next ends in %v", tc.before, dirty, next)
		}
	}
	stops := func() { p.SetTyping("l1", list.Person{ID: "a", Name: "Ada"}, "", false) }
	if p.SetTyping("l1", list.Person{ID: "a", Name: "Ada"}, "", true); !p.changes(stops) || p.changes(stops) {
		t.Error("the end of typing is not published once")
	}
}

// What an account is typing ends in all lists when what it may be shown as changes, and
// what others are typing goes on.
func TestStopTyping(t *testing.T) {
	p := newPresence()
	for _, id := range []string{"l1", "l2"} {
		p.SetTyping(id, list.Person{ID: "a", Name: "Ada"}, "", true)
	}
	p.SetTyping("l2", list.Person{ID: "b", Name: "Ben"}, "", true)
	p.collect(time.Now())
	p.stopTyping("a")
	if dirty, _ := p.collect(time.Now()); len(dirty) != 2 || len(p.lists) != 1 || len(p.Snapshot("l2", list.Watcher{}).Typing) != 1 {
		t.Errorf("%q changed; %+v", dirty, p.Snapshot("l2", list.Watcher{}))
	}
}

// A key of a person is not counted, and what it is shown is its own: with a stream of
// the person or without.
func TestKeysOfPeopleAreNotCounted(t *testing.T) {
	p := newPresence()
	key := &Subscription{list: "l1", viewer: store.Viewer{Kind: store.Agent, UserID: "a"}}
	bot := &Subscription{list: "l1", viewer: store.Viewer{Kind: store.Agent, UserID: "r", OwnerID: "a"}}
	a := watching("a")
	p.join(key, list.Watcher{UserID: "a", Agent: true, Part: true, Hidden: true})
	p.join(bot, known("r", "Robot"))
	p.join(a, known("a", "Ada"))
	p.SetTyping("l1", list.Person{ID: "a", Name: "Ada"}, "", true)
	p.rename(key, list.Watcher{UserID: "a", Agent: true, Hidden: true})
	if got := p.Snapshot("l1", list.Watcher{}); got.Viewers != 2 || len(got.People) != 2 || len(got.Typing) != 1 {
		t.Errorf("%+v", got)
	}
	if p.shown(key).Part || !p.shown(a).Part {
		t.Error("the key and the person are shown the same")
	}
	p.leave(key)
	if got := p.Snapshot("l1", list.Watcher{}); got.Viewers != 2 || len(got.Typing) != 1 {
		t.Errorf("without the key: %+v", got)
	}
}

// Of a list 100 people are shown, and 100 who are typing, in the order of their names.
func TestPresenceIsBounded(t *testing.T) {
	p := newPresence()
	person := func(i int) list.Person {
		return list.Person{ID: fmt.Sprintf("%03d", i), Name: fmt.Sprint("Name ", i%2)}
	}
	for i := range 102 {
		p.join(watching(person(i).ID), known(person(i).ID, person(i).Name))
		p.SetTyping("l1", person(i), "i1", true)
	}
	p.SetTyping("l1", person(99), "i2", true) // goes on, in another item
	got := p.Snapshot("l1", list.Watcher{})
	if got.Viewers != 102 || len(got.People) != 100 || len(got.Typing) != 100 {
		t.Fatalf("%d viewers, %d people, %d typing", got.Viewers, len(got.People), len(got.Typing))
	}
	for i := range 99 {
		a, b := got.People[i], got.People[i+1]
		c, d := got.Typing[i], got.Typing[i+1]
		if a.Name > b.Name || a.Name == b.Name && a.ID >= b.ID || c.Name > d.Name || c.Name == d.Name && c.ID >= d.ID {
			t.Errorf("%v before %v, %v before %v", a, b, c, d)
		}
	}
	if i := slices.IndexFunc(got.Typing, func(w list.Typing) bool { return w.ID == "099" }); i < 0 || got.Typing[i].ItemID != "i2" {
		t.Errorf("the hundredth is at %d", i)
	}
}

// All with a part in a list receive one frame and all others another one, except those
// to whom somebody is not shown.
func TestPublishedPresenceIsShared(t *testing.T) {
	h := bareHub(t, Config{})
	of := func(id string) *Subscription { return h.bare(t, store.Viewer{UserID: id}, "l1") }
	ada, ben, cleo, dan, eve := of("a"), of("b"), of("c"), of("d"), of("")
	h.presence.join(ada, unlisted("a", "Ada"))
	h.presence.join(ben, list.Watcher{UserID: "b", Part: true, Known: true, Name: "Ben", Blocks: []string{"a"}})
	h.presence.join(cleo, known("c", "Cleo"))
	h.presence.join(dan, list.Watcher{UserID: "d"})
	h.presence.join(eve, list.Watcher{})
	h.publishPresence("l1")
	one := func(s *Subscription) *frame {
		t.Helper()
		if len(s.frames) != 1 {
			t.Fatalf("%d frames wait for %s, want 1", len(s.frames), s.viewer.UserID)
		}
		return <-s.frames
	}
	all, blocking, outside := one(ada), one(ben), one(dan)
	if one(cleo) != all || one(eve) != outside {
		t.Error("two viewers who are shown the same received different frames")
	}
	for _, tc := range []struct {
		f       *frame
		viewers int
		people  string
	}{
		{all, 5, `[{"id":"a","name":"Ada"},{"id":"b","name":"Ben"},{"id":"c","name":"Cleo"}]`},
		{blocking, 4, `[{"id":"b","name":"Ben"},{"id":"c","name":"Cleo"}]`},
		{outside, 5, `[{"id":"b","name":"Ben"},{"id":"c","name":"Cleo"}]`},
	} {
		if got, want := string(tc.f.wire), fmt.Sprintf("event: presence\ndata: {\"viewers\":%d,\"people\":%s,\"typing\":[]}\n\n", tc.viewers, tc.people); got != want || !tc.f.presence {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

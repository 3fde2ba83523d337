package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
)

// watchAs opens a stream of l1 for an account ("" is nobody) that is the given watcher.
func (w *world) watchAs(t *testing.T, kind store.Kind, user string, as list.Watcher) *live.Subscription {
	t.Helper()
	w.set(func() { w.watching[user] = as })
	sub, err := w.hub.Subscribe(t.Context(), store.Viewer{Kind: kind, UserID: user}, core.ToList, "l1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub
}

func known(name string) list.Watcher { return list.Watcher{Part: true, Known: true, Name: name} }

// names returns who is shown to a viewer, and how many are counted.
func (w *world) seen(to list.Watcher) string {
	got := w.hub.Presence("l1", to)
	var people, typing []string
	for _, p := range got.People {
		people = append(people, p.Name)
	}
	for _, p := range got.Typing {
		typing = append(typing, p.Name)
	}
	return fmt.Sprint(got.Viewers, people, typing)
}

// An account counts once with however many streams, everybody else with each. Only
// who is known is named, and who hides is not counted, nor is a key of a person.
func TestWhoIsCounted(t *testing.T) {
	w := newWorld(t, nil)
	want := func(to list.Watcher, want string) {
		t.Helper()
		if got := w.seen(to); got != want {
			t.Errorf("%+v sees %s, want %s", to, got, want)
		}
	}
	a1, a2 := w.watchAs(t, store.Human, "a", known("Ada")), w.watchAs(t, store.Human, "a", known("Ada"))
	unlisted := known("Ben")
	unlisted.Unlisted = true
	w.watchAs(t, store.Human, "b", unlisted)
	w.watchAs(t, store.Human, "h", list.Watcher{Hidden: true})
	w.watchAs(t, store.Agent, "k", list.Watcher{Hidden: true, Part: true})
	w.watchAs(t, store.Anonymous, "", list.Watcher{})
	w.watchAs(t, store.Anonymous, "", list.Watcher{})
	want(list.Watcher{}, "4 [Ada] []")
	want(list.Watcher{Part: true}, "4 [Ada Ben] []")
	want(list.Watcher{Part: true, Blocks: []string{"a"}}, "3 [Ben] []")
	a1.Close()
	want(list.Watcher{}, "4 [Ada] []")
	a2.Close()
	want(list.Watcher{}, "3 [] []")
}

// A sign of typing is shown to viewers who may see the name. It ends with the last
// stream of the account, with its name in the list, or when the account changes.
func TestTyping(t *testing.T) {
	w := newWorld(t, nil)
	type1 := func(listID string) { w.hub.SetTyping(listID, list.Person{ID: "a", Name: "Ada"}, "i1", true) }
	want := func(to list.Watcher, want string) {
		t.Helper()
		if got := w.seen(to); got != want {
			t.Errorf("%+v sees %s, want %s", to, got, want)
		}
	}
	a1, a2 := w.watchAs(t, store.Human, "a", known("Ada")), w.watchAs(t, store.Human, "a", known("Ada"))
	type1("l1")
	want(list.Watcher{}, "1 [Ada] [Ada]")
	want(list.Watcher{Blocks: []string{"a"}}, "0 [] []")
	a1.Close()
	want(list.Watcher{}, "1 [Ada] [Ada]")
	a2.Close()
	want(list.Watcher{}, "0 [] []")
	w.hub.SetTyping("l1", list.Person{ID: "b", Name: "Ben", Unlisted: true}, "", true)
	want(list.Watcher{}, "0 [] []")
	want(list.Watcher{Part: true}, "0 [] [Ben]")
	w.hub.SetTyping("l1", list.Person{ID: "b"}, "", false)
	want(list.Watcher{Part: true}, "0 [] []")
	type1("l1")
	type1("l2")
	w.emit(t, store.Event{Topic: "a", Kind: authChanged}, "")
	want(list.Watcher{}, "0 [] []")
	if got := w.hub.Presence("l2", list.Watcher{}); len(got.Typing) > 0 {
		t.Errorf("%+v is still typing", got.Typing)
	}
	w.watchAs(t, store.Human, "a", known("Ada"))
	type1("l1")
	probe := w.connect(t, "list=l1", "")
	probe.expect("presence", "viewers")
	w.set(func() { w.watching["a"] = list.Watcher{} })
	w.emit(t, store.Event{Topic: "l1", Kind: "list.updated"}, "l1")
	probe.skipToName("list.updated", "l1")
	want(list.Watcher{}, "2 [] []")
}

// Presence is sent at most four times a second, with the last state in the end.
func TestPresenceIsSentFourTimesASecond(t *testing.T) {
	w := newWorld(t, nil)
	probe := w.connect(t, "list=l1", "")
	probe.expect("presence", "viewers")
	start, n := time.Now(), 0
	for i := range 100 {
		w.watchAs(t, store.Human, fmt.Sprint("u", i), known(fmt.Sprint("User ", i)))
	}
	for e := probe.next(); !strings.Contains(e.data, `"viewers":101`); e = probe.next() {
		n++
	}
	if most := int(time.Since(start)/(250*time.Millisecond)) + 1; n > most {
		t.Errorf("%d events in %v, want at most %d", n, time.Since(start), most)
	}
}

// A change that a viewer is not shown is not sent to them.
func TestHiddenChangesAreNotSent(t *testing.T) {
	w := newWorld(t, nil)
	probe := w.connect(t, "list=l1", "")
	probe.expect("presence", "viewers")
	hidden := w.watchAs(t, store.Human, "h", list.Watcher{Hidden: true})
	time.Sleep(300 * time.Millisecond)
	hidden.Close()
	time.Sleep(300 * time.Millisecond)
	w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
	probe.expect("item.created", "i1")
}

// Of a list 100 people are shown, and 100 who are typing, in the order of their names.
func TestPresenceIsBounded(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 102 {
		name := fmt.Sprintf("Name %03d", i)
		w.watchAs(t, store.Human, name, known(name))
		w.hub.SetTyping("l1", list.Person{ID: name, Name: name}, "i1", true)
	}
	got := w.hub.Presence("l1", list.Watcher{})
	sorted := slices.IsSortedFunc(got.People, func(a, b list.Person) int { return strings.Compare(a.Name, b.Name) })
	if got.Viewers != 102 || len(got.People) != 100 || len(got.Typing) != 100 || !sorted {
		t.Errorf("%d viewers, %d people, %d typing, in order: %v", got.Viewers, len(got.People), len(got.Typing), sorted)
	}
}

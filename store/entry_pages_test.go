package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// entry is a thought of a test of the Stream.
type entry struct {
	id, author, place string
	at                store.Time
	captured, tagged  bool
	pins, collapsed   map[string]string // by conversations: who pinned it, and who has collapsed it
}

// insert adds e.
func (e entry) insert(tx *store.Tx) error {
	tags := "[]"
	if e.tagged {
		tags = `["top"]`
	}
	_, err := tx.ExecForTest(`INSERT INTO thought (id, user_id, text, kind, status, tags, source_conversation_id, captured, created_at, updated_at) VALUES (?1, ?2, 'x', 'fact', 'none', ?3, ?4, ?5, ?6, ?6)`,
		e.id, e.author, tags, e.place, e.captured, int64(e.at))
	for place, by := range e.pins {
		if err == nil {
			_, err = tx.ExecForTest(`INSERT INTO thought_pin VALUES (?, ?, ?, ?)`, place, e.id, by, int64(e.at))
		}
	}
	for place, by := range e.collapsed {
		if err == nil {
			_, err = tx.ExecForTest(`INSERT INTO thought_collapsed VALUES (?, ?, ?)`, by, place, e.id)
		}
	}
	return err
}

// The Stream of a conversation has what is captured from its messages, what is pinned
// to it and, for a person, their own notes for it, in pages of any size, the newest
// first and before a moment; with the pins and the marks of that conversation alone.
func TestEntriesInPages(t *testing.T) {
	t.Parallel()
	undo := errors.New("undo")
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	people := []string{p.Ada.ID, p.Ben.ID}
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 1))
		one := func(of []string) string { return of[rng.IntN(len(of))] }
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			var places []string
			for range 2 {
				id, err := tx.InsertGroup(p.Ada.ID, people[1:], "")
				if err != nil {
					return err
				}
				places = append(places, id)
			}
			if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
				return err
			}
			var all []entry
			for n := range 40 {
				e := entry{id: fmt.Sprint(n), author: one(people), place: one(places), at: store.Time(1000 + n), captured: rng.IntN(2) == 0, tagged: rng.IntN(2) == 0, pins: map[string]string{}, collapsed: map[string]string{}}
				for _, place := range places {
					if rng.IntN(4) == 0 {
						e.pins[place] = one(people)
					}
					if rng.IntN(2) == 0 {
						e.collapsed[place] = one(people)
					}
				}
				if err := e.insert(tx); err != nil {
					return err
				}
				all = append(all, e)
			}
			for _, u := range []store.User{p.Ada, p.Ben} {
				by := storetest.Human(u)
				for _, by.Kind = range []store.Kind{store.Human, store.Agent} {
					checkEntries(t, &tx.Reader, by, places[0], all)
				}
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	}
}

// checkEntries reads a page from every moment on.
func checkEntries(t *testing.T, r *store.Reader, by store.Viewer, place string, all []entry) {
	t.Helper()
	for _, tag := range []string{"", "top"} {
		for n := range all[:20] {
			before, limit := all[2*n].at, 1+n%7
			if n == 0 {
				before = 0
			}
			var want []string
			for _, e := range slices.SortedFunc(slices.Values(all), func(a, b entry) int { return cmp.Compare(b.at, a.at) }) {
				pinned := e.pins[place] != ""
				shown := pinned || e.place == place && (e.captured || e.author == by.UserID && by.Direct())
				if shown && (before == 0 || e.at < before) && (tag == "" || e.tagged) && len(want) < limit {
					want = append(want, fmt.Sprint(e.id, " ", e.pins[place], " ", e.collapsed[place] == by.UserID))
				}
			}
			es, err := r.Entries(by, place, tag, before, limit)
			got, err := texts(es, err, func(e store.Entry) string { return fmt.Sprint(e.ID, " ", e.PinnedBy, " ", e.Collapsed) })
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d entries before %v with the tag %q for %s, direct %v, %v:\ngot  %q\nwant %q", limit, before, tag, by.Name, by.Direct(), err, got, want)
				return
			}
		}
	}
}

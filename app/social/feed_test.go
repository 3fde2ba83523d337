package social_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

// feedModel is what a feed should have, from sets.
type feedModel struct {
	members map[string]map[string]bool // conversation -> people
	owners  map[string]string
	blocks  map[[2]string]bool
	stories map[string]*modelStory
	gone    map[string]bool // suspended
}

type modelStory struct {
	owner         string
	people, rooms []string
	status        string
	until         store.Time
}

// sees reports whether a viewer sees a Story.
func (m *feedModel) sees(viewer string, s *modelStory, now store.Time) bool {
	if s.status != "active" || s.until <= now {
		return false
	}
	if s.owner == viewer {
		return true
	}
	if m.gone[s.owner] || m.blocks[[2]string{s.owner, viewer}] || m.blocks[[2]string{viewer, s.owner}] {
		return false
	}
	return slices.Contains(s.people, viewer) || slices.ContainsFunc(s.rooms, func(room string) bool {
		return m.members[room][viewer] && m.members[room][s.owner]
	})
}

// In random worlds the feed of each person has exactly the Stories that the model
// says, and each of them, and no other, can be answered.
func TestFeedModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rng := rand.New(rand.NewPCG(3, 4))
	m := &feedModel{members: map[string]map[string]bool{}, owners: map[string]string{}, blocks: map[[2]string]bool{},
		stories: map[string]*modelStory{}, gone: map[string]bool{}}
	var people []store.User
	for i := range 16 {
		people = append(people, w.person(fmt.Sprint("p", i)))
	}
	var rooms []string
	for i := range 6 {
		rooms = append(rooms, w.room(m, fmt.Sprint("room ", i), some(rng, people, 8)))
	}
	pairs := 0
	for range 30 {
		for range 3 {
			w.publishSome(rng, m, people, rooms)
		}
		w.change(rng, m, people, rooms)
		now := w.db.Now()
		for _, u := range people {
			if m.gone[u.ID] {
				continue
			}
			pairs += len(m.stories)
			w.compareFeed(m, u, now)
		}
	}
	if pairs < 10_000 {
		t.Errorf("only %d pairs of a viewer and a Story", pairs)
	}
}

func some[T any](rng *rand.Rand, from []T, n int) []T {
	out := slices.Clone(from)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:n]
}

func (w *world) room(m *feedModel, title string, people []store.User) string {
	w.Helper()
	var ids []string
	for _, u := range people {
		ids = append(ids, u.ID)
	}
	var id string
	w.write(func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(ids[0], ids[1:], title)
		return err
	})
	m.members[id], m.owners[id] = map[string]bool{}, ids[0]
	for _, u := range ids {
		m.members[id][u] = true
	}
	return id
}

// publishSome publishes a Story of a random person for a random audience.
func (w *world) publishSome(rng *rand.Rand, m *feedModel, people []store.User, rooms []string) {
	w.Helper()
	u := people[rng.IntN(len(people))]
	s := &modelStory{owner: u.ID, status: "active", until: *w.later(time.Duration(1+rng.IntN(20)) * time.Hour)}
	for _, p := range some(rng, people, rng.IntN(4)) {
		if p.ID != u.ID && !m.blocks[[2]string{u.ID, p.ID}] && !m.blocks[[2]string{p.ID, u.ID}] && !m.gone[p.ID] {
			s.people = append(s.people, p.ID)
		}
	}
	for _, room := range some(rng, rooms, rng.IntN(3)) {
		if m.members[room][u.ID] {
			s.rooms = append(s.rooms, room)
		}
	}
	if len(s.people)+len(s.rooms) == 0 || m.gone[u.ID] {
		return
	}
	out := w.story(u, social.PublishStoryIn{
		Text: "Something of " + u.Name, StoryExpiresAt: &s.until,
		Audience: &social.Audience{UserIDs: append([]string{}, s.people...), ConversationIDs: append([]string{}, s.rooms...)},
	})
	m.stories[out.Story.ID] = s
}

// change changes the world at random: blocks, memberships, states and the time.
func (w *world) change(rng *rand.Rand, m *feedModel, people []store.User, rooms []string) {
	w.Helper()
	a, b := people[rng.IntN(len(people))], people[rng.IntN(len(people))]
	room := rooms[rng.IntN(len(rooms))]
	switch rng.IntN(7) {
	case 0:
		if a.ID != b.ID && !m.blocks[[2]string{a.ID, b.ID}] {
			w.block(a, b)
			m.blocks[[2]string{a.ID, b.ID}] = true
		}
	case 1:
		if m.blocks[[2]string{a.ID, b.ID}] {
			w.write(func(tx *store.Tx) error { return tx.DeleteBlock(a.ID, b.ID) })
			delete(m.blocks, [2]string{a.ID, b.ID})
		}
	case 2:
		if m.members[room][a.ID] && m.owners[room] != a.ID {
			w.leave(a, room)
			delete(m.members[room], a.ID)
		}
	case 3:
		if !m.members[room][a.ID] {
			w.write(func(tx *store.Tx) error { return tx.AddMember(room, a.ID, "member") })
			m.members[room][a.ID] = true
		}
	case 4:
		w.db.Clock.Advance(2 * time.Hour)
	case 5:
		if !m.gone[a.ID] && len(m.gone) < 2 {
			w.suspend(a)
			m.gone[a.ID] = true
		}
	}
	w.changeStory(rng, m, people)
}

// changeStory pauses, resumes or withdraws a Story.
func (w *world) changeStory(rng *rand.Rand, m *feedModel, people []store.User) {
	ids := slices.Sorted(maps.Keys(m.stories))
	if len(ids) == 0 {
		return
	}
	id := ids[rng.IntN(len(ids))]
	s := m.stories[id]
	status := []string{"active", "paused", "withdrawn"}[rng.IntN(3)]
	owner := people[slices.IndexFunc(people, func(u store.User) bool { return u.ID == s.owner })]
	_, err := w.s.UpdateStory.Call(w.ctx, as(owner), social.UpdateStoryIn{ID: id, Status: status})
	switch {
	case err == nil:
		s.status = status
	case s.status == "withdrawn" && code(err) == "withdrawn", s.until <= w.db.Now() && code(err) == "invalid_input":
	default:
		w.Errorf("%s to %s: %v", s.status, status, err)
	}
}

func (w *world) compareFeed(m *feedModel, u store.User, now store.Time) {
	w.Helper()
	out, err := w.s.ListFeed.Call(w.ctx, as(u), core.None{})
	if err != nil {
		w.Fatal(err)
	}
	got := map[string]bool{}
	for _, s := range out.Stories {
		got[s.ID] = true
	}
	for id, s := range m.stories {
		if want := m.sees(u.ID, s, now); got[id] != want {
			w.Errorf("%s sees %+v: %v, want %v", u.Name, *s, got[id], want)
		}
	}
	for id, s := range m.stories {
		_, err := w.s.RespondStory.Call(w.ctx, as(u), social.RespondStoryIn{ID: id, Message: "Hello", Confirm: new(false)})
		if want := got[id] && s.owner != u.ID; (err == nil) != want || err != nil && code(err) != "not_found" {
			w.Errorf("%s answers %+v: %v", u.Name, *s, err)
		}
		break // one of them, by chance
	}
}

// The feed has only the newest 20 Stories of one author, which leaves room for other
// authors. The name of an author without a name is null.
func TestFeedOfManyStories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	insert := func(u store.User, text string) {
		w.write(func(tx *store.Tx) error {
			st := store.Story{
				OwnerID: u.ID, Text: text, Status: "active", StoryExpiresAt: *w.later(time.Hour), SearchExpiresAt: *w.later(time.Hour),
				Audience: store.Audience{UserIDs: []string{w.Ada.ID}},
				Intent:   store.Intent{OwnerID: u.ID, Kind: "ask", Terms: text, MatchingMode: "fulfillment", Status: "paused"},
			}
			return cmp.Or(tx.InsertIntent(&st.Intent), tx.InsertStory(&st))
		})
	}
	nameless := w.person("")
	insert(nameless, "the first")
	for n := range 205 {
		insert(w.Ben, fmt.Sprint(n))
	}
	out, err := w.s.ListFeed.Call(w.ctx, as(w.Ada), core.None{})
	if err != nil || len(out.Stories) != 21 {
		t.Fatalf("%d Stories: %v", len(out.Stories), err)
	}
	for n, st := range out.Stories[:20] {
		if st.Text != fmt.Sprint(204-n) || st.Author.Name == nil || *st.Author.Name != w.Ben.Name {
			t.Errorf("%d: %+v", n, st)
		}
	}
	if last := out.Stories[20]; last.Author.ID != nameless.ID || last.Author.Name != nil {
		t.Errorf("the last is %+v", last)
	}
}

package chat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// crowd adds n people.
func (w *world) crowd(n int) []store.User {
	w.Helper()
	out := make([]store.User, n)
	for i := range out {
		out[i] = w.add(store.User{Email: fmt.Sprintf("p%d@example.org", i), Name: fmt.Sprint("P", i)})
	}
	return out
}

// listed returns the names of who is embedded in the only conversation that u
// has, with a star behind each owner.
func (w *world) listed(u store.User) (names []string, count int) {
	w.Helper()
	page, err := w.s.ListConversations.Call(w.ctx, as(u), chat.ListConversationsIn{})
	w.ok(err)
	if len(page.Items) != 1 {
		w.Fatalf("%d conversations", len(page.Items))
	}
	for _, p := range page.Items[0].Participants {
		if p.Role == "owner" {
			p.User.Name += "*"
		}
		names = append(names, p.User.Name)
	}
	return names, page.Items[0].ParticipantCount
}

// A list embeds the caller, the owners and those who sent last; a conversation
// has everybody.
func TestListedParticipants(t *testing.T) {
	w := newWorld(t)
	p := w.crowd(12)
	c := w.group(p[0], p[1:]...)
	check := func(u store.User, want []string) {
		t.Helper()
		got, count := w.listed(u)
		if d := cmp.Diff(want, got); d != "" || count != 12 {
			t.Errorf("%s is shown %d people: %s", u.Name, count, d)
		}
	}
	check(p[0], []string{"P0*", "P1", "P2", "P3", "P4", "P5", "P6", "P7"})
	check(p[11], []string{"P11", "P0*", "P1", "P2", "P3", "P4", "P5", "P6"})
	for _, n := range []int{9, 3, 9, 10} {
		w.send(p[n], c.ID, "x")
	}
	check(p[11], []string{"P11", "P0*", "P10", "P9", "P3", "P1", "P2", "P4"})
	check(p[9], []string{"P9", "P0*", "P10", "P3", "P1", "P2", "P4", "P5"})
	_, err := w.s.UpdateParticipant.Call(w.ctx, as(p[0]), chat.UpdateParticipantIn{ConversationID: c.ID, UserID: p[8].ID, Role: "owner"})
	w.ok(err)
	check(p[11], []string{"P11", "P0*", "P8*", "P10", "P9", "P3", "P1", "P2"})
	if got := w.conversation(p[11], c.ID); len(got.Participants) != 12 || got.ParticipantCount != 12 {
		t.Errorf("the conversation has %d participants of %d", len(got.Participants), got.ParticipantCount)
	}
	w.ok(w.remove(p[0], c.ID, p[10]))
	if got, count := w.listed(p[11]); count != 11 || slices.Contains(got, "P10") || len(got) != 8 {
		t.Errorf("after P10 has left, %d: %q", count, got)
	}
}

// After any changes of a group, its row names and counts its members: the
// invariants are checked when the test ends.
func TestRandomGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := append(w.crowd(14), w.add(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true}))
	c := w.group(people[0], people[1:3]...)
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		u := people[1+rnd.IntN(len(people)-1)]
		var err error
		switch rnd.IntN(5) {
		case 0, 1:
			_, err = w.s.SendMessage.Call(w.ctx, as(u), chat.SendMessageIn{ConversationID: c.ID, Content: "x"})
		case 2, 3:
			_, err = w.s.AddParticipant.Call(w.ctx, as(people[0]), chat.AddParticipantIn{ConversationID: c.ID, UserID: u.ID})
			if rnd.IntN(2) == 0 {
				_, err = w.s.UpdateParticipant.Call(w.ctx, as(people[0]), chat.UpdateParticipantIn{ConversationID: c.ID, UserID: u.ID,
					Role: []string{"owner", "member"}[rnd.IntN(2)]})
			}
		case 4:
			err = w.remove(people[0], c.ID, u)
		}
		if err != nil && !core.IsKind(err, core.NotFound) {
			t.Fatal(err)
		}
		full := w.conversation(people[0], c.ID)
		names, count := w.listed(people[0])
		if len(full.Participants) != count || len(names) != min(8, count) ||
			full.ContainsBot != slices.ContainsFunc(full.Participants, func(p chat.Participant) bool { return p.User.IsBot }) {
			t.Fatalf("%d are listed of %d, and there are %d", len(names), count, len(full.Participants))
		}
	}
}

// Pages have no gaps between them, and the last has no next one.
func TestConversationPages(t *testing.T) {
	w := newWorld(t)
	var want []string
	for i := range 7 {
		out, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(w.Ada), Type: "group",
			Title: strconv.Itoa(i)})
		w.ok(err)
		want = append(want, out.ID)
	}
	slices.Reverse(want)
	for _, limit := range []int{1, 3, 6, 7, 8, 500} {
		var got []string
		in, pages := chat.ListConversationsIn{Limit: limit}, 0
		for more := true; more; pages++ {
			page, err := w.s.ListConversations.Call(w.ctx, as(w.Ada), in)
			w.ok(err)
			for _, c := range page.Items {
				got = append(got, c.ID)
			}
			if more = page.Next != nil; more {
				before, err := store.ParseTime(page.Next.Get("before"))
				w.ok(err)
				if in.Before = &before; page.Next.Get("limit") != strconv.Itoa(limit) {
					t.Errorf("the next page has the query %v", page.Next)
				}
			}
		}
		if d := cmp.Diff(want, got); d != "" || pages != (7+limit-1)/limit {
			t.Errorf("limit %d, %d pages: %s", limit, pages, d)
		}
	}
	for _, limit := range []int{-1} {
		_, err := w.s.ListConversations.Call(w.ctx, as(w.Ada), chat.ListConversationsIn{Limit: limit})
		w.refuse(err, core.Invalid, "invalid_input")
	}
}

package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// search returns the contents of the messages that a search finds.
func (w *world) search(u store.User, q string) []string {
	w.Helper()
	out, err := w.s.SearchMessages.Call(w.ctx, as(u), chat.SearchMessagesIn{Q: q})
	if err != nil {
		w.Fatalf("%q: %v", q, err)
	}
	if len(out.Snippets) != len(out.Messages) {
		w.Fatalf("%q: %d snippets of %d messages", q, len(out.Snippets), len(out.Messages))
	}
	return contents(out.Messages)
}

func TestSearchFilters(t *testing.T) {
	w := newWorld(t)
	bees := w.add(store.User{Email: "x@example.org", Name: "山田太郎"})
	garden := w.group(w.Ada, w.Ben, bees)
	if _, err := w.s.UpdateConversation.Call(w.ctx, as(w.Ada), chat.UpdateConversationIn{ID: garden.ID,
		Title: core.Opt[string]{Set: true, V: "Jardin d’été"}}); err != nil {
		t.Fatal(err)
	}
	direct := w.direct(w.Ada, w.Ben)
	w.send(w.Ada, garden.ID, "march plan")
	w.db.Clock.Advance(31 * 24 * time.Hour)
	w.send(w.Ben, garden.ID, "april plan https://example.org")
	w.send(bees, garden.ID, "honey plan")
	w.send(w.Ben, direct.ID, "private plan")
	for q, want := range map[string][]string{
		"plan":                        {"private plan", "honey plan", "april plan https://example.org", "march plan"},
		"from:me plan":                {"march plan"},
		"from:ben":                    {"private plan", "april plan https://example.org"},
		"FROM:@Ben has:LINKS":         {"april plan https://example.org"},
		"from:太郎":                     {"honey plan"},
		"from:me from:山田":             {"honey plan", "march plan"},
		"from:nobody plan":            {},
		"in:ete plan":                 {"honey plan", "april plan https://example.org", "march plan"},
		"in:\"jardin d'ete\" march":   {"march plan"},
		"in:ben":                      {"private plan"},
		"in:" + direct.ID:             {"private plan"},
		"in:nowhere plan":             {},
		"in:" + store.NewID():         {},
		"after:2026-04 plan":          {"private plan", "honey plan", "april plan https://example.org"},
		"before:2026-04 plan":         {"march plan"},
		"on:2026-03-14":               {"march plan"},
		"before:2026-03-14T09:26:53Z": {},
		"has:reaction":                {},
		"\"plan march\"":              {},
		"„march plan“":                {"march plan"},
		"before:yesterday":            {},
		"has:wings plan":              {},
	} {
		if got := w.search(w.Ada, q); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	if got := w.search(w.Stranger, "plan"); len(got) > 0 {
		t.Errorf("a stranger finds %q", got)
	}
	// The id of a conversation of others is as good as none.
	if got := w.search(w.Stranger, "in:"+garden.ID+" plan"); len(got) > 0 {
		t.Errorf("a stranger finds %q", got)
	}
}

// What others write changes nothing in the results of a caller who cannot see
// it, nor do messages of those who left.
func TestSearchTwoWorlds(t *testing.T) {
	t.Parallel()
	var seen [2][]string
	for world := range seen {
		w := newWorld(t)
		ours, theirs := w.group(w.Ada), w.group(w.Ben)
		for n := range 5 {
			w.send(w.Ada, ours.ID, "common word")
			if world == 1 {
				w.send(w.Ben, theirs.ID, "common word and a rare one")
				w.send(w.Ben, theirs.ID, strings.Repeat("common ", n+1))
			}
		}
		for _, q := range []string{"common", "rare", "from:ben", "in:" + theirs.ID, "word common"} {
			var cursor string
			for range 4 {
				out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), chat.SearchMessagesIn{Q: q, Limit: 2, Cursor: cursor})
				if err != nil {
					t.Fatal(err)
				}
				seen[world] = append(seen[world], strings.Join(contents(out.Messages), "|"))
				if cursor = core.OrZero(out.NextCursor); cursor == "" {
					seen[world] = append(seen[world], "end")
					break
				}
			}
		}
	}
	if !slices.Equal(seen[0], seen[1]) {
		t.Errorf("%q\n%q", seen[0], seen[1])
	}
}

func TestSnippets(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	w.send(w.Ada, c.ID, strings.Repeat("padding ", 60)+"the\nneedle is here "+strings.Repeat("after ", 60))
	out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), chat.SearchMessagesIn{Q: "needl"})
	w.ok(err)
	s := out.Snippets[0]
	text := []rune(s.Text)
	if len(s.Highlights) != 1 || string(text[s.Highlights[0][0]:s.Highlights[0][1]]) != "needle" {
		t.Errorf("%q %v", s.Text, s.Highlights)
	}
	if len(text) > 162 || text[0] != '…' || text[len(text)-1] != '…' || strings.ContainsAny(s.Text, "\n") {
		t.Errorf("%q", s.Text)
	}
}

// Messages around one of them are those before and after it, up to both ends.
func TestMessagesAround(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, other := w.group(w.Ada, w.Ben), w.group(w.Ben)
	var all []chat.Message
	for range 120 {
		all = append(all, w.send(w.Ada, c.ID, "x"))
	}
	foreign := w.send(w.Ben, other.ID, "y")
	for _, at := range []int{0, 10, 24, 25, 26, 60, 70, 94, 95, 96, 119} {
		out, err := w.s.MessagesAround.Call(w.ctx, as(w.Ada), chat.MessagesAroundIn{ConversationID: c.ID, ID: all[at].ID})
		w.ok(err)
		first := max(0, at-25)
		if want := min(50, len(all)-first); len(out.Messages) != want {
			t.Errorf("%d: %d messages, want %d", at, len(out.Messages), want)
		}
		if out.Messages[0].ID != all[first].ID || out.HasMore != (first > 0) || out.HasNewer != (first+len(out.Messages) < len(all)) ||
			len(out.Messages) > 50 {
			t.Errorf("%d: %d messages, %v %v", at, len(out.Messages), out.HasMore, out.HasNewer)
		}
		if !slices.ContainsFunc(out.Messages, func(m chat.Message) bool { return m.ID == all[at].ID }) {
			t.Errorf("%d is not among them", at)
		}
	}
	out, err := w.s.MessagesAround.Call(w.ctx, as(w.Ada), chat.MessagesAroundIn{ConversationID: c.ID, After: all[99].CreatedAt})
	w.ok(err)
	if len(out.Messages) != 20 || out.Messages[0].ID != all[100].ID || !out.HasMore || out.HasNewer {
		t.Errorf("%d messages after the hundredth", len(out.Messages))
	}
	out, err = w.s.MessagesAround.Call(w.ctx, as(w.Ada), chat.MessagesAroundIn{ConversationID: c.ID})
	w.ok(err)
	if len(out.Messages) != 50 || out.Messages[0].ID != all[0].ID || out.HasMore || !out.HasNewer {
		t.Errorf("%d messages from the beginning, %v %v", len(out.Messages), out.HasMore, out.HasNewer)
	}
	for _, in := range []chat.MessagesAroundIn{{ConversationID: c.ID, ID: foreign.ID}, {ConversationID: other.ID, ID: foreign.ID},
		{ConversationID: other.ID}, {ConversationID: c.ID, ID: store.NewID()}} {
		_, err := w.s.MessagesAround.Call(w.ctx, as(w.Ada), in)
		w.refuse(err, core.NotFound, "not_found")
	}
}

// A page goes on until it is full, or there are no more.
func TestSearchGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.group(w.Ada)
	w.send(w.Ada, c.ID, "the needle")
	addHay := func() {
		w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error {
			for range 600 {
				tx.Now = tx.Tick()
				m := store.Message{ConversationID: c.ID, SenderID: w.Ada.ID, Content: "hay", Type: "text"}
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	addHay()
	addHay()
	if got := w.search(w.Ada, "needle"); !slices.Equal(got, []string{"the needle"}) {
		t.Errorf("the first page has %q", got)
	}
	for _, limit := range []int{1, 100} {
		out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), chat.SearchMessagesIn{Q: "hay", Limit: limit})
		if w.ok(err); len(out.Messages) != limit || len(out.Snippets) != limit || out.NextCursor == nil {
			t.Errorf("a page has %d messages, want %d", len(out.Messages), limit)
		}
	}
}

// A search of one conversation finds something if the conversations that it names
// include that one.
func TestSearchInAConversationByName(t *testing.T) {
	w := newWorld(t)
	titled := func(title string) string {
		t.Helper()
		out, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(w.Ada), Type: "group",
			Title: title})
		w.ok(err)
		w.send(w.Ada, out.ID, "plan of the "+title)
		return out.ID
	}
	garden, kitchen := titled("garden"), titled("kitchen")
	for _, tc := range []struct{ id, q, want string }{
		{garden, "plan", "[plan of the garden]"},
		{garden, "in:garden plan", "[plan of the garden]"},
		{garden, "in:kitchen in:garden plan", "[plan of the garden]"},
		{garden, "in:kitchen plan", "[]"},
		{kitchen, "in:garden plan", "[]"},
		{"", "in:kitchen plan", "[plan of the kitchen]"},
	} {
		out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), chat.SearchMessagesIn{Q: tc.q, ConversationID: tc.id})
		if got := fmt.Sprint(contents(out.Messages)); err != nil || got != tc.want {
			t.Errorf("%s: %s, %v; want %s", tc.q, got, err, tc.want)
		}
	}
}

// A page never has more messages than requested, also when it covers several parts. The
// next page continues after it, within the period of the search.
func TestSearchPagesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.group(w.Ada)
	for _, text := range []string{"needle 1", "needle 2", "needle 3"} {
		w.send(w.Ada, c.ID, text)
	}
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error {
		for range 1200 {
			tx.Now = tx.Tick()
			m := store.Message{ConversationID: c.ID, SenderID: w.Ada.ID, Content: "hay", Type: "text"}
			if err := tx.Send(&m, nil); err != nil {
				return err
			}
		}
		return nil
	}))
	w.send(w.Ada, c.ID, "needle 4")
	want := []string{"needle 4", "needle 3", "needle 2", "needle 1"}
	for _, q := range []string{"needle", "needle before:2027", "needle after:2026-03-14 before:2026-03-15"} {
		for _, limit := range []int{1, 2, 3, 4} {
			in := chat.SearchMessagesIn{Q: q, Limit: limit}
			var got []string
			for range 10 {
				out, err := w.s.SearchMessages.Call(w.ctx, as(w.Ada), in)
				w.ok(err)
				if rest := len(want) - len(got); len(out.Messages) != min(limit, rest) || len(out.Snippets) != len(out.Messages) {
					t.Errorf("%s: a page of %d has %d messages and %d snippets", q, limit, len(out.Messages), len(out.Snippets))
				}
				got = append(got, contents(out.Messages)...)
				if in.Cursor = core.OrZero(out.NextCursor); in.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: pages of %d have %q, want %q", q, limit, got, want)
			}
		}
	}
}

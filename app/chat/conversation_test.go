package chat_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func TestCreateConversation(t *testing.T) {
	w := newWorld(t)
	for name, tc := range map[string]struct {
		in      chat.CreateConversationIn
		typ     string
		members int
	}{
		"with oneself":              {chat.CreateConversationIn{ParticipantIDs: ids(w.Ada)}, "direct", 1},
		"one other":                 {chat.CreateConversationIn{ParticipantIDs: ids(w.Ben)}, "direct", 2},
		"one other, and the caller": {chat.CreateConversationIn{ParticipantIDs: ids(w.Ada, w.Cleo)}, "direct", 2},
		"several":                   {chat.CreateConversationIn{ParticipantIDs: ids(w.Ben, w.Cleo), Title: " Sunday\ntable "}, "group", 3},
		"group of two":              {chat.CreateConversationIn{ParticipantIDs: ids(w.Ben), Type: "group"}, "group", 2},
		"group of one":              {chat.CreateConversationIn{ParticipantIDs: ids(w.Ada), Type: "group"}, "group", 1},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if out.Type != tc.typ || len(out.Participants) != tc.members || !out.Created() {
				t.Errorf("got %+v, created %v", out.Conversation, out.Created())
			}
			if out.LastReadAt != nil || out.UnreadCount != 0 || out.LastMessage != nil || out.LastMessageAt != out.CreatedAt {
				t.Errorf("a new conversation is not empty: %+v", out.Conversation)
			}
			if tc.in.Title != "" && *out.Title != "Sunday table" {
				t.Errorf("title %q", *out.Title)
			}
			again, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if direct := tc.typ == "direct"; direct != (again.ID == out.ID) || direct != !again.Created() {
				t.Errorf("a second time: id %s after %s, created %v", again.ID, out.ID, again.Created())
			}
		})
	}
	other, err := w.s.CreateConversation.Call(w.ctx, as(w.Ben), chat.CreateConversationIn{ParticipantIDs: ids(w.Ada)})
	if mine := w.direct(w.Ada, w.Ben); err != nil || mine.ID != other.ID {
		t.Errorf("each side has a direct conversation of its own: %v", err)
	}
}

func TestCreateConversationRefuses(t *testing.T) {
	w := newWorld(t)
	hidden := w.add(store.User{Email: "h@example.org", Name: "Hidden", DiscoveryMode: "hidden"})
	system := w.add(store.User{Email: "s@example.org", Name: "System", IsSystem: true})
	suspended := w.add(store.User{Email: "x@example.org", Name: "Suspended"})
	suspended.SuspendedAt = in(0)
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { _, err := tx.UpdateUser(suspended); return err }))
	friend := w.add(store.User{Email: "f@example.org", Name: "Friend", DiscoveryMode: "hidden"})
	w.direct(friend, w.Ada) // hidden accounts can start conversations
	many := make([]string, 101)
	for i := range many {
		many[i] = store.NewID()
	}
	var sentences []string
	for _, tc := range []struct {
		name, code string
		in         chat.CreateConversationIn
	}{
		{"unknown", "unreachable", chat.CreateConversationIn{ParticipantIDs: []string{store.NewID()}}},
		{"hidden", "unreachable", chat.CreateConversationIn{ParticipantIDs: ids(hidden)}},
		{"suspended", "unreachable", chat.CreateConversationIn{ParticipantIDs: ids(suspended)}},
		{"the system", "unreachable", chat.CreateConversationIn{ParticipantIDs: ids(system)}},
		{"one of several hidden", "unreachable", chat.CreateConversationIn{ParticipantIDs: ids(w.Ben, hidden)}},
		{"no participants", "invalid_input", chat.CreateConversationIn{}},
		{"twice", "invalid_input", chat.CreateConversationIn{ParticipantIDs: ids(w.Ben, w.Ben)}},
		{"too many", "invalid_input", chat.CreateConversationIn{ParticipantIDs: many}},
		{"no id", "invalid_input", chat.CreateConversationIn{ParticipantIDs: []string{"ben"}}},
		{"direct with two", "invalid_input", chat.CreateConversationIn{ParticipantIDs: ids(w.Ben, w.Cleo), Type: "direct"}},
		{"another type", "invalid_input", chat.CreateConversationIn{ParticipantIDs: ids(w.Ben), Type: "channel"}},
		{"long title", "invalid_input", chat.CreateConversationIn{ParticipantIDs: ids(w.Ben), Title: strings.Repeat("é", 201)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), tc.in)
			e := core.As(err)
			if err == nil || e.Kind != core.Invalid || e.Code != tc.code {
				t.Fatalf("got %v, want %s", err, tc.code)
			}
			if tc.code == "unreachable" {
				sentences = append(sentences, e.Msg)
			}
		})
	}
	for _, s := range sentences {
		if s != sentences[0] {
			t.Errorf("the responses reveal the reason: %q and %q", s, sentences[0])
		}
	}
	if out, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(friend, w.Ben)}); err != nil ||
		len(out.Participants) != 3 {
		t.Errorf("a person with a shared conversation cannot be reached: %v", err)
	}
	quiet := w.add(store.User{Email: "q@example.org", Name: "Quiet", DiscoveryMode: "email_only", VerifiedAt: w.db.Now()})
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return tx.FoundByAddress(as(w.Ada), quiet.ID) }))
	if _, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(quiet)}); err != nil {
		t.Errorf("a person found by their exact address cannot be written to: %v", err)
	}
}

// A direct conversation that was asked for again is returned whatever became of the
// other account.
func TestDirectConversationAgain(t *testing.T) {
	w := newWorld(t)
	ask := func() (id, code string, made bool) {
		out, err := w.s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(w.Ben)})
		if err != nil {
			return "", core.As(err).Code, false
		}
		return out.ID, "", out.Created()
	}
	first, _, _ := ask()
	for name, change := range map[string]func(u *store.User){
		"suspended": func(u *store.User) { u.SuspendedAt = 1 },
		"hidden":    func(u *store.User) { u.DiscoveryMode = "hidden" },
		"nothing":   func(u *store.User) {},
	} {
		ben := w.Ben
		change(&ben)
		w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { _, err := tx.UpdateUser(ben); return err }))
		if id, code, made := ask(); id != first || code != "" || made {
			t.Errorf("%s: got %q %q, made %v", name, id, code, made)
		}
	}
}

// Concurrent requests from both sides create one direct conversation.
func TestConcurrentDirectConversation(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	got := make([]chat.CreateConversationOut, 50)
	for i := range got {
		wg.Go(func() {
			from, to := w.Ada, w.Ben
			if i%2 == 1 {
				from, to = to, from
			}
			var err error
			if got[i], err = w.s.CreateConversation.Call(w.ctx, as(from), chat.CreateConversationIn{ParticipantIDs: ids(to)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	made := 0
	for _, c := range got {
		if c.ID != got[0].ID {
			t.Fatalf("two conversations: %s and %s", c.ID, got[0].ID)
		}
		if c.Created() {
			made++
		}
	}
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

func TestListConversations(t *testing.T) {
	w := newWorld(t)
	bot := w.add(store.User{Email: "b@example.org", Name: "Pantry", IsBot: true})
	first := w.direct(w.Ada, w.Ben)
	second := w.direct(w.Ada, w.Cleo, bot)
	third := w.direct(w.Ada, w.Ada)
	w.direct(w.Ben, w.Cleo)
	list := func(in chat.ListConversationsIn) []chat.Conversation {
		t.Helper()
		page, err := w.s.ListConversations.Call(w.ctx, as(w.Ada), in)
		w.ok(err)
		return page.Items
	}
	order := func(cs []chat.Conversation) (out []string) {
		for _, c := range cs {
			out = append(out, c.ID)
		}
		return out
	}
	if d := cmp.Diff([]string{third.ID, second.ID, first.ID}, order(list(chat.ListConversationsIn{}))); d != "" {
		t.Fatal(d)
	}
	long := strings.Repeat("é🌿", 100)
	w.send(w.Ben, first.ID, long)
	cs := list(chat.ListConversationsIn{})
	if d := cmp.Diff([]string{first.ID, third.ID, second.ID}, order(cs)); d != "" {
		t.Fatal(d)
	}
	if c := cs[0]; c.LastMessagePreview != strings.Repeat("é🌿", 50) || c.LastMessage.Content != long || c.UnreadCount != 1 ||
		c.LastMessageAt != c.LastMessage.CreatedAt {
		t.Errorf("got %+v", c)
	}
	if cs[0].ContainsBot || !cs[2].ContainsBot {
		t.Error("containsBot is wrong")
	}
	if d := cmp.Diff([]string{third.ID}, order(list(chat.ListConversationsIn{Before: &cs[0].LastMessageAt, Limit: 1}))); d != "" {
		t.Error(d)
	}
	if len(list(chat.ListConversationsIn{Before: ptr(never)})) != 0 {
		t.Error("there is something before the beginning")
	}
}

// An account is shown its own address only.
func TestParticipantsAddresses(t *testing.T) {
	w := newWorld(t)
	c := w.conversation(w.Ben, w.direct(w.Ada, w.Ben).ID)
	got := map[string]string{}
	for _, p := range c.Participants {
		got[p.User.Name+" "+p.Role] = p.User.Email
	}
	if d := cmp.Diff(map[string]string{"Ada owner": w.Ada.ID + "@users.invalid", "Ben member": "ben@example.org"}, got); d != "" {
		t.Error(d)
	}
}

// Lists of nothing are empty arrays, not null.
func TestEmptyListsAreArrays(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	changes, err := w.s.ListChanges.Call(w.ctx, as(w.Ada), chat.ListChangesIn{ConversationID: c.ID})
	w.ok(err)
	invites, err := w.s.ListInvites.Call(w.ctx, as(w.Ada), core.ByID{ID: c.ID})
	w.ok(err)
	for want, out := range map[string]any{`{"changes":[]}`: changes, `{"invites":[]}`: invites} {
		if got, err := json.Marshal(out); err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

// Messages and conversations come in the order of the ids. Messages of another
// conversation, objects that the caller does not see, and invalid ids are left out.
func TestByID(t *testing.T) {
	w := newWorld(t)
	one, two, foreign := w.direct(w.Ada, w.Ben), w.group(w.Ada, w.Ben), w.group(w.Cleo, w.Stranger)
	a, b, c := w.send(w.Ada, one.ID, "a"), w.send(w.Ben, one.ID, "b"), w.send(w.Ada, one.ID, "c")
	elsewhere, hidden := w.send(w.Ada, two.ID, "elsewhere"), w.send(w.Cleo, foreign.ID, "hidden")
	for _, tc := range []struct{ ask, want []string }{
		{[]string{a.ID, b.ID, c.ID}, []string{"a", "b", "c"}},
		{[]string{c.ID, a.ID, b.ID}, []string{"c", "a", "b"}},
		{[]string{"no id", c.ID, elsewhere.ID, hidden.ID, b.ID}, []string{"c", "b"}},
		{[]string{elsewhere.ID}, nil},
	} {
		got, err := w.s.MessagesByID.Call(w.ctx, as(w.Ada), chat.MessagesByIDIn{ConversationID: one.ID, IDs: tc.ask})
		if err != nil || !slices.Equal(contents(got), tc.want) {
			t.Errorf("%v: %v, %v", tc.want, contents(got), err)
		}
	}
	for _, ask := range [][]string{{one.ID, foreign.ID, two.ID}, {two.ID, foreign.ID, one.ID}} {
		got, err := w.s.ConversationsByID.Call(w.ctx, as(w.Ada), chat.ConversationsByIDIn{IDs: ask})
		if err != nil || len(got) != 2 || got[0].ID != ask[0] || got[1].ID != ask[2] {
			t.Errorf("%v: %+v, %v", ask, got, err)
		}
	}
}

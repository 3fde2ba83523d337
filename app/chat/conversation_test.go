package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/op"
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

// A conversation and everything in it does not exist for accounts that are not
// members.
func TestStrangersHaveNoAccess(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	m := w.send(w.Cleo, c.ID, "secret")
	if _, err := w.s.RemoveParticipant.Call(w.ctx, as(w.Cleo), chat.RemoveParticipantIn{ConversationID: c.ID, UserID: w.Cleo.ID}); err != nil {
		t.Fatal(err)
	}
	_, before := w.events(0)
	for _, u := range []store.User{w.Stranger, w.Cleo} {
		for _, id := range []string{c.ID, store.NewID()} {
			for name, call := range map[string]func() error{
				"get": func() error {
					_, err := w.s.GetConversation.Call(w.ctx, as(u), chat.GetConversationIn{ID: id})
					return err
				},
				"rename": func() error {
					_, err := w.s.UpdateConversation.Call(w.ctx, as(u), chat.UpdateConversationIn{ID: id, Title: core.Some("x")})
					return err
				},
				"add": func() error {
					_, err := w.s.AddParticipant.Call(w.ctx, as(u), chat.AddParticipantIn{ConversationID: id, UserID: u.ID})
					return err
				},
				"remove": func() error {
					_, err := w.s.RemoveParticipant.Call(w.ctx, as(u), chat.RemoveParticipantIn{ConversationID: id, UserID: w.Ben.ID})
					return err
				},
				"leave": func() error {
					_, err := w.s.RemoveParticipant.Call(w.ctx, as(u), chat.RemoveParticipantIn{ConversationID: id, UserID: u.ID})
					return err
				},
				"role": func() error {
					_, err := w.s.UpdateParticipant.Call(w.ctx, as(u), chat.UpdateParticipantIn{ConversationID: id, UserID: u.ID, Role: "owner"})
					return err
				},
				"mute": func() error {
					_, err := w.s.MuteConversation.Call(w.ctx, as(u), chat.MuteConversationIn{ConversationID: id, MutedUntil: core.Some(in(time.Hour))})
					return err
				},
				"invite": func() error {
					_, err := w.s.CreateInvite.Call(w.ctx, as(u), chat.CreateInviteIn{ConversationID: id})
					return err
				},
				"read": func() error {
					_, err := w.s.MarkRead.Call(w.ctx, as(u), chat.MarkReadIn{ConversationID: id})
					return err
				},
				"typing": func() error {
					_, err := w.s.ShowTyping.Call(w.ctx, as(u), chat.ShowTypingIn{ConversationID: id})
					return err
				},
				"list": func() error {
					_, err := w.s.ListMessages.Call(w.ctx, as(u), chat.ListMessagesIn{ConversationID: id})
					return err
				},
				"send": func() error {
					_, err := w.s.SendMessage.Call(w.ctx, as(u), chat.SendMessageIn{ConversationID: id, Content: "x"})
					return err
				},
				"reply": func() error {
					_, err := w.s.SendMessage.Call(w.ctx, as(u), chat.SendMessageIn{ConversationID: id, Content: "x", ReplyToID: m.ID})
					return err
				},
				"edit": func() error {
					_, err := w.s.EditMessage.Call(w.ctx, as(u), chat.EditMessageIn{ID: m.ID, Content: new("x")})
					return err
				},
				"delete": func() error {
					_, err := w.s.DeleteMessage.Call(w.ctx, as(u), chat.DeleteMessageIn{ID: m.ID})
					return err
				},
				"unknown": func() error {
					_, err := w.s.DeleteMessage.Call(w.ctx, as(u), chat.DeleteMessageIn{ID: store.NewID()})
					return err
				},
			} {
				if err := call(); err != core.ErrNotFound {
					t.Errorf("%s by %s: got %v", name, u.Name, err)
				}
			}
		}
		if out, err := w.s.MessagesSince.Call(w.ctx, as(u), chat.MessagesSinceIn{}); err != nil || len(out.Messages) != 0 {
			t.Errorf("since by %s: %v, %v", u.Name, out.Messages, err)
		}
		if cs, err := w.s.ListConversations.Call(w.ctx, as(u), chat.ListConversationsIn{}); err != nil || len(cs.Items) != 0 {
			t.Errorf("conversations of %s: %v, %v", u.Name, cs, err)
		}
	}
	if kinds, _ := w.events(before); len(kinds) > 0 {
		t.Errorf("refusals made events: %v", kinds)
	}
	if got := fmt.Sprint(contents(w.page(w.Ada, chat.ListMessagesIn{ConversationID: c.ID}).Messages)); got != "[secret]" {
		t.Errorf("refusals changed the messages: %s", got)
	}
}

// An account creates 200 conversations within an hour. An existing one is returned
// beyond that, and a server whose limits are lifted counts none.
func TestNewConversationsLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	lifted := chat.New(chat.Config{DB: w.db.DB, Limits: op.NewLimits(w.db.Clock.Now, false)})
	create := func(s *chat.Service) error {
		_, err := s.CreateConversation.Call(w.ctx, as(w.Ada), chat.CreateConversationIn{ParticipantIDs: ids(w.Ada), Type: "group"})
		return err
	}
	w.ok(create(lifted))
	for range 199 {
		w.ok(create(w.s))
	}
	w.refuse(create(w.s), core.TooMany, "too_many_conversations")
	w.ok(create(lifted))
	if got := w.direct(w.Ada, w.Ben); got.ID != c.ID {
		t.Errorf("another direct conversation: %s", got.ID)
	}
	w.group(w.Ben)
	w.db.Clock.Advance(time.Hour + time.Second)
	w.ok(create(w.s))
}

// A list shows who sent the last message of each conversation, whether or not they
// are still participants.
func TestListShowsSendersWhoLeft(t *testing.T) {
	w := newWorld(t)
	left, other := w.group(w.Ada, w.Ben, w.Cleo), w.group(w.Ada, w.Ben)
	w.send(w.Cleo, left.ID, "bye")
	w.ok(w.remove(w.Cleo, left.ID, w.Cleo))
	w.send(w.Ben, other.ID, "hello")
	all, err := w.s.ListConversations.Call(w.ctx, as(w.Ada), chat.ListConversationsIn{})
	w.ok(err)
	want := map[string]string{left.ID: w.Cleo.Name, other.ID: w.Ben.Name}
	for _, c := range all.Items {
		if c.LastMessage == nil || c.LastMessage.Sender.Name != want[c.ID] {
			t.Errorf("%s: the last message is %+v, want one of %s", c.ID, c.LastMessage, want[c.ID])
		}
	}
	if len(all.Items) != len(want) {
		t.Errorf("%d conversations", len(all.Items))
	}
}

// Lists of nothing are empty arrays, not null.
func TestEmptyListsAreArrays(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	changes, err := w.s.ListChanges.Call(w.ctx, as(w.Ada), chat.ListChangesIn{ConversationID: c.ID})
	w.ok(err)
	invites, err := w.s.ListInvites.Call(w.ctx, as(w.Ada), chat.ListInvitesIn{ConversationID: c.ID})
	w.ok(err)
	for want, out := range map[string]any{`{"changes":[]}`: changes, `{"invites":[]}`: invites} {
		if got, err := json.Marshal(out); err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

// Messages and conversations come in the order of the ids, without those of another
// conversation, those that the caller does not see and what is no id.
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

package chat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func TestSendMessage(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	for name, tc := range map[string]struct {
		in   chat.SendMessageIn
		want string // content, or the code of the refusal
		ok   bool
	}{
		"content":           {chat.SendMessageIn{Content: "  hello\n\nthere 🌿 "}, "hello\n\nthere 🌿", true},
		"text":              {chat.SendMessageIn{Text: "alias"}, "alias", true},
		"content preferred": {chat.SendMessageIn{Content: "a", Text: "b"}, "a", true},
		"as text":           {chat.SendMessageIn{Content: "a", MessageType: "text"}, "a", true},
		"longest":           {chat.SendMessageIn{Content: strings.Repeat("é", 20000)}, strings.Repeat("é", 20000), true},
		"nothing":           {chat.SendMessageIn{}, "content_required", false},
		"blank":             {chat.SendMessageIn{Content: " \n\t", Text: " "}, "content_required", false},
		"too long":          {chat.SendMessageIn{Content: strings.Repeat("é", 20001)}, "invalid_input", false},
		"a card":            {chat.SendMessageIn{Content: "a", MessageType: "card"}, "invalid_input", false},
		"NUL":               {chat.SendMessageIn{Content: "a\x00b"}, "invalid_input", false},
		"bad id":            {chat.SendMessageIn{Content: "a", ID: "one"}, "invalid_input", false},
	} {
		t.Run(name, func(t *testing.T) {
			tc.in.ConversationID = c.ID
			m, err := w.s.SendMessage.Call(w.ctx, as(w.Ada), tc.in)
			switch {
			case tc.ok && (err != nil || m.Content != tc.want):
				t.Errorf("got %q, %v", m.Content, err)
			case !tc.ok && (err == nil || core.As(err).Kind != core.Invalid || core.As(err).Code != tc.want):
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestSendRetry(t *testing.T) {
	w := newWorld(t)
	c, d := w.direct(w.Ada, w.Ben), w.direct(w.Ada, w.Cleo)
	parent := w.send(w.Ben, c.ID, "before")
	id := store.NewID()
	first := chat.SendMessageIn{ConversationID: c.ID, ID: id, Content: "once"}
	sent, err := w.s.SendMessage.Call(w.ctx, as(w.Ada), first)
	w.ok(err)
	_, last := w.events(0)
	again := func(by store.User, in chat.SendMessageIn) (chat.Message, error) {
		out, err := w.s.SendMessage.Call(w.ctx, as(by), in)
		return out.Message, err
	}

	got, err := again(w.Ada, chat.SendMessageIn{ConversationID: c.ID, ID: id, Text: " once "})
	w.ok(err)
	if diff := cmp.Diff(sent.Message, got); diff != "" {
		t.Error(diff)
	}
	var sentences []string
	for name, try := range map[string]struct {
		by store.User
		in chat.SendMessageIn
	}{
		"other words":          {w.Ada, chat.SendMessageIn{ConversationID: c.ID, ID: id, Content: "twice"}},
		"other conversation":   {w.Ada, chat.SendMessageIn{ConversationID: d.ID, ID: id, Content: "once"}},
		"as a reply":           {w.Ada, chat.SendMessageIn{ConversationID: c.ID, ID: id, Content: "once", ReplyToID: parent.ID}},
		"another sender":       {w.Ben, first},
		"another conversation": {w.Cleo, chat.SendMessageIn{ConversationID: d.ID, ID: id, Content: "once"}},
		"an id of the server":  {w.Ben, chat.SendMessageIn{ConversationID: c.ID, ID: parent.ID, Content: "before"}},
	} {
		_, err := again(try.by, try.in)
		if e := core.As(err); err == nil || e.Kind != core.Conflict || e.Code != "id_in_use" {
			t.Errorf("%s: got %v", name, err)
		} else {
			sentences = append(sentences, e.Msg)
		}
	}
	if slices.Sort(sentences); len(slices.Compact(sentences)) != 1 {
		t.Errorf("the responses reveal whose id it is: %q", sentences)
	}

	_, err = w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: id, Content: new("edited")})
	w.ok(err)
	if got, err = again(w.Ada, first); err != nil || got.ID != id || got.CreatedAt != sent.CreatedAt || got.Content != "edited" {
		t.Errorf("after an edit: %+v, %v", got, err)
	}
	_, err = w.s.DeleteMessage.Call(w.ctx, as(w.Ada), core.ByID{ID: id})
	w.ok(err)
	for _, content := range []string{"once", "other words"} { // neither is stored
		_, err = again(w.Ada, chat.SendMessageIn{ConversationID: c.ID, ID: id, Content: content})
		w.refuse(err, core.Conflict, "id_in_use")
	}
	_, err = again(w.Ada, chat.SendMessageIn{ConversationID: d.ID, ID: id, Content: "once"})
	w.refuse(err, core.Conflict, "id_in_use")
	_, err = again(w.Ben, first)
	w.refuse(err, core.Conflict, "id_in_use")
	if kinds, _ := w.events(last); fmt.Sprint(kinds) != "[message.updated message.deleted]" {
		t.Errorf("repeats made events: %v", kinds)
	}
}

// Concurrent sends with one id create one message.
func TestConcurrentSendOfOneID(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	in := chat.SendMessageIn{ConversationID: c.ID, ID: store.NewID(), Content: "once"}
	var wg sync.WaitGroup
	got := make([]chat.Message, 20)
	for i := range got {
		wg.Go(func() {
			out, err := w.s.SendMessage.Call(w.ctx, as(w.Ada), in)
			if got[i] = out.Message; err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, m := range got {
		if d := cmp.Diff(got[0], m); d != "" {
			t.Fatal(d)
		}
	}
	if n := len(w.page(w.Ben, chat.ListMessagesIn{ConversationID: c.ID}).Messages); n != 1 {
		t.Errorf("there are %d messages", n)
	}
}

func TestEditAndDelete(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	m := w.send(w.Ada, c.ID, "frist")
	_, last := w.events(0)

	_, err := w.s.EditMessage.Call(w.ctx, as(w.Ben), chat.EditMessageIn{ID: m.ID, Content: new("x")})
	w.refuse(err, core.Forbidden, "not_your_message")
	_, err = w.s.DeleteMessage.Call(w.ctx, as(w.Ben), core.ByID{ID: m.ID})
	w.refuse(err, core.Forbidden, "not_your_message")
	_, err = w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: m.ID, Content: new("  ")})
	w.refuse(err, core.Invalid, "invalid_input")

	same, err := w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: m.ID, Content: new("frist")})
	if err != nil || same.EditedAt != nil {
		t.Errorf("an edit that changes nothing: %+v, %v", same, err)
	}
	edited, err := w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: m.ID, Content: new("first")})
	if err != nil || edited.Content != "first" || edited.EditedAt == nil || edited.CreatedAt != m.CreatedAt {
		t.Errorf("got %+v, %v", edited, err)
	}
	if p := w.conversation(w.Ben, c.ID).LastMessagePreview; p != "first" {
		t.Errorf("preview %q", p)
	}
	deleted, err := w.s.DeleteMessage.Call(w.ctx, as(w.Ada), core.ByID{ID: m.ID})
	if err != nil || deleted.Content != "" || deleted.DeletedAt == nil {
		t.Errorf("got %+v, %v", deleted, err)
	}
	again, err := w.s.DeleteMessage.Call(w.ctx, as(w.Ada), core.ByID{ID: m.ID})
	if d := cmp.Diff(deleted, again); d != "" || err != nil {
		t.Error(d, err)
	}
	if _, err = w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: m.ID, Content: new("back")}); err != core.ErrNotFound {
		t.Errorf("a deleted message can be edited: %v", err)
	}
	got := w.conversation(w.Ben, c.ID)
	if got.LastMessagePreview != "" || got.LastMessage.DeletedAt == nil || got.UnreadCount != 0 || got.LastMessageAt != m.CreatedAt {
		t.Errorf("got %+v", got)
	}
	if ms := w.page(w.Ben, chat.ListMessagesIn{ConversationID: c.ID}).Messages; len(ms) != 1 || ms[0].DeletedAt == nil {
		t.Errorf("a deleted message has lost its place: %+v", ms)
	}
	if out, _ := w.s.MessagesSince.Call(w.ctx, as(w.Ben), chat.MessagesSinceIn{}); len(out.Messages) != 0 {
		t.Errorf("a deleted message is news: %+v", out.Messages)
	}
	if kinds, _ := w.events(last); fmt.Sprint(kinds) != "[message.updated message.deleted]" {
		t.Errorf("events %v", kinds)
	}
}

func TestListMessagesByPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	if p := w.page(w.Ada, chat.ListMessagesIn{ConversationID: c.ID}); len(p.Messages) != 0 || p.HasMore {
		t.Errorf("an empty conversation has %+v", p)
	}
	var want []string
	for i := range 120 {
		want = append(want, fmt.Sprint(i))
		w.send([]store.User{w.Ada, w.Ben}[i%2], c.ID, want[i])
	}
	for name, tc := range map[string]struct {
		limit, page int
	}{"default": {0, 50}, "one": {1, 1}, "exact": {60, 60}, "all but": {119, 100}, "clamped": {1000, 100}} {
		t.Run(name, func(t *testing.T) {
			var got []string
			in := chat.ListMessagesIn{ConversationID: c.ID, Limit: tc.limit}
			for {
				p := w.page(w.Ben, in)
				if p.HasMore && len(p.Messages) != tc.page {
					t.Fatalf("a page of %d, want %d", len(p.Messages), tc.page)
				}
				got = append(contents(p.Messages), got...)
				if !p.HasMore {
					break
				}
				in.Before = &p.Messages[0].CreatedAt
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
	if p := w.page(w.Ada, chat.ListMessagesIn{ConversationID: c.ID, Before: ptr(never)}); len(p.Messages) != 0 || p.HasMore {
		t.Errorf("before everything there is %+v", p)
	}
}

// The result is that of a plain walk over all messages, in any mixture of
// conversations.
func TestMessagesSinceMergesConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rnd := rand.New(rand.NewPCG(7, 11))
	conversations := []string{w.direct(w.Ada, w.Ben).ID, w.group(w.Ada, w.Cleo).ID, w.direct(w.Ada, w.Ada).ID,
		w.group(w.Ada, w.Ben, w.Cleo).ID}
	foreign := w.direct(w.Ben, w.Cleo).ID
	var said []chat.Message
	for i := range 700 {
		conversation := conversations[rnd.IntN(len(conversations))]
		if i%7 < 4 {
			conversation = conversations[0] // so that some follow one another
		}
		m := w.send(w.Ada, conversation, fmt.Sprint(i))
		if rnd.IntN(10) == 0 {
			_, err := w.s.DeleteMessage.Call(w.ctx, as(w.Ada), core.ByID{ID: m.ID})
			w.ok(err)
			m.DeletedAt = &m.CreatedAt
		}
		said = append(said, m)
		if i%50 == 0 {
			w.send(w.Ben, foreign, "not for Ada")
		}
	}
	exact, live := len(said)-1, 0 // the message after which there are exactly 500
	for ; live < 500; exact-- {
		if said[exact].DeletedAt == nil {
			live++
		}
	}
	for _, from := range []int{-1, 0, 1, exact - 1, exact, 150, 350, 600, 698, 699} {
		var since store.Time
		if from >= 0 {
			since = said[from].CreatedAt
		}
		var want []string
		for _, m := range said[from+1:] {
			if m.DeletedAt == nil {
				want = append(want, m.Content)
			}
		}
		out, err := w.s.MessagesSince.Call(w.ctx, as(w.Ada), chat.MessagesSinceIn{Since: since})
		w.ok(err)
		if out.Truncated != (len(want) > 500) {
			t.Errorf("from %d: truncated is %v with %d to come", from, out.Truncated, len(want))
		}
		if d := cmp.Diff(want[:min(500, len(want))], contents(out.Messages)); len(want) > 0 && d != "" || len(want) == 0 &&
			len(out.Messages) > 0 {
			t.Errorf("from %d: %s", from, d)
		}
	}
}

// Messages that are sent while those since a moment are read are all in this answer or
// in the next.
func TestMessagesSinceBesideSends(t *testing.T) {
	w, meanwhile := worldWithin(t, "x.created_at >= ?2 AND x.created_at < ?3")
	one, other := w.direct(w.Ada, w.Ben), w.direct(w.Ada, w.Cleo)
	w.send(w.Cleo, other.ID, "1")
	meanwhile.Store(ptr(func() {
		w.send(w.Ben, one.ID, "2")
		w.send(w.Cleo, other.ID, "3")
	}))
	var got []string
	in := chat.MessagesSinceIn{Since: 1}
	for range 2 {
		out, err := w.s.MessagesSince.Call(w.ctx, as(w.Ada), in)
		w.ok(err)
		got = append(got, contents(out.Messages)...)
		if n := len(out.Messages); n > 0 {
			in.Since = out.Messages[n-1].CreatedAt
		}
	}
	if want := []string{"1", "2", "3"}; meanwhile.Load() != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

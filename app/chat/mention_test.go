package chat_test

import (
	"slices"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// mentioned returns whether the list shows each of the people that an unread
// message of a conversation mentions them, which the conversation itself shows, too.
func (w *world) mentioned(id string, people ...store.User) (out []bool) {
	w.Helper()
	for _, u := range people {
		all, err := w.s.ListConversations.Call(w.ctx, as(u), chat.ListConversationsIn{Limit: 100})
		w.ok(err)
		for _, c := range all.Items {
			if c.ID != id {
				continue
			}
			if out = append(out, c.Mentioned); w.conversation(u, id).Mentioned != c.Mentioned {
				w.Errorf("the list shows to %s a mention: %v", u.Name, c.Mentioned)
			}
		}
	}
	return out
}

func (w *world) want(what string, got, want []bool) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A mention is marked for the one who is mentioned until they have read it, or it
// is edited away or deleted, also in a muted conversation.
func TestMentionMark(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	if m := w.send(w.Ada, c.ID, "Hello @Ada, @stranger"); !slices.Equal(m.Mentions, []string{w.Ada.ID}) {
		t.Errorf("mentions %v", m.Mentions)
	}
	w.want("of oneself, and of a stranger", w.mentioned(c.ID, w.Ada, w.Ben, w.Cleo), []bool{false, false, false})
	_, err := w.s.SetNotify.Call(w.ctx, as(w.Ben), chat.SetNotifyIn{ConversationID: c.ID, MutedUntil: core.Some(in(1e15))})
	w.ok(err)
	first := w.send(w.Ada, c.ID, "@cleo 🌿 and @BEN: and again @CLÉO 🌿")
	listed := w.page(w.Ada, chat.ListMessagesIn{ConversationID: c.ID}).Messages[1]
	for _, m := range []chat.Message{first, listed} { // pages link each place
		var named []string
		for _, p := range m.Places {
			named = append(named, m.Content[p.Start:p.Start+p.Size])
		}
		if !slices.Equal(named, []string{"@cleo 🌿", "@BEN", "@CLÉO 🌿"}) {
			t.Errorf("the places %q", named)
		}
	}
	if want := []string{w.Cleo.ID, w.Ben.ID}; !slices.Equal(first.Mentions, want) {
		t.Errorf("mentions %v, want %v", first.Mentions, want)
	}
	w.want("sent", w.mentioned(c.ID, w.Ada, w.Ben, w.Cleo), []bool{false, true, true})
	second := w.send(w.Cleo, c.ID, "not you")
	_, err = w.s.MarkRead.Call(w.ctx, as(w.Ben), chat.MarkReadIn{ConversationID: c.ID, UpTo: &first.CreatedAt})
	w.ok(err)
	w.want("read", w.mentioned(c.ID, w.Ben, w.Cleo), []bool{false, true})
	_, err = w.s.MarkUnread.Call(w.ctx, as(w.Ben), chat.MarkUnreadIn{ConversationID: c.ID, MessageID: first.ID})
	w.ok(err)
	w.want("marked as unread", w.mentioned(c.ID, w.Ben, w.Cleo), []bool{true, true})
	edited, err := w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: first.ID, Content: ptr("only @cleo 🌿")})
	w.ok(err)
	if !slices.Equal(edited.Mentions, []string{w.Cleo.ID}) {
		t.Errorf("after an edit %v", edited.Mentions)
	}
	w.want("edited", w.mentioned(c.ID, w.Ben, w.Cleo), []bool{false, true})
	edited, err = w.s.EditMessage.Call(w.ctx, as(w.Cleo), chat.EditMessageIn{ID: second.ID, Content: ptr("yes, @Ben")})
	w.ok(err)
	w.want("edited in", w.mentioned(c.ID, w.Ben, w.Cleo), []bool{true, true})
	for _, id := range []string{first.ID, second.ID} {
		by := map[string]store.User{first.ID: w.Ada, second.ID: w.Cleo}[id]
		gone, err := w.s.DeleteMessage.Call(w.ctx, as(by), core.ByID{ID: id})
		if w.ok(err); len(gone.Mentions) > 0 {
			t.Errorf("a deleted message mentions %v", gone.Mentions)
		}
	}
	w.want("deleted", w.mentioned(c.ID, w.Ben, w.Cleo), []bool{false, false})
}

// Who can be mentioned is found by words of the name, and those who spoke last
// come first. Nobody else sees it.
func TestFindMentionable(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben, w.Cleo)
	w.send(w.Ben, c.ID, "x")
	w.send(w.Cleo, c.ID, "y")
	for q, want := range map[string][]string{"": {w.Cleo.ID, w.Ben.ID}, "CLÉ": {w.Cleo.ID}, "b": {w.Ben.ID}, "ada": nil, "stranger": nil,
		"ben cleo": nil, "?": nil} {
		out, err := w.s.FindMentionable.Call(w.ctx, as(w.Ada), chat.FindMentionableIn{ConversationID: c.ID, Q: q, Limit: 8})
		w.ok(err)
		if got := core.Map(out.People, func(u core.PublicUser) string { return u.ID }); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", q, got, want)
		}
	}
	_, err := w.s.FindMentionable.Call(w.ctx, as(w.Stranger), chat.FindMentionableIn{ConversationID: c.ID, Q: "b", Limit: 8})
	w.refuse(err, core.NotFound, "not_found")
}

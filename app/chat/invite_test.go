package chat_test

import (
	"encoding/base64"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func (w *world) invite(by store.User, in chat.CreateInviteIn) chat.CreateInviteOut {
	w.Helper()
	out, err := w.s.CreateInvite.Call(w.ctx, as(by), in)
	w.ok(err)
	return out
}

func (w *world) accept(u store.User, token string) (chat.Conversation, error) {
	return w.s.AcceptInvite.Call(w.ctx, as(u), core.ByToken{Token: token})
}

func TestInvite(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	w.send(w.Ada, c.ID, "before")
	i := w.invite(w.Ada, chat.CreateInviteIn{ConversationID: c.ID, ExpiresInDays: new(2), MaxUses: new(int64(1))})
	if i.URL != "https://hearth.test/chat/invite/"+i.Token || i.UsesLeft != 1 ||
		i.ExpiresAt.Go().Truncate(time.Second) != in(48*time.Hour).Go() {
		t.Errorf("got %+v", i)
	}
	if secret, err := base64.RawURLEncoding.DecodeString(i.Token); err != nil || len(secret) != 32 {
		t.Errorf("the token %q has %d bytes, %v", i.Token, len(secret), err)
	}
	seen, err := w.s.GetInvite.Call(w.ctx, as(w.Stranger), core.ByToken{Token: i.Token})
	if err != nil || seen.InvitedBy != "Ada" || seen.MemberCount != 2 || seen.Member || seen.Title != nil {
		t.Errorf("got %+v, %v", seen, err)
	}
	if _, err := w.accept(w.Ben, i.Token); err != nil { // a member already: takes no use
		t.Error(err)
	}
	got, err := w.accept(w.Stranger, i.Token)
	if err != nil || got.ID != c.ID || len(got.Participants) != 3 || got.UnreadCount != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := w.accept(w.Cleo, i.Token); err != core.ErrNotFound {
		t.Errorf("used up: got %v", err)
	}
	if _, err := w.s.GetInvite.Call(w.ctx, as(w.Cleo), core.ByToken{Token: i.Token}); err != core.ErrNotFound {
		t.Errorf("used up: got %v", err)
	}
}

func TestInviteEnds(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada, w.Ben)
	i := w.invite(w.Ada, chat.CreateInviteIn{ConversationID: c.ID})
	w.db.Clock.Advance(7*24*time.Hour + time.Second)
	if _, err := w.accept(w.Cleo, i.Token); err != core.ErrNotFound {
		t.Errorf("a week later: got %v", err)
	}
	i = w.invite(w.Ada, chat.CreateInviteIn{ConversationID: c.ID, MaxUses: new(int64(100))})
	w.ok(w.role(w.Ada, c.ID, w.Ben, "owner"))
	w.ok(w.remove(w.Ada, c.ID, w.Ada))
	if _, err := w.accept(w.Cleo, i.Token); err != core.ErrNotFound {
		t.Errorf("after who made it has left: got %v", err)
	}
	for _, token := range []string{"", strings.Repeat("A", 43), i.Token + "A"} {
		if _, err := w.accept(w.Cleo, token); err != core.ErrNotFound {
			t.Errorf("token %q: got %v", token, err)
		}
	}
}

// An invitation with three uses admits three, however many accept at the same time.
func TestConcurrentAccept(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	i := w.invite(w.Ada, chat.CreateInviteIn{ConversationID: c.ID, MaxUses: new(int64(3))})
	var people []store.User
	for range 20 {
		people = append(people, w.add(store.User{Email: store.NewID() + "@example.org", Name: "P"}))
	}
	var wg sync.WaitGroup
	var in, out atomic.Int64
	for _, p := range people {
		wg.Go(func() {
			switch _, err := w.accept(p, i.Token); err {
			case nil:
				in.Add(1)
			case core.ErrNotFound:
				out.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(w.conversation(w.Ada, c.ID).Participants); in.Load() != 3 || out.Load() != 17 || n != 4 {
		t.Errorf("%d were let in and %d not; %d are there", in.Load(), out.Load(), n)
	}
}

package account

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
	"hearth/store/storetest"
)

func TestInvisibleLooksOffline(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	token := h.token("ada@example.org")
	ada, err := h.bearer(token)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.FlushKeyUse(ctx); err != nil {
		t.Fatal(err)
	}
	seen := h.user("ada@example.org")
	if p := core.PublicUserOf(seen); p.LastSeenAt == nil || p.PresenceStatus != "available" || p.Email != seen.ID+"@users.invalid" {
		t.Errorf("got %+v", p)
	}
	if me, err := h.SetStatus.Call(ctx, ada, SetStatusIn{Presence: core.Some("invisible")}); err != nil || me.PresenceStatus != "invisible" {
		t.Fatalf("got %+v, %v", me, err)
	}
	u := h.user("ada@example.org")
	since := u.LastSeenAt
	if p := core.PublicUserOf(u); p.LastSeenAt == nil || *p.LastSeenAt <= seen.LastSeenAt || p.PresenceStatus != "offline" {
		t.Errorf("others see %+v", p)
	}
	// It stays when they chose the status, whatever they do.
	h.db.Clock.Advance(time.Hour)
	if _, err := h.bearer(token); err != nil {
		t.Fatal(err)
	}
	h.db.Clock.Advance(time.Hour)
	if err := errors.Join(h.FlushKeyUse(ctx), h.SweepPresence(ctx)); err != nil {
		t.Fatal(err)
	}
	if u = h.user("ada@example.org"); u.LastSeenAt != since || u.Online {
		t.Errorf("last seen %v, want %v; online: %v", u.LastSeenAt, since, u.Online)
	}
	if p := core.UserFor(u, u.ID); p.PresenceStatus != "invisible" || p.Email != "ada@example.org" || p.LastSeenAt == nil {
		t.Errorf("shown to her: %+v", p)
	}
}

// A person was last seen when they went, whatever their keys do, also if one of them
// hides their presence. A bot was last seen when its key was used.
func TestKeysAreNotSeen(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ada := h.as("ada@example.org")
	key, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	bot, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "b", Bot: &KeyBotIn{Name: "B"}})
	if err != nil {
		t.Fatal(err)
	}
	h.db.Clock.Advance(time.Hour)
	if err := errors.Join(h.FlushKeyUse(ctx), h.SweepPresence(ctx)); err != nil {
		t.Fatal(err)
	}
	since := h.user("ada@example.org").LastSeenAt
	h.db.Clock.Advance(time.Hour)
	used := h.db.Now()
	agent, err := h.bearer(key.Key)
	if err != nil {
		t.Fatal(err)
	}
	gardener, err := h.bearer(bot.Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.FlushKeyUse(ctx); err != nil {
		t.Fatal(err)
	}
	if u := h.user("ada@example.org"); since == 0 || u.LastSeenAt != since || u.Online {
		t.Errorf("after her key was used: last seen %v, want %v; online: %v", u.LastSeenAt, since, u.Online)
	}
	if u := h.user(gardener.Email); u.LastSeenAt != used {
		t.Errorf("her bot: last seen %v, want %v", u.LastSeenAt, used)
	}
	if _, err := h.SetStatus.Call(ctx, agent, SetStatusIn{Presence: core.Some("invisible")}); err != nil {
		t.Fatal(err)
	}
	if u := h.user("ada@example.org"); u.LastSeenAt != since {
		t.Errorf("hidden by a key: last seen %v, want %v", u.LastSeenAt, since)
	}
}

// Two addresses are the same mailbox if they differ in case alone, and in how their
// domain is written that is looked up as the same.
func TestSameAddress(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"ada@example.org", "Ada@Example.ORG", true},
		{"ada@example.org", "ada@example.com", false},
		{"ärger@example.org", "A\u0308rger@example.org", true},
		{"ada@fish.example", "ada@\uFB01sh.example", true},
		{"fish@example.org", "\uFB01sh@example.org", false},
		{"ada@bücher.example", "ada@xn--bcher-kva.example", true},
		{"ada@strasse.example", "ada@straße.example", false},
		{"strasse@example.org", "straße@example.org", false},
		{"ida@example.org", "\u0130da@example.org", false}, // whose small letter is that of I
		{"ada@a_b.example", "ada@a_b.example", true},
		{"ada@a_b.example", "ada@a_c.example", false}, // no domain that can be looked up
	} {
		if sameAddress(tc.a, tc.b) != tc.same || sameAddress(tc.b, tc.a) != tc.same {
			t.Errorf("%q and %q are the same: %v", tc.a, tc.b, !tc.same)
		}
	}
}

// publications records what a service publishes.
type publications struct{ list []publication }

type publication struct {
	userIDs []string
	user    core.PublicUser
}

// record has c publish to p.
func (p *publications) record(c *Config) {
	c.Publish = func(userIDs []string, kind store.EventKind, data []byte) error {
		var e PresenceEvent
		if kind != presenceChanged {
			return nil
		}
		err := json.Unmarshal(data, &e)
		p.list = append(p.list, publication{userIDs, e.User})
		return err
	}
}

// take returns "receiver: name presence picture" for each receiver of what was published
// since the last call, in order.
func (p *publications) take(h *harness) (list []string) {
	h.t.Helper()
	names := map[string]string{}
	for _, u := range []store.User{h.cast.Ada, h.cast.Ben, h.cast.Cleo, h.cast.Stranger} {
		names[u.ID] = u.Name
	}
	for _, e := range p.list {
		said := e.user.Name + " " + e.user.PresenceStatus
		if e.user.AvatarURL != nil {
			said += " " + *e.user.AvatarURL
		}
		for _, id := range slices.Sorted(slices.Values(e.userIDs)) {
			if names[id] == "" {
				names[id] = "itself"
			}
			list = append(list, names[id]+": "+said)
		}
	}
	p.list = nil
	return list
}

// group makes a group of two accounts.
func (h *harness) group(owner, other string) {
	h.t.Helper()
	err := h.db.Write(h.t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertGroup(owner, []string{other}, "Group")
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// A new profile picture is shown at once on the own devices of the account and to those
// who share a conversation with it.
func TestNewAvatarIsTold(t *testing.T) {
	var p publications
	h := open(t, p.record, func(c *Config) {
		var err error
		if c.Files, err = file.New(file.Config{DB: c.DB}); err != nil {
			t.Fatal(err)
		}
	})
	h.group(h.cast.Ada.ID, h.cast.Ben.ID)
	ada := storetest.Human(h.cast.Ada)
	u, err := h.cfg.Files.Begin(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	if err := u.Receive(&picture, "me.png"); err != nil {
		t.Fatal(err)
	}
	me, err := h.SetAvatar.Call(t.Context(), ada, file.In{File: u})
	if err != nil || me.AvatarURL == nil || !strings.HasPrefix(*me.AvatarURL, core.PicturePath) {
		t.Fatalf("got %+v, %v", me, err)
	}
	if got, want := p.take(h), []string{"Ada: Ada available " + *me.AvatarURL, "Ben: Ada available " + *me.AvatarURL}; !slices.Equal(got,
		want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// A change of a bot is recorded as an event of the bot by its owner, and shown at once to
// those who share a conversation with the bot. Without a change there is neither.
func TestChangeOfBotIsTold(t *testing.T) {
	var p publications
	h := open(t, p.record)
	ada, made := storetest.Human(h.cast.Ada), h.bot("Gardener")
	h.group(h.cast.Ben.ID, made.Bot.ID)
	before := len(h.db.Events(t, made.Bot.ID))
	for _, tc := range []struct {
		in   UpdateBotIn
		want []string
	}{
		{UpdateBotIn{Name: core.Some("Florist")}, []string{"itself: Florist available", "Ben: Florist available"}},
		{UpdateBotIn{Name: core.Some("Florist")}, nil},
		{UpdateBotIn{}, nil},
		{UpdateBotIn{AvatarURL: core.Some("https://pictures.example/f.png")},
			[]string{"itself: Florist available https://pictures.example/f.png", "Ben: Florist available https://pictures.example/f.png"}},
	} {
		tc.in.ID = made.Bot.ID
		if _, err := h.UpdateBot.Call(t.Context(), ada, tc.in); err != nil {
			t.Fatal(err)
		}
		if got := p.take(h); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: told %q, want %q", tc.in, got, tc.want)
		}
		events := h.db.Events(t, made.Bot.ID)[before:]
		before += len(events)
		if tc.want == nil && len(events) > 0 || tc.want != nil && len(events) != 1 {
			t.Fatalf("%+v: %d events", tc.in, len(events))
		}
		for _, e := range events {
			if e.Kind != userUpdated || e.ObjectID != made.Bot.ID || e.ActorID != ada.UserID {
				t.Errorf("%+v: the event is %+v", tc.in, e)
			}
		}
	}
}

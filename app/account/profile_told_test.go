package account

import (
	"bytes"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
	"hearth/store/storetest"
)

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
	u, err := h.files.Begin(t.Context(), ada)
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
	me, err := h.SetAvatar.Call(t.Context(), ada, SetAvatarIn{File: u})
	if err != nil || me.AvatarURL == nil || !strings.HasPrefix(*me.AvatarURL, core.PicturePath) {
		t.Fatalf("got %+v, %v", me, err)
	}
	if got, want := p.take(h), []string{"Ada: Ada available " + *me.AvatarURL, "Ben: Ada available " + *me.AvatarURL}; !slices.Equal(got, want) {
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
		{UpdateBotIn{AvatarURL: core.Some("https://pictures.example/f.png")}, []string{"itself: Florist available https://pictures.example/f.png", "Ben: Florist available https://pictures.example/f.png"}},
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

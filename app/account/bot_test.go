package account

import (
	"context"
	"fmt"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// bot makes a key of ada that acts as a new bot.
func (h *harness) bot(name string) NewAgentKey {
	h.t.Helper()
	made, err := h.CreateAgentKey.Call(context.Background(), storetest.Human(h.cast.Ada), CreateAgentKeyIn{Name: name, Bot: &KeyBotIn{}})
	if err != nil {
		h.t.Fatal(err)
	}
	return made
}

// Nobody signs in as a bot: no link is sent or made for its address, and it
// cannot become an administrator.
func TestBotHasNoSignIn(t *testing.T) {
	h := open(t)
	email := h.bot("Gardener").Bot.ID + "@bots.invalid"
	_, err := h.RequestMagicLink.Call(context.Background(), store.Viewer{IP: email}, MagicLinkIn{Email: email})
	wantCode(t, "a link by mail", err, "invalid_input")
	_, err = h.LinkFor(context.Background(), email, true)
	wantCode(t, "a link", err, "bot_account")
	wantCode(t, "promotion", h.Act(context.Background(), email, Promote), "not_a_person")
	by, err := h.BridgeCaller(testBridgeSecret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = h.BridgeExchange.Call(context.Background(), by, BridgeExchangeRequest{App: "social", Email: email}); err == nil {
		t.Error("the bridge signs in as a bot")
	}
}

// A bot acts only while its owner's account is active.
func TestBotIsSuspendedWithItsOwner(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	made := h.bot("Gardener")
	v, err := h.bearer(made.Key)
	if err != nil {
		t.Fatal(err)
	}
	valid := func() bool {
		t.Helper()
		var ok []bool
		err := h.db.Read(ctx, func(r *store.Reader) (err error) {
			ok, err = ValidViewers(r, []store.Viewer{v})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return ok[0]
	}
	if !valid() {
		t.Error("the key of an active owner's bot is not valid")
	}
	if err := h.Act(ctx, "ada@example.org", Suspend); err != nil {
		t.Fatal(err)
	}
	_, err = h.bearer(made.Key)
	wantCode(t, "the key of a suspended owner's bot", err, "unauthenticated")
	if valid() {
		t.Error("the streams of a suspended owner's bot go on")
	}
	if evs := h.db.Events(t, made.Bot.ID); len(evs) == 0 || evs[len(evs)-1].Kind != authChanged {
		t.Errorf("the streams are not checked: %+v", evs)
	}
	found, err := h.FindPeople.Call(ctx, storetest.Human(h.cast.Ben), FindPeopleIn{Q: "gard", Limit: 10})
	if err != nil || len(found.People) != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	if err := h.Act(ctx, "ada@example.org", Restore); err != nil {
		t.Fatal(err)
	}
	if _, err := h.bearer(made.Key); err != nil {
		t.Errorf("after the suspension: %v", err)
	}
}

func TestBotLimits(t *testing.T) {
	h := open(t)
	ctx, ada := context.Background(), storetest.Human(h.cast.Ada)
	for i := range maxBots {
		h.bot(fmt.Sprint("bot ", i))
	}
	_, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k", Bot: &KeyBotIn{Name: "one more"}})
	wantCode(t, "the 21st bot", err, "too_many_bots")
	bots, err := h.ListBots.Call(ctx, ada, core.None{})
	if err != nil || len(bots) != maxBots {
		t.Fatalf("%d bots, %v", len(bots), err)
	}
	for i := range maxKeys - maxBots {
		if _, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k", Bot: &KeyBotIn{ID: bots[i%maxBots].ID}}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
	wantCode(t, "the 51st key", err, "too_many_keys")
}

// A deleted bot's keys end with it, and it is not found again.
func TestDeleteBot(t *testing.T) {
	h := open(t)
	ctx, ada := context.Background(), storetest.Human(h.cast.Ada)
	made := h.bot("Gardener")
	if _, err := h.DeleteBot.Call(ctx, ada, core.ByID{ID: made.Bot.ID}); err != nil {
		t.Fatal(err)
	}
	_, err := h.bearer(made.Key)
	wantCode(t, "the key of a deleted bot", err, "unauthenticated")
	found, err := h.FindPeople.Call(ctx, storetest.Human(h.cast.Ben), FindPeopleIn{Q: "gard", Limit: 10})
	if err != nil || len(found.People) != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	_, err = h.UpdateBot.Call(ctx, ada, UpdateBotIn{ID: made.Bot.ID, Name: core.Some("again")})
	wantCode(t, "a deleted bot", err, "not_found")
}

// Uses are exact up to the last request: before, within and after a flush, and
// if it fails.
func TestKeyActivity(t *testing.T) {
	h := open(t)
	ctx, ada := context.Background(), storetest.Human(h.cast.Ada)
	key, err := h.CreateAgentKey.Call(ctx, ada, CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.bearer(key.Key)
	if err != nil {
		t.Fatal(err)
	}
	check := func(step string, want ...string) {
		t.Helper()
		out, err := h.GetKeyActivity.Call(ctx, ada, core.ByID{ID: key.ID})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, a := range out.Activity {
			got = append(got, fmt.Sprintf("%s %v %d", a.Operation, a.Failed, a.Uses))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %q, want %q", step, got, want)
		}
	}
	use := func(what string, failed bool) {
		h.db.Clock.Advance(time.Second)
		h.Used(v, what, failed)
	}
	check("unused")
	use("Send", false)
	use("Send", false)
	use("Send", true)
	check("not stored", "Send true 1", "Send false 2")
	if err := h.FlushKeyUse(ctx); err != nil {
		t.Fatal(err)
	}
	check("stored", "Send true 1", "Send false 2")
	use("Send", false)
	check("stored, and one more", "Send false 3", "Send true 1")
	use("List", false)
	if err := h.FlushKeyUse(ctx); err != nil {
		t.Fatal(err)
	}
	check("stored again", "List false 1", "Send false 3", "Send true 1")
	h.Used(ada, "Send", false) // not a key
	check("a person's own use", "List false 1", "Send false 3", "Send true 1")
}

package account

import (
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// An account creates 40 bots within a day, also if it deletes them. A bot that is refused
// is not created, and another account is not concerned.
func TestNewBotsWithinADay(t *testing.T) {
	h := open(t)
	ada, ben := storetest.Human(h.cast.Ada), storetest.Human(h.cast.Ben)
	create := func(by store.Viewer) error {
		_, err := h.CreateAgentKey.Call(t.Context(), by, CreateAgentKeyIn{Name: "k", Bot: &KeyBotIn{Name: "Gardener"}})
		return err
	}
	if err := create(ada); err != nil {
		t.Fatal(err)
	}
	err := h.db.Write(t.Context(), func(tx *store.Tx) (err error) {
		for range 38 { // those that were deleted
			if err == nil {
				err = newBots().Use(tx, ada.UserID)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the 40th", create(ada), "")
	err = create(ada)
	wantCode(t, "the 41st", err, "too_many_bots")
	if wait := core.As(err).RetryAfter; !core.IsKind(err, core.TooMany) || wait <= 0 || wait > 24*time.Hour {
		t.Errorf("got %v, to wait for %v", err, wait)
	}
	if bots, err := h.ListBots.Call(t.Context(), ada, core.None{}); err != nil || len(bots) != 2 {
		t.Errorf("%d bots, %v", len(bots), err)
	}
	wantCode(t, "another account", create(ben), "")
	h.db.Clock.Advance(24*time.Hour - time.Second)
	wantCode(t, "nearly a day later", create(ada), "too_many_bots")
	h.db.Clock.Advance(2 * time.Second)
	wantCode(t, "a day later", create(ada), "")
}

// A bot is not deleted for a session that has ended since the request began.
func TestDeleteBotAfterTheSessionEnds(t *testing.T) {
	h := open(t)
	made, ada := h.bot("Gardener"), h.as("ada@example.org")
	h.changeOf(ada.UserID, func(tx *store.Tx, u store.User) error { _, err := revokeSessions(tx, u); return err })
	_, err := h.deleteBot(t.Context(), ada, BotIn{ID: made.Bot.ID})
	wantCode(t, "a session that has ended", err, "unauthenticated")
	if _, err := h.bearer(made.Key); err != nil {
		t.Errorf("the bot's key: %v", err)
	}
	if _, err := h.deleteBot(t.Context(), h.as("ada@example.org"), BotIn{ID: made.Bot.ID}); err != nil {
		t.Errorf("another session: %v", err)
	}
	_, err = h.bearer(made.Key)
	wantCode(t, "the key of a deleted bot", err, "unauthenticated")
}

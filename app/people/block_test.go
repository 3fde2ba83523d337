package people_test

import (
	"testing"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A block, and its end, changes what both people and their bots are shown, so that the
// streams of all of them are checked again; of others none is.
func TestBlocksAreToldToBots(t *testing.T) {
	w := newWorld(t)
	topics := map[string]string{"Ada": w.cast.Ada.ID, "Ben": w.cast.Ben.ID, "Cleo": w.cast.Cleo.ID}
	w.write(func(tx *store.Tx) error {
		for _, owner := range []string{"Ada", "Ben", "Cleo"} {
			bot, err := tx.InsertUser(store.User{Email: owner + "@bots.example", Name: "Bot", IsBot: true, BotOwnerID: topics[owner],
				SignupProvider: "test"})
			if err != nil {
				return err
			}
			topics["bot of "+owner] = bot.ID
		}
		return nil
	})
	told := func(want int) {
		t.Helper()
		for name, topic := range topics {
			n, want := 0, want
			if name == "Cleo" || name == "bot of Cleo" {
				want = 0
			}
			for _, e := range w.db.Events(t, topic) {
				if e.Kind == "block.changed" {
					n++
				}
			}
			if n != want {
				t.Errorf("%s was told %d times, want %d", name, n, want)
			}
		}
	}
	told(0)
	w.block(w.cast.Ada, w.cast.Ben)
	told(1)
	if _, err := w.UnblockUser.Call(t.Context(), storetest.Human(w.cast.Ada), core.ByID{ID: w.cast.Ben.ID}); err != nil {
		t.Fatal(err)
	}
	told(2)
}

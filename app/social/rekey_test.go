package social_test

import (
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// After an upgrade that computes other keys, intents from before are found once
// their keys were computed again, which is done once.
func TestRekey(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{"", "1"} {
		w := worldIn(t, storetest.OpenEmpty(t))
		w.intent(w.Ada, "ask", terms)
		lose := func(version string) {
			w.write(func(tx *store.Tx) error {
				listed, err := tx.IntentsAfter(0, 10)
				if err == nil && len(listed) > 0 {
					err = tx.ReplaceKeys(listed[0].Seq, []store.IntentKey{{Key: 1, Weight: 1}}, nil)
				}
				if err == nil && version != "current" {
					err = tx.SetSetting("match_keys", version)
				}
				return err
			})
		}
		lose(stored)
		w.intent(w.Ben, "offer", terms)
		if n := len(w.matches(w.Ada)); n != 0 {
			t.Errorf("keys of %q: %d matches with the keys of before", stored, n)
		}
		if err := w.s.Rekey(w.ctx); err != nil {
			t.Fatal(err)
		}
		w.intent(w.Cleo, "offer", terms)
		if n := len(w.matches(w.Ada)); n != 1 {
			t.Errorf("keys of %q: %d matches after they were computed again", stored, n)
		}
		lose("current")
		if err := w.s.Rekey(w.ctx); err != nil {
			t.Fatal(err)
		}
		w.intent(w.person("eve"), "offer", terms)
		if n := len(w.matches(w.Ada)); n != 1 {
			t.Errorf("keys of %q: keys of the current version were computed again", stored)
		}
	}
}

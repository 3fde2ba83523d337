package store_test

import (
	"maps"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// Of settings those are read that are asked for and set; what is set to nothing is not,
// and a secret keeps its first value.
func TestSettings(t *testing.T) {
	db := storetest.OpenEmpty(t)
	write(t, db, func(tx *store.Tx) error {
		for _, s := range [][2]string{{"a", "0"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"a", "1"}, {"c", ""}} {
			if err := tx.SetSetting(s[0], s[1]); err != nil {
				return err
			}
		}
		got, err := tx.Settings("a", "b", "c", "e")
		if want := map[string]string{"a": "1", "b": "2"}; err != nil || !maps.Equal(got, want) {
			t.Errorf("settings %v, want %v, %v", got, want, err)
		}
		for name, want := range map[string]string{"d": "4", "new": "made"} {
			for _, made := range []string{"made", "made again"} {
				if got, err := tx.Secret(name, func() string { return made }); got != want || err != nil {
					t.Errorf("the secret %s is %q, %v", name, got, err)
				}
			}
			if got, err := tx.Setting(name); got != want || err != nil {
				t.Errorf("the setting %s is %q, %v", name, got, err)
			}
		}
		return nil
	})
}

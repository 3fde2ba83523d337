package people_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A friendship that ends while an account is exported is left out, and the others keep
// their order: friends, those who asked, those who were asked.
func TestExportLeavesOutWhatEnded(t *testing.T) {
	w := newWorld(t)
	ids := []string{w.add("asks"), w.add("asked"), w.add("ends"), w.add("stays")}
	w.write(func(tx *store.Tx) error {
		for i, state := range []string{"incoming", "outgoing", "friends", "friends"} {
			mirrored := map[string]string{"incoming": "outgoing", "outgoing": "incoming", "friends": "friends"}[state]
			if err := tx.PutFriends(w.cast.Ada.ID, ids[i], state, mirrored); err != nil {
				return err
			}
		}
		return nil
	})
	var text bytes.Buffer
	e := &core.Export{By: storetest.Human(w.cast.Ada), JSON: jsontext.NewEncoder(&text), Turn: func(_ context.Context, page func() error) error {
		w.write(func(tx *store.Tx) error {
			_, err := tx.DeleteFriends(w.cast.Ada.ID, ids[2])
			return err
		})
		return page()
	}}
	if err := w.Exports()["friendConnections"](t.Context(), e); err != nil {
		t.Fatal(err)
	}
	var rows []struct{ User struct{ Name string } }
	if err := json.Unmarshal(text.Bytes(), &rows, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.User.Name)
	}
	if want := []string{"stays", "asks", "asked"}; !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
}

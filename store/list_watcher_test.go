package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// watched are two lists that all see, with who has what part in them. Each list has
// people of its own, and one who has another part in the other list.
var watched = map[string]map[string]string{
	"first":  {"ada": "owner", "ben": "editor", "cleo": "viewer", "dan": "viewer", "eve": "editor"},
	"second": {"eve": "owner", "cleo": "editor", "fay": "viewer", "gus": "viewer"},
}

// modes are how the people are found, and their presence.
var modes = map[string]string{"ada": "hidden", "ben": "name", "cleo": "email_only", "dan": "name", "eve": "name", "fay": "hidden", "gus": "email_only", "hal": "name", "ida": "hidden"}

// watchedBlocks are who blocks whom: of those with a part in the same list, in
// different ones, and in none.
var watchedBlocks = [][2]string{{"ada", "ben"}, {"ben", "cleo"}, {"dan", "cleo"}, {"hal", "dan"}, {"ben", "hal"}, {"fay", "ada"}, {"gus", "hal"}, {"ben", "gus"}, {"hal", "ida"}, {"ida", "ben"}, {"cleo", "eve"}}

func personID(name string) string {
	if name == "" {
		return ""
	}
	return name + strings.Repeat("-", 36-len(name))
}

// Those who watch a list are known with their role in it, and are not shown those with
// a part in it with whom they have a block; nor, unless they have a part in it
// themselves, those who cannot be found by name. What others have in other lists, and
// with each other, makes no difference.
func TestWhomListWatchersSee(t *testing.T) {
	db := storetest.OpenEmpty(t)
	var got, want []string
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if err := insertWatched(tx); err != nil {
			return err
		}
		var ws []store.ListWatcher
		for list, parts := range watched {
			for _, by := range []string{"ada", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "", "nobody"} {
				ws = append(ws, store.ListWatcher{ListID: list, UserID: personID(by)})
				w := store.ListWatcher{ListID: list, UserID: personID(by), Role: parts[by]}
				if modes[by] != "" {
					w.Name, w.PresenceStatus = by, "busy"
				}
				for other := range parts {
					if slices.Contains(watchedBlocks, [2]string{by, other}) || slices.Contains(watchedBlocks, [2]string{other, by}) || parts[by] == "" && modes[other] != "name" {
						w.Blocks = append(w.Blocks, personID(other))
					}
				}
				want = append(want, watcherText(w))
			}
		}
		found, err := tx.ListWatchers(ws)
		for _, w := range found {
			got = append(got, watcherText(w))
		}
		return err
	})
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// watcherText is a watcher with those who are not shown to them, in order.
func watcherText(w store.ListWatcher) string {
	slices.Sort(w.Blocks)
	return strings.ReplaceAll(fmt.Sprintf("%s: %q %q %q %q, not %q", w.ListID, w.UserID, w.Name, w.Role, w.PresenceStatus, []string(w.Blocks)), "-", "")
}

func insertWatched(tx *store.Tx) error {
	for name, mode := range modes {
		if _, err := tx.InsertUser(store.User{ID: personID(name), Name: name, Email: name, DiscoveryMode: mode, PresenceStatus: "busy", SignupProvider: "test"}); err != nil {
			return err
		}
	}
	for _, b := range watchedBlocks {
		if _, err := tx.InsertBlock(personID(b[0]), personID(b[1])); err != nil {
			return err
		}
	}
	for list, parts := range watched {
		owner := ""
		for name, role := range parts {
			if role == "owner" {
				owner = name
			}
		}
		if _, err := tx.InsertList(store.List{ID: list, OwnerID: personID(owner), Title: list, Slug: list, Visibility: "public"}); err != nil {
			return err
		}
		for name, role := range parts {
			if role == "owner" {
				continue
			}
			if err := tx.PutListMember(list, personID(name), role); err != nil {
				return err
			}
		}
	}
	return nil
}

package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// watched are two lists that all see, with who has what part in them. Each list has
// people of its own, and one who has another part in the other list.
var watched = map[string]map[string]string{
	"first":  {"ada": "owner", "ben": "editor", "cleo": "viewer", "dan": "viewer", "eve": "editor", "ben's bot": "viewer"},
	"second": {"eve": "owner", "cleo": "editor", "fay": "viewer", "gus": "viewer", "hal's bot": "editor"},
}

// modes are how the people are found, and their presence.
var modes = map[string]string{"ada": "hidden", "ben": "name", "cleo": "email_only", "dan": "name", "eve": "name", "fay": "hidden", "gus": "email_only", "hal": "name", "ida": "hidden",
	"ben's bot": "name", "hal's bot": "hidden", "ida's bot": "name"}

// watchedBlocks are who blocks whom: of those with a part in the same list, in
// different ones, and in none.
var watchedBlocks = [][2]string{{"ada", "ben"}, {"ben", "cleo"}, {"dan", "cleo"}, {"hal", "dan"}, {"ben", "hal"}, {"fay", "ada"}, {"gus", "hal"}, {"ben", "gus"}, {"hal", "ida"}, {"ida", "ben"}, {"cleo", "eve"}, {"eve", "hal's bot"}}

// personOf is the owner of a bot, and else the person.
func personOf(name string) string { return strings.TrimSuffix(name, "'s bot") }

// blockBetween reports whether one of two blocks the other. A block of a person is one of
// their bots, too.
func blockBetween(a, b string) bool {
	return slices.ContainsFunc(watchedBlocks, func(block [2]string) bool {
		of := func(i int, name string) bool { return block[i] == name || block[i] == personOf(name) }
		return of(0, a) && of(1, b) || of(0, b) && of(1, a)
	})
}

func personID(name string) string {
	if name == "" {
		return ""
	}
	return name + strings.Repeat("-", 36-len(name))
}

// Those who watch a list are known with their role in it, and are not shown those with
// a part in it with whom they have a block, or of whom the owner has one. What others
// have in other lists, and with each other, makes no difference.
func TestWhomListWatchersSee(t *testing.T) {
	db := storetest.OpenEmpty(t)
	var got, want []string
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if err := insertWatched(tx); err != nil {
			return err
		}
		var ws []store.ListWatcher
		for list, parts := range watched {
			for _, by := range []string{"ada", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "ben's bot", "hal's bot", "ida's bot", "", "nobody"} {
				ws = append(ws, store.ListWatcher{ListID: list, UserID: personID(by)})
				w := store.ListWatcher{ListID: list, UserID: personID(by), Role: parts[by]}
				if modes[by] != "" {
					w.Name, w.PresenceStatus, w.DiscoveryMode, w.Online = by, "busy", modes[by], by == "ada"
				}
				for other := range parts {
					if blockBetween(by, other) {
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
	return strings.ReplaceAll(fmt.Sprintf("%s: %q %q %q %q %q %v, not %q", w.ListID, w.UserID, w.Name, w.Role, w.PresenceStatus, w.DiscoveryMode, w.Online, []string(w.Blocks)), "-", "")
}

func insertWatched(tx *store.Tx) error {
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		u := store.User{ID: personID(name), Name: name, Email: name, DiscoveryMode: modes[name], PresenceStatus: "busy", SignupProvider: "test"}
		if u.IsBot = personOf(name) != name; u.IsBot {
			u.BotOwnerID = personID(personOf(name))
		}
		if _, err := tx.InsertUser(u); err != nil {
			return err
		}
	}
	if _, err := tx.SetOnline([]string{personID("ada")}); err != nil {
		return err
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

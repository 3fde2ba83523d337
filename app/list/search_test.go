package list_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
	"hearth/store/storetest"
)

// found returns the contents of all items that a search finds, page by page.
func (w *world) found(who, q string, limit int) (contents []string) {
	w.t.Helper()
	in := list.SearchIn{Q: q, Kind: "items", Limit: limit}
	for range 1000 {
		out, err := w.Search.Call(context.Background(), w.who[who], in)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(out.Items) > limit {
			w.t.Fatalf("%d items on a page of %d", len(out.Items), limit)
		}
		for _, i := range out.Items {
			contents = append(contents, i.Content)
		}
		if out.NextCursor == nil {
			return contents
		}
		in.Cursor = *out.NextCursor
	}
	w.t.Fatalf("the search for %q does not end", q)
	return nil
}

// A search finds exactly the items with all words, of the lists that are listed for
// the caller, the newest first, however long its pages are; also after lists were
// hidden, shown, edited and deleted.
func TestSearchFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, ada := context.Background(), w.who["owner"]
	rnd := rand.New(rand.NewPCG(5, 6))
	vocabulary := []string{"apple", "apples", "applesauce", "pear", "Pêche", "x", "日本語", "42", "quince-jelly", "internationalisation"}
	text := func(n int) string {
		words := []string{fmt.Sprint("n", n)}
		for range 1 + rnd.IntN(4) {
			words = append(words, vocabulary[rnd.IntN(len(vocabulary))])
		}
		return strings.Join(words, " ")
	}
	var lists []list.List
	var all []string // contents, the oldest first
	in := map[string]int{}
	for n, v := range []string{list.Public, list.Private, list.Unlisted, list.PublicEdit} {
		l := w.list(v)
		lists = append(lists, l)
		for range storetest.Rounds(130, 260) {
			c := text(len(all))
			all = append(all, c)
			in[c] = n
			w.add("owner", l.ID, c)
		}
	}
	w.share(lists[1].ID)
	for was := true; was; {
		if err := w.db.Write(ctx, func(tx *store.Tx) (err error) { was, err = tx.IndexWords(); return err }); err != nil {
			t.Fatal(err)
		}
	}
	gone := map[string]bool{}
	check := func(when string) {
		t.Helper()
		for _, q := range []string{"apple", "apples", "appl", "apple pear", "peche", "x", "x 42", "本", "quince jelly", `"jelly quince"`,
			"internationalis", "apple x pear", "n7", "nothing", "apple nothing"} {
			terms := strings.Fields(strings.Trim(q, `"`))
			for _, who := range []string{"owner", "editor", "stranger", "anonymous"} {
				var want []string
				for _, c := range slices.Backward(all) {
					l := lists[in[c]]
					public := l.Visibility == list.Public || l.Visibility == list.PublicEdit
					if gone[c] || !public && who != "owner" && !(who == "editor" && in[c] == 1) &&
						(l.Visibility != list.Unlisted || who == "anonymous") {
						continue
					}
					if hasAll(c, terms, strings.HasPrefix(q, `"`)) {
						want = append(want, c)
					}
				}
				for _, limit := range []int{7, 100} {
					if got := w.found(who, q, limit); !slices.Equal(got, want) {
						t.Errorf("%s, %s, %q, %d a page: found %d, want %d\n%.300q\n%.300q", when, who, q, limit, len(got), len(want), got, want)
					}
				}
			}
		}
	}
	check("at first")
	for n, v := range map[int]string{0: list.Private, 1: list.Public, 2: list.PublicEdit} {
		out, err := w.UpdateList.Call(ctx, ada, list.UpdateListIn{ID: lists[n].ID, Visibility: core.Some(v)})
		if err != nil {
			t.Fatal(err)
		}
		lists[n] = out.List
	}
	// Until the index is complete nothing hidden is found.
	for _, c := range w.found("anonymous", "apple", 50) {
		if in[c] == 0 {
			t.Errorf("%q is found although its list is private", c)
		}
	}
	for was := true; was; {
		if err := w.db.Write(ctx, func(tx *store.Tx) (err error) { was, err = tx.IndexWords(); return err }); err != nil {
			t.Fatal(err)
		}
	}
	check("after a change of visibility")
	for _, i := range w.items(lists[3].ID)[:20] {
		c := "changed " + i.Content
		if _, err := w.UpdateItem.Call(ctx, ada, list.UpdateItemIn{ListID: i.ListID, ItemID: i.ID, Content: core.Some(c)}); err != nil {
			t.Fatal(err)
		}
		all[slices.Index(all, i.Content)] = c
		in[c] = in[i.Content]
	}
	for _, i := range w.items(lists[1].ID)[:20] {
		if _, err := w.DeleteItem.Call(ctx, ada, list.DeleteItemIn{ListID: i.ListID, ItemID: i.ID}); err != nil {
			t.Fatal(err)
		}
		gone[i.Content] = true
	}
	check("after changes of items")
	if _, err := w.DeleteList.Call(ctx, ada, list.DeleteListIn{ID: lists[2].ID}); err != nil {
		t.Fatal(err)
	}
	for c := range maps.Keys(in) {
		gone[c] = gone[c] || in[c] == 2
	}
	check("after a deletion")
}

// hasAll reports whether text has the words, compared in another way than a search
// does.
func hasAll(text string, words []string, phrase bool) bool {
	plain := strings.NewReplacer("ê", "e", "-", " ").Replace(strings.ToLower(text))
	if phrase {
		return strings.Contains(" "+plain+" ", " "+strings.Join(words, " ")+" ")
	}
	for _, word := range words {
		if !slices.ContainsFunc(strings.Fields(plain), func(f string) bool {
			return f == word || len(word) >= 3 && strings.HasPrefix(f, word) || word[0] >= 0x80 && strings.Contains(f, word)
		}) {
			return false
		}
	}
	return true
}

// A search has lists, items or both, by the first 200 characters of what is sought.
func TestSearchOfKinds(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public, "quince")
	_, err := w.UpdateList.Call(context.Background(), w.who["owner"], list.UpdateListIn{ID: l.ID, Title: core.Some("quince")})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		q, kind      string
		lists, items int
	}{
		{"quince", "all", 1, 1}, {"quince", "lists", 1, 0}, {"quince", "items", 0, 1},
		{strings.Repeat(".", 194) + "quincx", "all", 0, 0}, {strings.Repeat(".", 195) + "quincx", "all", 1, 1}, // only "quinc" counts
		{". -", "all", 0, 0},
	} {
		out, err := w.Search.Call(context.Background(), w.who["owner"], list.SearchIn{Q: tc.q, Kind: tc.kind, Limit: 10})
		if err != nil || len(out.Lists) != tc.lists || len(out.Items) != tc.items || out.NextCursor != nil {
			t.Errorf("%q of %q: %d lists and %d items, %v", strings.Trim(tc.q, "."), tc.kind, len(out.Lists), len(out.Items), err)
		}
	}
}

// Of a search, each part in quotation marks is a phrase, and the words around them are
// not.
func TestSearchForPhrases(t *testing.T) {
	w := newWorld(t)
	w.list(list.Public, "a b c d e f", "b a d c f e")
	for q, want := range map[string]string{
		`b a d c f e`: "b a d c f e, a b c d e f", `"a b" d c`: "a b c d e f", `"a b" f e "c d"`: "a b c d e f", `d c "a b" f e "d c"`: "",
		`"b a" "d c" e f`:     "b a d c f e",
		`"a b" c d "e f" b a`: "a b c d e f", `"a b`: "a b c d e f",
	} {
		if got := strings.Join(w.found("anonymous", q, 10), ", "); got != want {
			t.Errorf("%s: found %q, want %q", q, got, want)
		}
	}
}

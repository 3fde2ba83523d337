package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// written is a post or a thought of a test.
type written struct {
	id, author, place, text, source, kind string
	at                                    int64
	post, captured                        bool
	pins                                  []string // conversations
}

// The content of a conversation equals what its rules give for all posts and
// thoughts, in pages of any size. That holds for an author of some of it, for another
// member and for their keys.
func TestContentInPages(t *testing.T) {
	t.Parallel()
	undo := errors.New("undo")
	db := storetest.Open(t)
	people := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 0))
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			here, err := tx.InsertGroup(people.Ada.ID, []string{people.Ben.ID}, "")
			if err != nil {
				return err
			}
			there, err := tx.InsertGroup(people.Ada.ID, []string{people.Ben.ID}, "")
			if err != nil {
				return err
			}
			all := writeContent(rng, []string{people.Ada.ID, people.Ben.ID}, []string{here, there})
			if err := insertContent(tx, all); err != nil {
				return err
			}
			for _, u := range []store.User{people.Ada, people.Ben} {
				by := storetest.Human(u)
				for _, by.Kind = range []store.Kind{store.Human, store.Agent} {
					for _, q := range []store.ContentQuery{
						{Context: true, Stream: true}, {Context: true}, {Stream: true}, {Context: true, Stream: true, Kind: "ask"},
						{Context: true, Stream: true, Search: "A"}, {Stream: true, Search: "#top"},
					} {
						q.ConversationID = here
						checkContent(t, &tx.Reader, by, q, all)
					}
				}
			}
			_, _, err = tx.Content(storetest.Human(people.Cleo), store.ContentQuery{ConversationID: here, Context: true, Limit: 1})
			if !errors.Is(err, store.ErrNoRow) {
				t.Errorf("a stranger reads the content: %v", err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	}
}

// writeContent makes posts and thoughts. Many have the same moment, the same message and
// the same text.
func writeContent(rng *rand.Rand, people, places []string) (all []written) {
	captures := map[string]bool{}
	for i := range 30 {
		w := written{
			id: fmt.Sprintf("%c%d", 'a'+rng.IntN(26), i), author: people[rng.IntN(2)], place: places[rng.IntN(4)/3],
			text: []string{"a", "b"}[rng.IntN(2)],
			at:   1000 + rng.Int64N(5), post: i%3 == 0, kind: []string{"note", "ask"}[rng.IntN(2)],
		}
		if w.post { // of one moment is one post of a conversation
			w.at = 995 + int64(i/3)
		} else {
			w.source = fmt.Sprint(w.place, rng.IntN(3))
			w.captured = rng.IntN(2) == 0 && !captures[w.source]
			captures[w.source] = captures[w.source] || w.captured
			if !w.captured && rng.IntN(4) == 0 {
				w.source = ""
			}
			for _, place := range places {
				if rng.IntN(2) == 0 {
					w.pins = append(w.pins, place)
				}
			}
		}
		all = append(all, w)
	}
	return all
}

func insertContent(tx *store.Tx, all []written) error {
	if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	for _, w := range all {
		query, args := `INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, client_request_id,
			updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?3, ?2)`,
			[]any{w.place, w.at, w.id, w.author, w.kind, w.text}
		if !w.post {
			query, args = `INSERT INTO thought (source_conversation_id, created_at, id, user_id, text, source_message_id,
				captured, tags, kind, status, updated_at)
				VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, ''), ?7, ?8, 'fact', 'none', ?2)`,
				[]any{w.place, w.at, w.id, w.author, w.text, w.source, w.captured, w.tags()}
		}
		if _, err := tx.ExecForTest(query, args...); err != nil {
			return err
		}
		for _, place := range w.pins {
			if _, err := tx.ExecForTest(`INSERT INTO thought_pin VALUES (?, ?, ?, 0)`, place, w.id, w.author); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w written) tags() string {
	if w.at%2 == 0 {
		return `["top"]`
	}
	return "[]"
}

// before is the order of content.
func (w written) before(o written) int {
	return cmp.Or(cmp.Compare(o.at, w.at), strings.Compare(o.id, w.id))
}

// isIn reports whether content of a conversation has w for a viewer.
func (w written) isIn(by store.Viewer, q store.ContentQuery, all []written) bool {
	pinned := slices.Contains(w.pins, q.ConversationID)
	switch {
	case w.post:
		return q.Context && w.place == q.ConversationID && (q.Kind == "" || w.kind == q.Kind) &&
			(q.Search == "" || q.Search == "A" && w.text == "a")
	case !q.Stream || q.Kind != "" || q.Search == "A" && w.text != "a" || q.Search == "#top" && w.tags() == "[]":
		return false
	case w.place == q.ConversationID && w.captured:
		return true
	case !pinned:
		return w.place == q.ConversationID && w.author == by.UserID && by.Direct()
	}
	return w.captured || w.source == "" || w.place != q.ConversationID || !slices.ContainsFunc(all, func(o written) bool {
		return o.source == w.source && o.text == w.text && (o.captured || slices.Contains(o.pins, q.ConversationID) && w.before(o) < 0)
	})
}

// checkContent reads pages of several sizes.
func checkContent(t *testing.T, r *store.Reader, by store.Viewer, q store.ContentQuery, all []written) {
	t.Helper()
	var want []string
	all = slices.SortedFunc(slices.Values(all), written.before)
	for _, w := range all {
		if w.isIn(by, q, all) {
			want = append(want, w.id)
		}
	}
	for _, limit := range []int{1, 2, len(want), len(want) + 1, 100} {
		var got []string
		q.After, q.Limit = store.ContentPlace{}, max(limit, 1)
		for more := true; more; more = q.After != (store.ContentPlace{}) {
			keys, next, err := r.Content(by, q)
			if err != nil {
				t.Fatal(err)
			}
			if len(keys) > q.Limit || len(keys) < q.Limit && next != (store.ContentPlace{}) || len(got) > len(all) {
				t.Fatalf("%d items of at most %d, and then %v", len(keys), q.Limit, next)
			}
			for _, k := range keys {
				got = append(got, k.ID)
			}
			q.After = next
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v in pages of %d for %s, direct %v:\ngot  %v\nwant %v", q, limit, by.Name, by.Direct(), got, want)
			return
		}
	}
}

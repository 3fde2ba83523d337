package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// wordsWorld is a database with two groups, of ada alone and of ben alone.
type wordsWorld struct {
	*testing.T
	storetest.Cast
	db         *storetest.DB
	ada, ben   store.Viewer
	adas, bens string
	bulked     uint64 // words that were sent by bulk
}

func newWordsWorld(t *testing.T) *wordsWorld {
	w := &wordsWorld{T: t, db: storetest.Open(t)}
	w.Cast = storetest.People(t, w.db)
	w.ada, w.ben = storetest.Human(w.Ada), storetest.Human(w.Ben)
	w.write(func(tx *store.Tx) (err error) {
		if w.adas, err = tx.InsertGroup(w.Ada.ID, nil, "Ada's"); err != nil {
			return err
		}
		w.bens, err = tx.InsertGroup(w.Ben.ID, nil, "Ben's")
		return err
	})
	return w
}

func (w *wordsWorld) write(f func(*store.Tx) error) {
	w.Helper()
	if err := w.db.Write(context.Background(), f); err != nil {
		w.Fatal(err)
	}
}

// send sends texts to a conversation and returns the last message.
func (w *wordsWorld) send(by store.Viewer, conversationID string, texts ...string) (m store.Message) {
	w.Helper()
	w.write(func(tx *store.Tx) error {
		for _, text := range texts {
			tx.Now = tx.Tick()
			m = store.Message{ConversationID: conversationID, SenderID: by.UserID, Content: text, Type: "text"}
			if err := tx.Send(&m, nil); err != nil {
				return err
			}
		}
		return nil
	})
	return m
}

// search returns all that a search finds, page by page, and the number of pages.
func (w *wordsWorld) search(by store.Viewer, q store.Search, limit int) (found []string, pages int) {
	w.Helper()
	for {
		var part store.Searched
		err := w.db.Read(context.Background(), func(r *store.Reader) (err error) {
			part, err = r.SearchMessages(by, q, limit)
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		for _, m := range part.Messages {
			found = append(found, m.Content)
		}
		if pages++; part.Next == 0 {
			return found, pages
		}
		if q.Until != 0 && part.Next >= q.Until {
			w.Fatalf("the search does not proceed: %v after %v", part.Next, q.Until)
		}
		q.Until = part.Next
	}
}

func words(text string) store.Search {
	return store.Search{Terms: []store.Term{{Words: store.Words(text)}}}
}

// Documents follow every change of their messages, also several within one group
// of writes. storetest compares the index with the messages at the end.
func TestWordsFollowMessages(t *testing.T) {
	w := newWordsWorld(t)
	kept := w.send(w.ada, w.adas, "first draft")
	gone := w.send(w.ada, w.adas, "a secret plan")
	w.write(func(tx *store.Tx) error {
		kept, gone := kept, gone // as they are stored when this runs again
		if err := tx.EditMessage(&kept, store.PrepareText("second draft, with words")); err != nil {
			return err
		}
		if err := tx.EditMessage(&gone, store.PrepareText("another plan")); err != nil {
			return err
		}
		if err := tx.DeleteMessage(&gone); err != nil {
			return err
		}
		m := store.Message{ConversationID: w.adas, SenderID: w.Ada.ID, Content: "never seen", Type: "text"}
		if err := tx.Send(&m, nil); err != nil {
			return err
		}
		return tx.DeleteMessage(&m)
	})
	for q, want := range map[string][]string{"draft": {"second draft, with words"}, "first": nil, "secret": nil, "plan": nil, "never": nil} {
		if got, _ := w.search(w.ada, words(q), 10); !slices.Equal(got, want) {
			t.Errorf("%s: %q", q, got)
		}
	}
}

// The index answers as a comparison with every message does, for a caller with
// many messages and for one with few, in pages of any size.
func TestSearchWalksTheIndex(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	var want []string
	for i := range 30 {
		texts := make([]string, 100)
		for n := range texts {
			text := fmt.Sprintf("message %d.%d frequent", i, n)
			if n%10 == 0 {
				text += " tenth"
			}
			if n == 50 {
				text += " seldom 会議"
			}
			if i%2 == 0 {
				want = append(want, text)
			}
			texts[n] = text
		}
		if i%2 == 0 {
			w.send(w.ada, w.adas, texts...)
		} else {
			w.send(w.ben, w.bens, texts...)
		}
	}
	w.send(w.ben, w.bens, "foreign", "foreign frequent")
	w.send(w.ada, w.adas, "frequent and seldom, not in the index yet")
	want = append(want, "frequent and seldom, not in the index yet")
	slices.Reverse(want)
	with := func(words ...string) (out []string) {
		for _, text := range want {
			if !slices.ContainsFunc(words, func(word string) bool { return !store.ContainsForTest(text, word) }) {
				out = append(out, text)
			}
		}
		return out
	}
	for _, q := range [][]string{{"frequent"}, {"freq"}, {"tenth"}, {"seldom"}, {"会議"}, {"議"}, {"seldom", "tenth"}, {"tenth", "frequent", "message"}, {"foreign"}, {"nothing"}, {"14"}} {
		search := store.Search{}
		for _, word := range q {
			search.Terms = append(search.Terms, store.Term{Words: store.Words(word)})
		}
		for _, limit := range []int{1, 7, 100, 5000} {
			got, _ := w.search(w.ada, search, limit)
			if !slices.Equal(got, with(q...)) {
				t.Fatalf("%q by %d: %d found, want %d", q, limit, len(got), len(with(q...)))
			}
		}
	}
	if got, _ := w.search(w.ada, store.Search{Senders: []string{w.Ben.ID}}, 10); got != nil {
		t.Errorf("of ben: %q", got)
	}
	if got, _ := w.search(w.ada, store.Search{Senders: []string{w.Ada.ID}}, 100); len(got) != len(want) {
		t.Errorf("of ada: %d", len(got))
	}
}

// A part of a search compares so much text at most, and the next ones the rest.
func TestSearchOfLongMessages(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	var want []string
	for i := range 50 {
		text := fmt.Sprintf("needle %d %s", i, strings.Repeat("x", 100_000))
		w.send(w.ada, w.adas, text)
		want = append(want, text)
	}
	w.send(w.ada, w.adas, "short needle")
	slices.Reverse(want)
	want = append([]string{"short needle"}, want...)
	for _, limit := range []int{3, 100} {
		if got, pages := w.search(w.ada, words("needle"), limit); pages < 3 || !slices.Equal(got, want) {
			t.Errorf("by %d: %d of %d found on %d pages", limit, len(got), len(want), pages)
		}
	}
	if got, pages := w.search(w.ada, words("hay"), 10); pages < 3 || got != nil {
		t.Errorf("of another word %d found on %d pages", len(got), pages)
	}
	if got, pages := w.search(w.ada, store.Search{Has: []string{store.HasLink}}, 10); pages != 1 || got != nil {
		t.Errorf("without words %d found on %d pages", len(got), pages)
	}
}

// Other people's messages change nothing in what a search returns, the end of a
// part included, however many they are: for dora with few messages, which are
// read instead of very many entries of the index, and for ada with more than one
// part covers.
func TestSearchOfForeignMessages(t *testing.T) {
	t.Parallel()
	foreign := storetest.Rounds(1000, 6000) // in each of 17 minutes
	var seen [2][]string
	for world := range seen {
		w := newWordsWorld(t)
		dora := storetest.Human(w.Stranger)
		var doras string
		w.write(func(tx *store.Tx) (err error) {
			doras, err = tx.InsertGroup(dora.UserID, nil, "Dora's")
			return err
		})
		for minute := range 17 {
			w.db.Clock.Advance(time.Minute)
			w.send(w.ada, w.adas, append(slices.Repeat([]string{"mine"}, 140), "frequent")...)
			w.send(dora, doras, slices.Repeat([]string{"hers"}, 60)...)
			if minute == 0 {
				w.send(dora, doras, "frequent of old")
			}
			if world == 1 {
				w.send(w.ben, w.bens, slices.Repeat([]string{"frequent"}, foreign)...)
			}
		}
		for _, by := range []store.Viewer{w.ada, dora} {
			for _, text := range []string{"frequent", "frequent old", "hers", "rare"} {
				for _, limit := range []int{1, 100} {
					seen[world] = append(seen[world], w.parts(by, words(text), limit)...)
				}
			}
		}
	}
	if !slices.Equal(seen[0], seen[1]) {
		t.Errorf("%.2000q\n%.2000q", seen[0], seen[1])
	}
}

// Where most messages of a conversation were sent within a short time of its years,
// a part of a search still covers only so many.
func TestSearchOfABurst(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	w.db.Clock.Advance(2 * 365 * 24 * time.Hour)
	for range 6 {
		w.send(w.ada, w.adas, slices.Repeat([]string{"burst"}, 1000)...)
	}
	err := w.db.Read(t.Context(), func(r *store.Reader) error {
		q := words("burst")
		for range 3 {
			part, err := r.SearchMessages(w.ada, q, 10_000)
			if err != nil || len(part.Messages) != 2000 || part.Next == 0 {
				t.Errorf("a part has %d messages, and the next is from before %v, %v", len(part.Messages), part.Next, err)
			}
			q.Until = part.Next
		}
		return nil
	})
	if found, _ := w.search(w.ada, words("burst"), 10_000); len(found) != 6000 || err != nil {
		t.Errorf("%d messages, %v", len(found), err)
	}
}

// parts returns what each part of a search tells.
func (w *wordsWorld) parts(by store.Viewer, q store.Search, limit int) (parts []string) {
	w.Helper()
	for {
		err := w.db.Read(context.Background(), func(r *store.Reader) error {
			found, err := r.SearchMessages(by, q, limit)
			q.Until = found.Next
			part := fmt.Sprint(found.Next)
			for _, m := range found.Messages {
				part += fmt.Sprint(" ", m.Content, m.CreatedAt)
			}
			parts = append(parts, part)
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		if q.Until == 0 {
			return parts
		}
	}
}

// Messages from before the file had an index are added in small steps, and may
// change meanwhile.
func TestIndexOlder(t *testing.T) {
	w := newWordsWorld(t)
	var ms []store.Message
	for i := range 7 {
		ms = append(ms, w.send(w.ada, w.adas, fmt.Sprint("old ", i)))
	}
	w.write(func(tx *store.Tx) error { return tx.ForgetWordsForTest() })
	w.send(w.ada, w.adas, "old but new")
	if got, _ := w.search(w.ada, words("old"), 10); len(got) != 8 { // compared without the index
		t.Errorf("%d found", len(got))
	}
	step := func() (done bool) {
		w.write(func(tx *store.Tx) (err error) {
			done, err = tx.IndexOlder(3)
			return err
		})
		return done
	}
	step()
	w.write(func(tx *store.Tx) error { // in one group with the step that adds some of them
		ms := slices.Clone(ms) // as they are stored when this runs again
		for i := range ms {
			var err error
			if i%2 == 0 {
				err = tx.EditMessage(&ms[i], store.PrepareText(fmt.Sprint("edited ", i)))
			} else {
				err = tx.DeleteMessage(&ms[i])
			}
			if err != nil {
				return err
			}
			if i == 3 {
				if _, err := tx.IndexOlder(2); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for n := 0; !step(); n++ {
		if n > 10 {
			t.Fatal("it does not end")
		}
	}
}

// The parts of the index are merged while nothing is written, until few are
// left, and then nothing is written any more.
func TestKeepWords(t *testing.T) {
	w := newWordsWorld(t)
	for range 25 {
		w.send(w.ada, w.adas, slices.Repeat([]string{"part"}, 65)...) // too many to wait for others
	}
	parts := func() (n int) {
		err := w.db.Read(context.Background(), func(r *store.Reader) (err error) {
			_, n, err = r.WordsState()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := parts(); n < 20 {
		t.Fatalf("%d parts", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.db.KeepWords(ctx, slog.Default())
	}()
	deadline := time.After(20 * time.Second)
	for parts() > 8 {
		select {
		case <-deadline:
			t.Fatalf("%d parts are left", parts())
		case <-time.After(20 * time.Millisecond):
		}
	}
	cancel()
	<-ended
	if got, _ := w.search(w.ada, words("part"), 5000); len(got) != 25*65 {
		t.Errorf("%d found", len(got))
	}
}

// The documents of a few messages wait for others outside the index, up to 16 of a write
// and 64 in all; with more, all are in it.
func TestDocumentsWaitForOthers(t *testing.T) {
	w := newWordsWorld(t)
	for _, tc := range []struct{ sent, waiting int }{{17, 0}, {1, 1}, {16, 17}, {17, 0}, {16, 16}, {16, 32}, {16, 48}, {16, 64}, {1, 0}} {
		w.send(w.ada, w.adas, slices.Repeat([]string{"x"}, tc.sent)...)
		if got := column(t, w.db, `SELECT id FROM message_unindexed`); len(got) != tc.waiting {
			t.Errorf("after %d more, %d wait, want %d", tc.sent, len(got), tc.waiting)
		}
	}
}

// The messages up to the very moment from which on the file has had an index are added,
// each once, in the order of their conversations: a step of two adds two. One of that
// moment that is changed before has no document yet.
func TestIndexOlderInSteps(t *testing.T) {
	w := newWordsWorld(t) // with two messages of the crowd
	w.send(w.ada, w.adas, "a", "b", "c", "d")
	last := w.send(w.ben, w.bens, "e", "f", "g")
	w.write(func(tx *store.Tx) error {
		if err := tx.ForgetWordsForTest(); err != nil {
			return err
		}
		return tx.SetSetting("words_position", fmt.Sprint(int64(last.CreatedAt), " - 0"))
	})
	w.write(func(tx *store.Tx) error {
		m := last // as it is stored when this runs again
		return tx.EditMessage(&m, store.PrepareText("changed"))
	})
	steps := 1
	for done := false; !done && steps < 20; steps++ {
		w.write(func(tx *store.Tx) (err error) {
			done, err = tx.IndexOlder(2)
			return err
		})
	}
	if steps != 6 {
		t.Errorf("%d steps", steps-1)
	}
}

// Messages and names that are not in the index are added in the background, whichever
// there are, until all of them are found by it.
func TestKeepWordsAddsOlder(t *testing.T) {
	for name, waiting := range map[string]struct{ messages, names bool }{"names": {false, true}, "both": {true, true}} {
		t.Run(name, func(t *testing.T) {
			w := newWordsWorld(t)
			w.send(w.ben, w.bens, slices.Repeat([]string{"old"}, 230)...)
			w.write(func(tx *store.Tx) error {
				if waiting.names {
					if _, err := tx.ExecForTest(`UPDATE user_word SET word = '' WHERE user_id IN (?, ?)`, w.Ada.ID, w.Ben.ID); err != nil {
						return err
					}
					if err := tx.SetSetting("names_position", "-"); err != nil {
						return err
					}
				}
				if waiting.messages {
					return tx.ForgetWordsForTest()
				}
				return nil
			})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				w.db.KeepWords(ctx, slog.New(slog.NewTextHandler(io.Discard, nil)))
			}()
			defer func() { cancel(); <-ended }()
			deadline := time.Now().Add(10 * time.Second)
			for left := "-"; left != ""; time.Sleep(time.Millisecond) {
				if err := w.db.Read(t.Context(), func(r *store.Reader) error {
					words, err := r.Setting("words_position")
					if err != nil {
						return err
					}
					names, err := r.Setting("names_position")
					left = words + names
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s is left", left)
				}
			}
			if err := w.db.Read(t.Context(), func(r *store.Reader) error {
				ids, err := r.SendersNamed(w.ada, "ada")
				if len(ids) != 1 || ids[0] != w.Ada.ID {
					t.Errorf("%q have the name", ids)
				}
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
}

// The words of an account with many messages are in no part of the index any more once
// this has been purged in small steps, which begin and end with the marks. Those of one
// message are gone at once, also meanwhile.
func TestPurgedWordsAreGone(t *testing.T) {
	w := newWordsWorld(t)
	var group string
	w.write(func(tx *store.Tx) (err error) {
		group, err = tx.InsertGroup(w.Ada.ID, []string{w.Ben.ID}, "Both")
		return err
	})
	var edited store.Message
	w.write(func(tx *store.Tx) error { // one part: few are not merged otherwise
		for n := range 211 {
			tx.Now = tx.Tick()
			m := store.Message{ConversationID: group, SenderID: w.Ada.ID, Content: fmt.Sprint("zqxjvk secret ", n)}
			if n == 210 {
				m.SenderID, m.Content = w.Ben.ID, "wvuqpo"
			}
			if err := tx.Send(&m, nil); err != nil {
				return err
			}
			edited = m
		}
		return nil
	})
	blocks := func(token string) (n int) {
		t.Helper()
		file, err := sql.Open("sqlite", "file:"+w.db.Path())
		if err == nil {
			defer file.Close()
			err = file.QueryRow(`SELECT count(*) FROM message_word_data WHERE instr(block, CAST(? AS BLOB)) > 0`, token).Scan(&n)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	marked := func() (yes bool) {
		t.Helper()
		if err := w.db.Read(t.Context(), func(r *store.Reader) (err error) {
			yes, err = r.WordsMarked()
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return yes
	}
	purge := func() (steps int) {
		t.Helper()
		for more := true; more; steps++ {
			w.write(func(tx *store.Tx) (err error) {
				more, err = tx.PurgeWords(1)
				return err
			})
			if steps > 200 {
				t.Fatal("it does not end")
			}
		}
		return steps
	}
	if blocks("wvu") == 0 {
		t.Error("what will be edited is not in the index")
	}
	if steps := purge(); steps != 1 || marked() || blocks("zqx") == 0 {
		t.Errorf("before: %d steps, marked %v, the words are in %d blocks", steps, marked(), blocks("zqx"))
	}
	eraseAccount(t, w.db, w.Ada.ID, 1000)
	if !marked() || blocks("zqx") == 0 {
		t.Errorf("deleted: marked %v, the words are in %d blocks", marked(), blocks("zqx"))
	}
	w.write(func(tx *store.Tx) error {
		m := edited // as it is stored when this runs again
		return tx.EditMessage(&m, store.PrepareText("y"))
	})
	if had := blocks("wvu"); had > 0 {
		t.Errorf("what was edited meanwhile is in %d blocks", had)
	}
	if steps := purge(); marked() || blocks("zqx") > 0 {
		t.Errorf("purged: %d steps, marked %v, the words are in %d blocks", steps, marked(), blocks("zqx"))
	}
}

package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"hearth/store"
)

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
		return tx.EditMessage(&m, "changed")
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
		return tx.EditMessage(&m, "y")
	})
	if had := blocks("wvu"); had > 0 {
		t.Errorf("what was edited meanwhile is in %d blocks", had)
	}
	if steps := purge(); steps < 2 || marked() || blocks("zqx") > 0 {
		t.Errorf("purged: %d steps, marked %v, the words are in %d blocks", steps, marked(), blocks("zqx"))
	}
}

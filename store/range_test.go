package store_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// What lies from after a place up to another is read in order and up to a number of
// rows, of one conversation or list, or of all that the reader sees. The rows are of the
// places 1 to 5 in the first and of 11 to 15 in the second, both before and behind.
func TestRowsOfARange(t *testing.T) {
	t.Parallel()
	undo := errors.New("undo")
	for name, tc := range map[string]struct {
		insert string // a row of a conversation or list ?1 at the place ?2 with the number ?3, by ?4
		read   func(r *store.Reader, by store.Viewer, id string, after, upTo int64, n int) ([]int64, error)
		all    bool // of the others, too
	}{
		"messages": {aMessage, func(r *store.Reader, by store.Viewer, id string, after, upTo int64, n int) (out []int64, err error) {
			all, err := r.MessagesBetween(by, id, store.Time(after), store.Time(upTo), n, 1<<20)
			for _, m := range all {
				out = append(out, int64(m.CreatedAt))
			}
			return out, err
		}, false},
		"the number of messages": {aMessage, func(r *store.Reader, by store.Viewer, id string, after, upTo int64, n int) (out []int64, err error) {
			count, last, err := r.CountMessages(by, id, store.Time(after), store.Time(upTo), n)
			for i := range int64(count) { // what is counted has no gaps
				out = append(out, int64(last)-int64(count)+1+i)
			}
			return out, err
		}, false},
		"events of a conversation": {anEvent, func(r *store.Reader, by store.Viewer, id string, after, upTo int64, n int) ([]int64, error) {
			return eventIDs(r.LaneEvents(by, id, after, upTo, n))
		}, false},
		"events of a list": {anEvent, func(r *store.Reader, by store.Viewer, id string, after, upTo int64, n int) ([]int64, error) {
			return eventIDs(r.ListEvents(by, id, after, upTo, n))
		}, false},
		"events of all conversations": {anEvent, func(r *store.Reader, by store.Viewer, _ string, after, upTo int64, n int) ([]int64, error) {
			return eventIDs(r.UserEvents(by, after, upTo, n))
		}, true},
		"events for delivery": {anEvent, func(r *store.Reader, _ store.Viewer, _ string, after, upTo int64, n int) ([]int64, error) {
			return eventIDs(r.EventsAfter(after, n))
		}, true},
	} {
		db := storetest.OpenEmpty(t)
		ada := storetest.People(t, db).Ada
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			ids, err := insertRange(tx, ada, tc.insert)
			if err != nil {
				return err
			}
			checkRange(t, name, tc.all, func(after, upTo int64, n int) ([]int64, error) {
				return tc.read(&tx.Reader, storetest.Human(ada), ids[1], after, upTo, n)
			})
			return undo
		})
		if !errors.Is(err, undo) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

const (
	aMessage = `INSERT INTO message (conversation_id, created_at, id, sender_id, content, message_type) VALUES (?1, ?2, ?3, ?4, 'x', 'text')`
	anEvent  = `INSERT INTO event (topic, id, kind, object_id, actor_id, at) VALUES (?1, ?2, 'k', ?3, ?4, 0)`
)

// insertRange makes three groups, which are lists, too, with rows at the places of each.
func insertRange(tx *store.Tx, owner store.User, insert string) (ids []string, err error) {
	for n := range 3 {
		id, err := tx.InsertGroup(owner.ID, nil, "")
		if err == nil {
			_, err = tx.InsertList(store.List{ID: id, OwnerID: owner.ID, Title: "L", Visibility: "private", Slug: strconv.Itoa(n)})
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	for place := int64(1); place <= 25; place++ {
		if _, err := tx.ExecForTest(insert, ids[place/10], place, strconv.FormatInt(place, 10), owner.ID); err != nil {
			return nil, err
		}
		if place%10 == 5 {
			place += 5
		}
	}
	return ids, nil
}

func eventIDs(all []store.Event, err error) (out []int64, _ error) {
	for _, e := range all {
		out = append(out, e.ID)
	}
	return out, err
}

// checkRange reads ranges of the second of three, or of all.
func checkRange(t *testing.T, name string, all bool, read func(after, upTo int64, n int) ([]int64, error)) {
	t.Helper()
	for _, q := range []struct {
		after, upTo int64
		n           int
	}{{0, 99, 99}, {10, 99, 99}, {11, 99, 99}, {11, 14, 99}, {10, 15, 5}, {10, 15, 4}, {12, 15, 1}, {13, 13, 9}, {14, 13, 9}} {
		var want []int64
		for place := int64(1); place <= 25; place++ {
			in := all && (name == "events for delivery" || place <= q.upTo) || place > 10 && place <= 20 && place <= q.upTo
			if in && place > q.after && (place-1)%10 < 5 && len(want) < q.n {
				want = append(want, place)
			}
		}
		got, err := read(q.after, q.upTo, q.n)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %+v: %v, want %v, %v", name, q, got, want, err)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %+v: %v, want %v", name, q, got, want)
				break
			}
		}
	}
}

// Events older than a moment are deleted, of the oldest up to a number, but never the
// newest of the log.
func TestPruneEvents(t *testing.T) {
	t.Parallel()
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	for _, tc := range []struct {
		before, limit, want int64
	}{{0, 9, 0}, {1, 9, 0}, {2, 9, 1}, {3, 9, 2}, {3, 1, 1}, {9, 9, 2}, {9, 3, 2}, {9, 2, 2}} {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.ExecForTest(`DELETE FROM event`); err != nil {
				return err
			}
			for n := range 3 {
				if _, err := tx.ExecForTest(anEvent, "c", n+1, "o", ""); err != nil {
					return err
				}
			}
			if _, err := tx.ExecForTest(`UPDATE event SET at = id`); err != nil {
				return err
			}
			if n, err := tx.PruneEvents(store.Time(tc.before), int(tc.limit)); err != nil || n != tc.want {
				t.Errorf("%d deleted, want %+v: %v", n, tc, err)
			}
			if _, newest, err := tx.EventRange(); err != nil || newest != 3 {
				t.Errorf("%+v: the newest is %d, %v", tc, newest, err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}
}

// The time of the newest write grows with every write.
func TestLastWrite(t *testing.T) {
	db := storetest.Open(t)
	var last store.Time
	for range 3 {
		db.Clock.Advance(time.Second)
		var now store.Time
		write(t, db, func(tx *store.Tx) error {
			now = tx.Now
			_, err := tx.InsertUser(store.User{Email: strconv.FormatInt(int64(now), 10) + "@example.org", Name: "x", SignupProvider: "magic-link"})
			return err
		})
		if err := db.Read(t.Context(), func(r *store.Reader) error {
			at, err := r.LastWrite()
			if at != now || at <= last {
				t.Errorf("the last write was at %v, want %v after %v", at, now, last)
			}
			last = at
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}

// Messages and Context posts are read up to a size: messages end with the one that
// passes it, posts before it, and neither without any.
func TestTextsAreReadUpToASize(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	id := group(t, db, p.Ada, p.Ben)
	for n := range 3 {
		say(t, db, store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "0123456789"})
		write(t, db, func(tx *store.Tx) error {
			return tx.InsertContextPost(&store.ContextPost{ConversationID: id, AuthorID: p.Ada.ID, Kind: "note", Text: "0123456789", ClientRequestID: strconv.Itoa(n)}, nil)
		})
	}
	for size, want := range map[int][2]int{1: {1, 1}, 9: {1, 1}, 10: {2, 1}, 19: {2, 1}, 20: {3, 2}, 29: {3, 2}, 30: {3, 3}} {
		if err := db.Read(t.Context(), func(r *store.Reader) error {
			messages, err := r.MessagesBetween(storetest.Human(p.Ada), id, 0, 1<<60, 9, size)
			if err != nil {
				return err
			}
			posts, err := r.OwnContextPosts(storetest.Human(p.Ada), 0, 9, size)
			if got := [2]int{len(messages), len(posts)}; got != want {
				t.Errorf("up to %d bytes: %d messages and posts, want %d", size, got, want)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

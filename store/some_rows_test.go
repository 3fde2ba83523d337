package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

const (
	aPerson   = `INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('p' || ?1, ?1, 'zz' || ?1, 'x', 'zzz' || ?1, 'test', 0, 0)`
	aWord     = `INSERT INTO user_word VALUES ('zzz' || ?1, 'p' || ?1)`
	aBot      = `INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at, is_bot) VALUES ('b' || ?1, 'b' || ?1, 'b' || ?1, 'x', 'zzz' || ?1, 'test', 0, 0, 1)`
	aSession  = `INSERT INTO session (id, user_id, kind, epoch, created_at, expires_at) VALUES (?1, ?3, 'browser', 0, ?2, 1 << 60)`
	aBlob     = `INSERT OR IGNORE INTO blob (id, size, created_at) VALUES (CAST(?1 AS INTEGER), 1, 0)`
	aFile     = `INSERT INTO attachment (id, user_id, blob_id, name, mime_type, size, created_at) VALUES ('f' || ?1, ?3, CAST(?1 AS INTEGER), 'x', 'audio/ogg', 1, 0)`
	aLiveFeed = `INSERT INTO story VALUES (?1, ?3, ?1, 'x', 0, 'active', 1 << 60, 1 << 60, ?2, ?2)`
)

// Rows are read in their order, and no more of them than the limit.
func TestRowsUpToALimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows
		order string
	}{
		"webhooks": {rows{[]string{`INSERT INTO webhook (id, user_id, url, secret, token, created_at) VALUES (?1, ?3, '', '', '', ?2)`},
			func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
				all, err := r.Webhooks(by, n)
				return texts(all, err, func(w store.Webhook) string { return w.ID })
			}}, "210"},
		"people of a name": {rows{[]string{aPerson, aWord}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.FindPeople(by, "zzz", n)
			return texts(all, err, func(u store.User) string { return u.ID[1:] })
		}}, "012"},
		"people of the directory": {rows{[]string{aBot, aPerson}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.Directory(by, "zzz", "", n)
			return texts(all, err, func(u store.User) string { return u.ID[1:] })
		}}, "012"},
		"accounts after an address": {rows{[]string{aPerson}, func(r *store.Reader, _ store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.Users("zz0", n)
			return texts(all, err, func(u store.User) string { return u.ID[1:] })
		}}, "12"},
		"Stories of the feed": {rows{[]string{anIntent, aLiveFeed}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.Feed(by, n, 1<<30, 1<<30)
			return texts(all, err, func(s store.Story) string { return s.ID })
		}}, "210"},
		"voice notes": {rows{[]string{aBlob, aFile,
			`INSERT INTO message (conversation_id, created_at, id, sender_id, content, transcribe_until) VALUES (?4, 1 << 50 - ?1, ?1, ?3, '', ?2)`,
			`INSERT INTO message_attachment VALUES ('f' || ?1, ?4, 1 << 50 - ?1)`}, func(r *store.Reader, _ store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.VoiceNotes(n)
			return texts(all, err, func(v store.VoiceNote) string { return v.MessageID })
		}}, "012"},
	} {
		t.Run(name, func(t *testing.T) {
			readsRows(t, c.rows, func(_ store.Time, read func(before store.Time, limit int) string) {
				for limit := range 4 {
					if got, want := read(0, limit), c.order[:min(limit, len(c.order))]; limit > 0 && got != want {
						t.Errorf("up to %d: rows %q, want %q", limit, got, want)
					}
				}
			})
		})
	}
}

// Of the sessions of an account, those beyond the newest are the old ones.
func TestOldSessions(t *testing.T) {
	readsRows(t, rows{[]string{aSession, `INSERT INTO session (id, user_id, kind, epoch, created_at, expires_at) VALUES ('x' || ?1, 'x', 'browser', 0, ?2, 0)`},
		func(r *store.Reader, by store.Viewer, _ string, _ store.Time, keep int) ([]string, error) {
			return r.OldSessions(by.UserID, keep)
		}}, func(_ store.Time, read func(before store.Time, limit int) string) {
		for keep, want := range []string{"210", "10", "0", ""} {
			if got := read(0, keep); got != want {
				t.Errorf("beyond %d: %q, want %q", keep, got, want)
			}
		}
	})
}

// A session ends with those that were created with it, and with those that were with
// them, but with none of others; and not for another account.
func TestSessionFamilies(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		for id, parent := range map[string]string{"a": "", "b": "a", "c": "b", "d": "a", "x": "", "y": "x"} {
			if _, err := tx.InsertSession(store.Session{ID: id, UserID: "u", ParentID: parent, Kind: "token", ExpiresAt: 1}); err != nil {
				return err
			}
		}
		for _, c := range [][3]string{{"u", "a", "abcd"}, {"u", "b", "bc"}, {"u", "c", "c"}, {"u", "x", "xy"}, {"v", "a", ""}, {"u", "z", ""}, {"", "a", ""}} {
			ids, err := tx.SessionFamily(c[0], c[1])
			slices.Sort(ids)
			if got := strings.Join(ids, ""); got != c[2] || err != nil {
				t.Errorf("%q of %q: %q, want %q, %v", c[1], c[0], got, c[2], err)
			}
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// A Story is read with its own intent and its own audience, whatever else its owner has.
func TestStoriesBeside(t *testing.T) {
	readsRows(t, rows{[]string{anIntent, `INSERT INTO story VALUES ('s' || ?1, ?3, ?1, 'x', 0, 'active', ?2, ?2, ?2, ?2)`, `INSERT INTO story_audience VALUES ('s' || ?1, 'to ' || ?1, NULL)`},
		func(r *store.Reader, by store.Viewer, _ string, _ store.Time, _ int) (out []string, err error) {
			for i := range 4 {
				s, e := r.Story(by, "s"+strconv.Itoa(i))
				audience, other := r.StoryAudience(by, "s"+strconv.Itoa(i))
				if errors.Is(e, store.ErrNoRow) {
					e = nil
				}
				out, err = append(out, fmt.Sprintf("%s of %s %v; ", s.ID, s.Intent.ID, audience.UserIDs)), errors.Join(err, e, other)
			}
			return out, err
		}}, func(_ store.Time, read func(before store.Time, limit int) string) {
		if got, want := read(0, 0), "s0 of 0 [to 0]; s1 of 1 [to 1]; s2 of 2 [to 2];  of  []; "; got != want {
			t.Errorf("Stories %q, want %q", got, want)
		}
	})
}

// Of the topics of events after a number, of some kinds, each is read once for a kind,
// with the newest number.
func TestChangedTopics(t *testing.T) {
	db := storetest.OpenEmpty(t)
	write(t, db, func(tx *store.Tx) error {
		for _, e := range []store.Event{{Topic: "a", Kind: "x"}, {Topic: "a", Kind: "y"}, {Topic: "b", Kind: "x"}, {Topic: "a", Kind: "x"}, {Topic: "b", Kind: "z"}, {Topic: "a", Kind: "y"}} {
			if err := tx.Emit(e); err != nil {
				return err
			}
		}
		for _, c := range []struct {
			after int64
			kinds []store.EventKind
			want  string
		}{{0, []store.EventKind{"x", "y"}, "a x 4, a y 6, b x 3"}, {3, []store.EventKind{"x", "y"}, "a x 4, a y 6"}, {4, []store.EventKind{"x", "y"}, "a y 6"}, {0, []store.EventKind{"z"}, "b z 5"}, {6, []store.EventKind{"x", "y", "z"}, ""}, {0, nil, ""}} {
			found, err := tx.ChangedTopics(c.after, c.kinds)
			got, err := texts(found, err, func(c store.ChangedTopic) string { return fmt.Sprintf("%s %s %d", c.Topic, c.Kind, c.ID) })
			slices.Sort(got)
			if text := strings.Join(got, ", "); text != c.want || err != nil {
				t.Errorf("%v after %d: %q, want %q, %v", c.kinds, c.after, text, c.want, err)
			}
		}
		return nil
	})
}

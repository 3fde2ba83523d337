package store_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

const (
	aMemberToBe = `INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('u' || ?1, ?1, ?1, 'U', ?1, '', ?2, ?2)`
	aText       = `INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES (?4, ?2, ?1, ?3, 'x')`
	twoAsks     = `INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at)
		SELECT value + ?1, value + ?1, iif(value = 10, ?3, 'z'), 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, 'active', 0, ?2, ?2 FROM json_each('[10, 20]')`
	ownMatch = `INSERT INTO intent_match (id, a_intent, b_intent, a_user, b_user, type, score, state, a_updated_at, b_updated_at, created_at)
		VALUES (?1, 10 + ?1, 20 + ?1, ?3, 'z', 'complementary', 1, 'open', ?2, ?2, ?2)`
	theirStory = `INSERT INTO story VALUES (?1, 'z' || ?1, ?1, 'x', 0, 'active', ?2, ?2, ?2, ?2)`
)

// messagesSince returns up to n messages from after a moment.
func messagesSince(r *store.Reader, by store.Viewer, since store.Time, n int) ([]store.Message, error) {
	all, _, err := r.MessagesSince(by, since, n, 1<<20)
	return all, err
}

// What is read up to a number of rows is the first of them, in its order, and not one
// more.
func TestFirstRowsUpToALimit(t *testing.T) {
	t.Parallel()
	messageIDs := func(all []store.Message, err error) ([]string, error) {
		return texts(all, err, func(m store.Message) string { return m.ID })
	}
	for name, c := range map[string]struct {
		rows
		order string
	}{
		"matches": {rows{[]string{twoAsks, ownMatch}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.Matches(by, before, n)
			return texts(all, err, func(m store.Match) string { return m.ID })
		}}, "210"},
		"open matches": {rows{[]string{twoAsks, ownMatch}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.OpenMatches(by, 0, n)
			return texts(all, err, func(m store.Match) string { return m.ID })
		}}, "210"},
		"messages": {rows{[]string{aText}, func(r *store.Reader, by store.Viewer, c string, before store.Time, n int) ([]string, error) {
			return messageIDs(r.Messages(by, c, before, n))
		}}, "210"},
		"messages from a moment on": {rows{[]string{aText}, func(r *store.Reader, by store.Viewer, c string, from store.Time, n int) ([]string, error) {
			return messageIDs(r.MessagesFrom(by, c, from, n))
		}}, "012"},
		"messages since a moment": {rows{[]string{aText, `UPDATE conversation SET last_message_at = ?2 WHERE id = ?4`}, func(r *store.Reader, by store.Viewer, _ string, since store.Time, n int) ([]string, error) {
			return messageIDs(messagesSince(r, by, since, n))
		}}, "012"},
		"messages since a moment, of two conversations": {rows{[]string{
			`INSERT OR IGNORE INTO conversation (id, type, created_at, updated_at) VALUES ('c', 'group', ?1 * 0, 0)`, `INSERT OR IGNORE INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', ?3, 'owner', 0)`,
			`INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES (iif(?1 = '0', 'c', ?4), ?2, ?1, ?3, 'x')`,
			`UPDATE conversation SET last_message_at = ?2 WHERE id IN ('c', ?4)`}, func(r *store.Reader, by store.Viewer, _ string, since store.Time, n int) ([]string, error) {
			return messageIDs(messagesSince(r, by, since, n))
		}}, "012"},
		"members to mention": {rows{[]string{aMemberToBe, `INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES (?4, 'u' || ?1, 'member', ?2)`},
			func(r *store.Reader, by store.Viewer, c string, _ store.Time, n int) ([]string, error) {
				all, err := r.Mentionable(by, c, "", n)
				return texts(all, err, func(u store.User) string { return u.ID[1:] })
			}}, "012"},
		"members to mention, the latest senders first": {rows{[]string{aMemberToBe, `INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES (?4, 'u' || ?1, 'member', ?2)`,
			`UPDATE conversation SET recent = iif(?1 = '2', 'u2u1', '') WHERE id = ?4`},
			func(r *store.Reader, by store.Viewer, c string, _ store.Time, n int) ([]string, error) {
				all, err := r.Mentionable(by, c, "", n)
				return texts(all, err, func(u store.User) string { return u.ID[1:] })
			}}, "210"},
		"open conversations": {rows{[]string{`INSERT INTO conversation (id, type, title, open, is_default, member_count, created_at, updated_at) VALUES (?1, 'group', ?1, 1, ?1 = '2', 1, ?2, ?2)`},
			func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
				all, err := r.OpenConversations(by, n)
				return texts(all, err, func(c store.OpenConversation) string { return c.ID })
			}}, "201"},
		"whom an audience reaches": {rows{[]string{aMemberToBe}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.Reach(by, store.Audience{UserIDs: []string{"u2", "u0", "u1"}}, n)
			for _, p := range all {
				if p.Total != 3 {
					err = errors.Join(err, errors.New("it reaches "+strconv.Itoa(p.Total)))
				}
			}
			return texts(all, err, func(p store.Reached) string { return p.ID[1:] })
		}}, "012"},
		"expiring searches": {rows{[]string{anIntent, `UPDATE intent SET expires_at = ?2 + 2 WHERE seq = ?1`}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.Expiring(by, r.Now()+10, n)
			return texts(all, err, func(e store.Expiring) string { return e.IntentID })
		}}, "012"},
		"whose search expires": {rows{[]string{anIntent, `UPDATE intent SET owner_id = 'z' || seq, listed_at = 1 WHERE seq = ?1`}, func(r *store.Reader, _ store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.ExpiringUsers(0, r.Now()+10, n)
			return texts(all, err, func(id string) string { return id[1:] })
		}}, "012"},
	} {
		t.Run(name, func(t *testing.T) {
			readsRows(t, c.rows, func(_ store.Time, read func(before store.Time, limit int) string) {
				for limit := 1; limit <= 4; limit++ {
					if got, want := read(0, limit), c.order[:min(limit, 3)]; got != want {
						t.Errorf("up to %d: rows %q, want %q", limit, got, want)
					}
				}
			})
		})
	}
}

// Messages are read from a moment on or since it, matches until it, and what expires
// after a moment and not after another.
func TestRowsFromAMoment(t *testing.T) {
	t.Parallel()
	messageIDs := func(all []store.Message, err error) ([]string, error) {
		return texts(all, err, func(m store.Message) string { return m.ID })
	}
	expiring := func(from, until store.Time) func(r *store.Reader, _ store.Viewer, _ string, now store.Time, n int) ([]string, error) {
		return func(r *store.Reader, _ store.Viewer, _ string, at store.Time, n int) ([]string, error) {
			all, err := r.ExpiringUsers(at+from, at+until, n)
			return texts(all, err, func(id string) string { return id[1:] })
		}
	}
	listed := []string{anIntent, `UPDATE intent SET owner_id = 'z' || seq, listed_at = 1 WHERE seq = ?1`}
	for name, c := range map[string]struct {
		rows
		want [3]string // at the moment of the row 0, 1, 2
	}{
		"from": {rows{[]string{aText}, func(r *store.Reader, by store.Viewer, c string, from store.Time, n int) ([]string, error) {
			return messageIDs(r.MessagesFrom(by, c, from, n))
		}}, [3]string{"012", "12", "2"}},
		"since": {rows{[]string{aText, `UPDATE conversation SET last_message_at = ?2 WHERE id = ?4`}, func(r *store.Reader, by store.Viewer, _ string, since store.Time, n int) ([]string, error) {
			return messageIDs(messagesSince(r, by, since, n))
		}}, [3]string{"12", "2", ""}},
		"before": {rows{[]string{aText}, func(r *store.Reader, by store.Viewer, c string, before store.Time, n int) ([]string, error) {
			return messageIDs(r.Messages(by, c, before, n))
		}}, [3]string{"", "0", "10"}},
		"matches": {rows{[]string{twoAsks, ownMatch}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.Matches(by, before, n)
			return texts(all, err, func(m store.Match) string { return m.ID })
		}}, [3]string{"", "0", "10"}},
		"searches that expire after": {rows{listed, expiring(0, 100)}, [3]string{"12", "2", ""}},
		"searches that expire until": {rows{listed, expiring(-100, 0)}, [3]string{"0", "01", "012"}},
		"Stories that expire after":  {rows{[]string{theirStory}, expiring(0, 100)}, [3]string{"12", "2", ""}},
		"Stories that expire until":  {rows{[]string{theirStory}, expiring(-100, 0)}, [3]string{"0", "01", "012"}},
	} {
		t.Run(name, func(t *testing.T) {
			readsRows(t, c.rows, func(now store.Time, read func(at store.Time, limit int) string) {
				for n, want := range c.want {
					if got := read(now-1+store.Time(n), 10); got != want {
						t.Errorf("at row %d: rows %q, want %q", n, got, want)
					}
				}
			})
		})
	}
}

// What expires is listed with the Story of a search, a Story by itself only if people
// see it, and nothing of another account's.
func TestExpiringOfAnAccount(t *testing.T) {
	me := store.Viewer{Kind: store.Human, UserID: "me"}
	discarded(t, func(tx *store.Tx) error {
		soon, at := int64(tx.Now)+10, tx.Now+10
		kind := []string{1: "ask", 2: "offer", 3: "ask", 4: "ask", 5: "ask", 6: "ask", 7: "offer"}
		add := func(seq int, owner, status string, expires int64) error {
			_, err := tx.ExecForTest(`INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at, expires_at)
				VALUES (?1, 'i' || ?1, ?2, ?5, 'terms', '[]', '[]', 'fulfillment', 0, 0, ?3, 0, 0, 0, ?4)`, seq, owner, status, expires, kind[seq])
			return err
		}
		story := func(seq int, owner, status string, text any, expires any) error {
			_, err := tx.ExecForTest(`INSERT INTO story VALUES ('s' || ?1, ?2, ?1, ?3, 1, ?4, ?5, 0, 0, 0)`, seq, owner, text, status, expires)
			return err
		}
		if err := errors.Join(
			add(1, "me", "active", soon), story(1, "me", "active", nil, nil),
			add(2, "me", "active", soon+1),
			add(3, "me", "paused", soon), story(3, "me", "active", "text", soon+2),
			add(4, "me", "paused", soon), story(4, "me", "paused", "text", soon),
			add(5, "me", "paused", soon), story(5, "me", "withdrawn", "text", soon),
			add(6, "you", "active", soon), story(6, "you", "active", "text", soon),
			add(7, "me", "active", soon+1), story(7, "me", "active", "text", soon+1000),
		); err != nil {
			return err
		}
		got, err := tx.Expiring(me, at+100, 10)
		want := []store.Expiring{
			{Kind: "expiring_search", ID: "i1", StoryID: "s1", IntentID: "i1", Title: "terms", At: at, IntentKind: "ask"},
			{Kind: "expiring_search", ID: "i2", IntentID: "i2", Title: "terms", At: at + 1, IntentKind: "offer"},
			{Kind: "expiring_search", ID: "i7", StoryID: "s7", IntentID: "i7", Title: "terms", At: at + 1, IntentKind: "offer", HumanVisible: true},
			{Kind: "expiring_story", ID: "s3", StoryID: "s3", IntentID: "i3", Title: "text", At: at + 2, IntentKind: "ask", HumanVisible: true},
		}
		if len(got) != len(want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		for n := range want {
			if got[n] != want[n] {
				t.Errorf("%+v, want %+v", got[n], want[n])
			}
		}
		return err
	})
}

// Of open groups an account sees of each whether it is in that one; the group that new
// accounts join is the one that was chosen, while somebody is in it.
func TestOpenGroups(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	write(t, db, func(tx *store.Tx) error {
		groups := map[string]string{}
		for _, title := range []string{"a", "b", "c"} {
			id, err := tx.InsertGroup(p.Ada.ID, nil, title)
			if err == nil {
				err = tx.SetOpen(id, true)
			}
			if err != nil {
				return err
			}
			groups[title] = id
		}
		if err := tx.AddMember(groups["b"], p.Ben.ID, "member"); err != nil {
			return err
		}
		all, err := tx.OpenConversations(storetest.Human(p.Ben), 10)
		if len(all) != 3 || err != nil {
			t.Errorf("%+v, %v", all, err)
		}
		for _, c := range all {
			if c.Member != (c.ID == groups["b"]) || c.Default {
				t.Errorf("%+v", c)
			}
		}
		check := func(want string) {
			t.Helper()
			if id, err := tx.DefaultConversation(); id != want || errors.Is(err, store.ErrNoRow) != (want == "") {
				t.Errorf("new accounts join %q, want %q, %v", id, want, err)
			}
		}
		check("")
		for _, title := range []string{"b", "c", "a"} {
			if err := errors.Join(tx.SetDefaultConversation(""), tx.SetDefaultConversation(groups[title])); err != nil {
				return err
			}
			check(groups[title])
		}
		if err := tx.RemoveMember(storetest.Human(p.Ada), groups["a"], p.Ada.ID); err != nil {
			return err
		}
		check("")
		return tx.SetDefaultConversation("")
	})
}

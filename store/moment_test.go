package store_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// rows is a table and what reads it: insert adds a row with a number (?1) and a time
// (?2), of Ada (?3) in a conversation of hers (?4).
type rows struct {
	insert []string
	read   func(r *store.Reader, by store.Viewer, conversation string, before store.Time, limit int) ([]string, error)
}

// readsRows inserts three rows with times one after the other, of which the second
// is now, and calls check with what reads their numbers.
func readsRows(t *testing.T, c rows, check func(now store.Time, read func(before store.Time, limit int) string)) {
	t.Helper()
	undo := errors.New("undo")
	db := storetest.Open(t)
	ada := storetest.People(t, db).Ada
	by := storetest.Human(ada)
	by.Admin = true
	db.Clock.Advance(time.Second)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		conversation, err := tx.InsertGroup(ada.ID, nil, "")
		if err != nil {
			return err
		}
		for _, stage := range []string{`PRAGMA defer_foreign_keys = ON`, `UPDATE user SET is_admin = 1`} {
			if _, err := tx.ExecForTest(stage); err != nil {
				return err
			}
		}
		for i := range 3 {
			for _, insert := range c.insert {
				args := []any{strconv.Itoa(i), int64(tx.Now) + int64(i) - 1, ada.ID, conversation}
				for !strings.Contains(insert, "?"+strconv.Itoa(len(args))) {
					args = args[:len(args)-1]
				}
				if _, err := tx.ExecForTest(insert, args...); err != nil {
					return err
				}
			}
		}
		check(tx.Now, func(before store.Time, limit int) string {
			got, err := c.read(&tx.Reader, by, conversation, before, limit)
			if err != nil {
				t.Error(err)
			}
			text := ""
			for _, s := range got {
				text += s
			}
			return text
		})
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// texts returns what text returns of each of all.
func texts[T any](all []T, err error, text func(T) string) ([]string, error) {
	var out []string
	for _, v := range all {
		out = append(out, text(v))
	}
	return out, err
}

const (
	anIntent = `INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at, expires_at)
		VALUES (?1, ?1, ?3, 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, 'active', 0, ?2, ?2, ?2)`
	aThought = `INSERT INTO thought (id, user_id, text, kind, status, source_conversation_id, captured, created_at, updated_at) VALUES (?1, ?3, 'x', 'fact', 'none', ?4, 1, ?2, ?2)`
	aKey     = `INSERT OR IGNORE INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at) VALUES ('k', ?3, 'agent', '', '', 'k', 1, 1, 0)`
	aPost    = `INSERT INTO context_post (conversation_id, created_at, id, author_id, kind, text, client_request_id, updated_at) VALUES (?4, ?2, ?1, ?3, 'ask', 'x', ?1, ?2)`
	aReport  = `INSERT INTO report (id, reporter_id, target_type, target_id, user_id, reason, created_at, decided_at) VALUES (?1, ?3, 'user', ?3, ?3, 'spam', ?2, `
	aStory   = `INSERT INTO story VALUES (?1, ?3, ?1, 'x', 0, 'active', ?2, ?2, ?2, ?2)`
)

// What is created before a moment is read without what is of that very moment, the
// newest first and up to a number of rows; before 0 is all of it.
func TestRowsBeforeAMoment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]rows{
		"feedback": {[]string{`INSERT INTO feedback VALUES (?1, ?3, 'x', NULL, ?2, NULL)`}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.NewFeedback(by, before, n)
			return texts(all, err, func(f store.Feedback) string { return f.ID })
		}},
		"done feedback": {[]string{`INSERT INTO feedback VALUES (?1, ?3, 'x', NULL, ?2, 1)`}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.DoneFeedback(by, before, n)
			return texts(all, err, func(f store.Feedback) string { return f.ID })
		}},
		"reports": {[]string{aReport + `NULL)`}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.OpenReports(by, before, n)
			return texts(all, err, func(c store.ReportCase) string { return c.ID })
		}},
		"decided reports": {[]string{aReport + `1)`}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.DecidedReports(by, before, n)
			return texts(all, err, func(c store.ReportCase) string { return c.ID })
		}},
		"drafts": {[]string{`INSERT INTO intent_draft (id, owner_id, goal, seeks, brings, matching_mode, collaborators, state, created_at, updated_at) VALUES (?1, ?3, 'x', '[]', '[]', 'fulfillment', 0, 'pending', ?2, ?2)`},
			func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
				all, err := r.Drafts(by, "pending", before, n)
				return texts(all, err, func(d store.Draft) string { return d.ID })
			}},
		"intents": {[]string{anIntent}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.Intents(by, before, n)
			return texts(all, err, func(i store.Intent) string { return i.ID })
		}},
		"intentions": {[]string{anIntent, `INSERT INTO context_intention VALUES (?1, ?3, 'open', 1, 0, ?2, ?2)`}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.Intentions(by, before, n)
			return texts(all, err, func(i store.Intention) string { return i.Intent.ID })
		}},
		"Stories": {[]string{anIntent, aStory}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.Stories(by, before, n)
			return texts(all, err, func(s store.Story) string { return s.ID })
		}},
		"thoughts": {[]string{aThought}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.Thoughts(by, store.ThoughtFilter{Before: before}, n)
			return texts(all, err, func(h store.Thought) string { return h.ID })
		}},
		"entries": {[]string{aThought}, func(r *store.Reader, by store.Viewer, c string, before store.Time, n int) ([]string, error) {
			all, err := r.Entries(by, c, "", before, n)
			return texts(all, err, func(e store.Entry) string { return e.ID })
		}},
		"Context posts": {[]string{aPost}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.OwnContextPosts(by, before, n, 1<<20)
			return texts(all, err, func(p store.ContextPost) string { return p.ID })
		}},
		"requests of a key": {[]string{aKey, aPost, `INSERT INTO context_request VALUES (?1, ?1, ?4, 1, ?3, ?3, 'k', 'pending', NULL, NULL, ?2, 0, NULL)`},
			func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
				all, err := r.LoggedRequests(by, "k", before, n)
				return texts(all, err, func(q store.LoggedRequest) string { return q.ID })
			}},
	} {
		t.Run(name, func(t *testing.T) {
			readsRows(t, c, func(now store.Time, read func(before store.Time, limit int) string) {
				for _, want := range []struct {
					before store.Time
					limit  int
					rows   string
				}{{0, 3, "210"}, {now + 1, 3, "10"}, {now, 3, "0"}, {now - 1, 3, ""}, {0, 2, "21"}, {now + 1, 1, "1"}} {
					if got := read(want.before, want.limit); got != want.rows {
						t.Errorf("before %v, up to %d: rows %q, want %q", want.before, want.limit, got, want.rows)
					}
				}
			})
		})
	}
}

// Of what is valid until now, and a microsecond less and more, only the last is.
func TestRowsUntilNow(t *testing.T) {
	t.Parallel()
	one := func(number string, err error) ([]string, error) {
		if errors.Is(err, store.ErrNoRow) {
			return nil, nil
		}
		return []string{number}, err
	}
	// each calls get with all numbers.
	each := func(get func(number string) error) (out []string, err error) {
		for i := range 3 {
			number := strconv.Itoa(i)
			got, e := one(number, get(number))
			out, err = append(out, got...), errors.Join(err, e)
		}
		return out, err
	}
	const aGrant = `INSERT INTO approval_grant VALUES (CAST(?1 AS BLOB), ?3, 'k', '', 'publish_story', '', '{}', ?2, ?2)`
	const aLink = `INSERT INTO login_link (token_hash, email, email_key, code_hash, created_at, expires_at) VALUES (?1, 'x', 'x', '', 0, ?2)`
	for name, c := range map[string]rows{
		"grants": {[]string{aGrant}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
			return each(func(number string) error {
				_, err := r.Grant(by, []byte(number))
				return err
			})
		}},
		"grants of keys": {[]string{aKey, aGrant}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, _, err := r.AgentGrants(by, n, 1<<30)
			return texts(all, err, func(g store.KeyGrant) string { return string(g.Hash) })
		}},
		"grants of keys that expire": {[]string{`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, expires_at) VALUES (?1, ?3, 'agent', '', '', ?1, 1, 1, 0, ?2)`,
			`INSERT INTO approval_grant VALUES (CAST(?1 AS BLOB), ?3, ?1, '', 'publish_story', '', '{}', ?2, ?2 + 9)`}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, _, err := r.AgentGrants(by, n, 1<<30)
			return texts(all, err, func(g store.KeyGrant) string { return string(g.Hash) })
		}},
		"keys that receive requests": {[]string{`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, expires_at) VALUES (?1, ?3, 'agent', '', '', ?1, 1, 1, 0, ?2)`},
			func(r *store.Reader, by store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
				return each(func(number string) error {
					_, err := r.ReceivingKey(by, number)
					return err
				})
			}},
		"sessions": {[]string{`INSERT INTO session (id, user_id, kind, epoch, created_at, expires_at) VALUES (?1, ?3, 'browser', 0, 0, ?2)`},
			func(r *store.Reader, by store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
				all, err := r.Sessions(by)
				return texts(all, err, func(s store.Session) string { return s.ID })
			}},
		"links to join": {[]string{`INSERT INTO invite (id, token_hash, conversation_id, created_by, uses_left, created_at, expires_at) VALUES (?1, ?1, ?4, ?3, 1, 0, ?2)`},
			func(r *store.Reader, by store.Viewer, c string, _ store.Time, _ int) ([]string, error) {
				all, err := r.Invites(by, c)
				return texts(all, err, func(i store.Invite) string { return i.ID })
			}},
		"sign-in links": {[]string{aLink}, func(r *store.Reader, _ store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
			all, err := r.LiveLinks("x")
			return texts(all, err, func(l store.LoginLink) string { return l.TokenHash })
		}},
		"sign-in links by their token": {[]string{aLink}, func(r *store.Reader, _ store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
			return each(func(number string) error {
				_, err := r.LoginLink(number)
				return err
			})
		}},
		"answers": {[]string{`INSERT INTO idempotency (hash, request, answer, expires_at) VALUES (?1, '', NULL, ?2)`}, func(r *store.Reader, _ store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
			return each(func(number string) error {
				_, _, err := r.Answered(number)
				return err
			})
		}},
		"listed intents": {[]string{anIntent}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, n int) ([]string, error) {
			all, err := r.ListedIntents(by, n)
			return texts(all, err, func(i store.Intent) string { return i.ID })
		}},
		"expiring searches": {[]string{anIntent}, func(r *store.Reader, by store.Viewer, _ string, before store.Time, n int) ([]string, error) {
			all, err := r.Expiring(by, before, n)
			return texts(all, err, func(e store.Expiring) string { return e.IntentID })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			readsRows(t, c, func(now store.Time, read func(before store.Time, limit int) string) {
				if got := read(now+1, 3); got != "2" {
					t.Errorf("rows %q are valid", got)
				}
			})
		})
	}
	// How many there are of those that are counted.
	for name, c := range map[string]rows{
		"active intents": {[]string{anIntent}, func(r *store.Reader, by store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
			n, err := r.ActiveIntents(by)
			return slices.Repeat([]string{"x"}, n), err
		}},
		"live keys": {[]string{`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, expires_at) VALUES (?1, ?3, 'agent', '', '', ?1, 1, 1, 0, ?2)`},
			func(r *store.Reader, by store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
				n, err := r.LiveKeys(by.UserID, "agent")
				return slices.Repeat([]string{"x"}, n), err
			}},
	} {
		readsRows(t, c, func(_ store.Time, read func(before store.Time, limit int) string) {
			if got := read(0, 0); got != "x" {
				t.Errorf("%s: %d, want 1", name, len(got))
			}
		})
	}
}

// What is newer than a moment is read without what is of that very moment, the newest
// first and up to a number of rows.
func TestRowsAfterAMoment(t *testing.T) {
	numbers := func(r *store.Reader, times []store.Time, err error) ([]string, error) {
		return texts(times, err, func(at store.Time) string { return strconv.Itoa(int(at - r.Now() + 1)) })
	}
	for name, c := range map[string]rows{
		"changes of a group": {[]string{`INSERT INTO conversation_change (conversation_id, at, kind, user_id, title) VALUES (?4, ?2, 'joined', ?3, ?1)`},
			func(r *store.Reader, by store.Viewer, c string, after store.Time, n int) ([]string, error) {
				all, err := r.Changes(by, c, after, 0, n)
				return texts(all, err, func(c store.Change) string { return c.Title })
			}},
		"Context posts": {[]string{aPost}, func(r *store.Reader, by store.Viewer, c string, after store.Time, n int) ([]string, error) {
			times, err := r.ContextTimes(by, c, after, n)
			return numbers(r, times, err)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			readsRows(t, c, func(now store.Time, read func(after store.Time, limit int) string) {
				for _, want := range []struct {
					after store.Time
					limit int
					rows  string
				}{{now - 2, 3, "210"}, {now - 1, 3, "21"}, {now, 3, "2"}, {now + 1, 3, ""}, {now - 2, 2, "21"}} {
					if got := read(want.after, want.limit); got != want.rows {
						t.Errorf("after %v, up to %d: rows %q, want %q", want.after, want.limit, got, want.rows)
					}
				}
			})
		})
	}
}

// A key receives requests if it is an agent's, reads and writes.
func TestUsableKeys(t *testing.T) {
	readsRows(t, rows{[]string{`INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at, revoked_at)
		SELECT ?1 || value, ?3, iif(value = 4, 'list', 'agent'), '', '', ?1 || value, value <> 1, value <> 2, 0, iif(value = 3, 1, NULL) FROM json_each('[0, 1, 2, 3, 4]')`},
		func(r *store.Reader, by store.Viewer, _ string, _ store.Time, _ int) ([]string, error) {
			all, err := r.ReceivingKeys(by)
			return texts(all, err, func(k store.ReceivingKey) string {
				if !k.Usable {
					return "-"
				}
				return k.KeyID + " "
			})
		}}, func(_ store.Time, read func(before store.Time, limit int) string) {
		if got := read(0, 0); strings.Count(got, "-") != 6 || strings.Count(got, " ") != 3 || !strings.Contains(got, "00 ") {
			t.Errorf("usable: %q", got)
		}
	})
}

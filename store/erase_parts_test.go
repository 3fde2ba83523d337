package store_test

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// An account that has something in every table is deleted in parts of any size: no row
// names it then, and of the rows that do not name it those that are deleted belonged
// to what was its own.
func TestErasureInParts(t *testing.T) {
	t.Parallel()
	for name, belonging := range map[string][]string{
		"x": {"delivery", "held_item", "intent_audience", "intent_key", "item_comment", "item_receipt", "item_star", "list_member", "login_link",
			"member", "mention", "message_attachment", "reaction", "story_audience", "thought_collapsed"}, // of its list, intent, webhook, message, thought and address; the other member has one message less
		"y": {"context_key", "intent_key", "key_use", "message"}, // of its key and intent; the message has no reaction and mention any more
		"z": nil,
	} {
		for _, limit := range []int{1, 1000} {
			id := storetest.Crowd[name]
			db := storetest.OpenCrowd(t)
			before := rowsOf(t, db)
			eraseAccount(t, db, id, limit)
			after := rowsOf(t, db)
			var gone []string
			for row := range before {
				if !after[row] && !strings.Contains(row, id) {
					gone = append(gone, row)
				}
			}
			for row := range after {
				if strings.Contains(row, id) {
					t.Errorf("%s by %d: a row is left: %s", name, limit, row)
				}
			}
			tables := map[string]bool{}
			for _, row := range gone {
				table, _, _ := strings.Cut(row, ": ")
				tables[table] = true
			}
			if got := slices.Sorted(maps.Keys(tables)); !slices.Equal(got, belonging) {
				t.Errorf("%s by %d: rows of other accounts were changed in %q, want %q\n%s", name, limit, got, belonging, strings.Join(gone, "\n"))
			}
		}
	}
}

// eraseAccount deletes an account as the server does, with up to limit rows a write.
func eraseAccount(t *testing.T, db *storetest.DB, id string, limit int) {
	t.Helper()
	db.Clock.Advance(time.Second)
	write(t, db, func(tx *store.Tx) error { return tx.Freeze(id) })
	for people := []string{""}; len(people) > 0; {
		write(t, db, func(tx *store.Tx) (err error) {
			people, err = tx.EndFriendships(id, limit)
			if len(people) > limit {
				t.Errorf("%d friendships ended at once", len(people))
			}
			return err
		})
	}
	for ended := (store.EndedMatches{Matches: 1}); ended.Matches > 0; {
		write(t, db, func(tx *store.Tx) (err error) {
			ended, err = tx.EndMatches(id, limit)
			if ended.Matches > limit {
				t.Errorf("%d matches ended at once", ended.Matches)
			}
			return err
		})
	}
	write(t, db, func(tx *store.Tx) error {
		a, err := tx.Authored(id)
		if err == nil {
			_, err = tx.Redact(a)
		}
		return err
	})
	scrubAccount(t, db, id, limit)
}

// scrubAccount deletes what is left of an account that is read as deleted.
func scrubAccount(t *testing.T, db *storetest.DB, id string, limit int) {
	t.Helper()
	for more, n := true, 0; more; n++ {
		write(t, db, func(tx *store.Tx) (err error) {
			more, err = tx.Scrub(id, limit)
			return err
		})
		if n > 1000 {
			t.Fatal("the deletion does not end")
		}
	}
	write(t, db, func(tx *store.Tx) error { return tx.RemoveUser(id) })
}

// rowsOf returns the rows of all tables but the server's own and those of the deletion.
func rowsOf(t *testing.T, db *storetest.DB) map[string]bool {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.SetMaxOpenConns(1)
	texts := func(query string) (all []string) {
		rows, err := file.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return all
	}
	found := map[string]bool{}
	for _, table := range texts(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%' AND name NOT IN ('clock', 'erasing', 'erased', 'setting', 'event', 'word_queue')`) {
		columns := texts(`SELECT name FROM pragma_table_info('` + table + `')`)
		for _, row := range texts(`SELECT concat_ws(' ', ` + strings.Join(columns, `, `) + `) FROM ` + table) {
			found[table+": "+row] = true
		}
	}
	return found
}

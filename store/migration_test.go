package store

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
)

// A file of version 1 keeps the order of its items, and the members that lists
// of conversations name are those who sent last.
func TestMigrationTo2(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := fileOfVersion(t, readText(t, "../testdata/schema/v1.sql"), 1)
	id := func(kind byte, n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%c%011d", kind, n) }
	withFile(t, path, func(db *sql.DB) {
		exec := func(query string, args ...any) {
			t.Helper()
			if _, err := db.Exec(query, args...); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 12 {
			exec(`INSERT INTO user (id, email, email_key, name, name_key, is_bot, signup_provider, created_at, updated_at) VALUES (?1, ?1, ?1, 'x', 'x', ?2, 'x', 1, 1)`, id('a', n), n == 11)
		}
		exec(`INSERT INTO conversation (id, type, live_count, last_message_at, created_at, updated_at) VALUES (?, 'group', 2, 30, 1, 1)`, id('c', 0))
		exec(`INSERT INTO conversation (id, type, created_at, updated_at) VALUES (?, 'group', 1, 1)`, id('c', 1))
		for n := range 12 {
			exec(`INSERT INTO member (conversation_id, user_id, role, joined_at, seen_count, last_read_at) VALUES (?, ?, ?, ?, 2, 40)`,
				id('c', 0), id('a', n), []string{"member", "owner"}[n%2], n)
		}
		exec(`INSERT INTO message (conversation_id, created_at, id, sender_id, content) VALUES (?, 20, ?, ?, 'x'), (?1, 30, ?, ?, 'x')`,
			id('c', 0), id('b', 0), id('a', 10), id('b', 1), id('a', 9))
		exec(`INSERT INTO list (id, owner_id, title, visibility, slug, item_count, created_at, updated_at) VALUES (?, ?, 'x', 'public', 'x', 300, 1, 1)`, id('d', 0), id('a', 0))
		for n := range 300 { // in another order than that of their ids
			exec(`INSERT INTO item (id, list_id, position, content, created_at, updated_at) VALUES (?, ?, ?, 'x', 1, 1)`, id('e', n*7%300), id('d', 0), n)
		}
		exec(`UPDATE clock SET at = 100`)
	})
	db, err := Open(ctx, path, Options{Schema: readText(t, "../schema.sql")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if broken, err := db.Check(ctx); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
	err = db.Read(ctx, func(r *Reader) error {
		items, err := r.Items(Viewer{}, id('d', 0), 1000, 0)
		for n, i := range items {
			if i.ID != id('e', n*7%300) {
				t.Fatalf("item %d is %s", n, i.ID)
			}
		}
		if err != nil || len(items) != 300 {
			t.Errorf("%d items, %v", len(items), err)
		}
		c, err := r.Conversation(Viewer{UserID: id('a', 3)}, id('c', 0))
		if c.MemberCount != 12 || c.BotCount != 1 || len(c.Owners) != 6 || c.Owners[0] != id('a', 1) {
			t.Errorf("got %+v", c)
		}
		if len(c.Recent) != 8 || c.Recent[0] != id('a', 9) || c.Recent[1] != id('a', 10) || c.Recent[2] != id('a', 0) {
			t.Errorf("the recent members are %q", c.Recent)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Reports of an older file get the files of messages that are there still.
func TestMigrationOfReportedFiles(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := fileOfVersion(t, readText(t, "../testdata/schema/v18.sql"), 18)
	id := func(kind byte, n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%c%011d", kind, n) }
	withFile(t, path, func(db *sql.DB) {
		exec := func(query string, args ...any) {
			t.Helper()
			if _, err := db.Exec(query, args...); err != nil {
				t.Fatal(err)
			}
		}
		exec(`INSERT INTO user (id, email, email_key, name, name_key, is_admin, storage_used, signup_provider, created_at, updated_at) VALUES (?1, ?1, ?1, 'x', 'x', 1, 4, 'x', 1, 1)`, id('a', 0))
		exec(`INSERT INTO conversation (id, type, live_count, last_message_at, created_at, updated_at) VALUES (?, 'group', 1, 3, 1, 1)`, id('c', 0))
		exec(`INSERT INTO blob (id, hash, size, created_at) VALUES (1, 'x', 2, 1)`)
		exec(`INSERT INTO blob_part (id, data) VALUES (1 << 16, CAST('ab' AS BLOB))`)
		for n, attachments := range []string{`[{"id":"f0"},{"id":"f1"}]`, ""} {
			exec(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, attachments, deleted_at) VALUES (?, ?, ?, ?, '', nullif(?, ''), ?)`,
				id('c', 0), 2+n, id('b', n), id('a', 0), attachments, map[bool]any{true: 4}[attachments == ""])
			exec(`INSERT INTO report (id, target_type, target_id, user_id, reason, created_at) VALUES (?, 'message', ?, ?, 'x', 5)`, id('e', n), id('b', n), id('a', 0))
		}
		for _, f := range []string{"f0", "f1"} {
			exec(`INSERT INTO attachment (id, user_id, blob_id, name, mime_type, size, uses, created_at) VALUES (?1, ?2, 1, ?1, 'text/plain', 2, 1, 1)`, f, id('a', 0))
			exec(`INSERT INTO message_attachment (attachment_id, conversation_id, message_at) VALUES (?, ?, 2)`, f, id('c', 0))
		}
		exec(`UPDATE clock SET at = 100`)
	})
	db, err := Open(ctx, path, Options{Schema: readText(t, "../schema.sql")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(ctx, func(r *Reader) error {
		for n, want := range []string{"f0f1", ""} {
			files, err := r.ReportFiles(Viewer{Kind: Human, UserID: id('a', 0)}, id('e', n))
			got := ""
			for _, f := range files {
				got += f.Name
			}
			if got != want || err != nil {
				t.Errorf("report %d has %q, %v; want %q", n, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Of a list in an older file, strangers are sent what happened since the list itself
// changed last: it may have been private before.
func TestMigrationOfShownLists(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := fileOfVersion(t, readText(t, "../testdata/schema/v11.sql"), 11)
	id := func(kind byte, n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%c%011d", kind, n) }
	withFile(t, path, func(db *sql.DB) {
		for _, query := range []string{
			`INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('` + id('a', 0) + `', 'x', 'x', 'x', 'x', 'x', 1, 1)`,
			`INSERT INTO list (id, owner_id, title, visibility, slug, created_at, updated_at) VALUES ('` + id('d', 0) + `', '` + id('a', 0) + `', 'x', 'public', 'x', 1, 1)`,
			`INSERT INTO list (id, owner_id, title, visibility, slug, created_at, updated_at) VALUES ('` + id('d', 1) + `', '` + id('a', 0) + `', 'x', 'public', 'x', 1, 1)`,
			`INSERT INTO event (topic, kind, object_id, at) VALUES ('` + id('d', 0) + `', 'item.created', 'a', 10), ('` + id('d', 1) + `', 'item.created', 'b', 11),
				('` + id('d', 0) + `', 'list.updated', 'c', 12), ('` + id('d', 0) + `', 'item.created', 'd', 13)`,
			`UPDATE clock SET at = 100`,
		} {
			if _, err := db.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
	})
	db, err := Open(ctx, path, Options{Schema: readText(t, "../schema.sql")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(ctx, func(r *Reader) error {
		for n, want := range []string{"cd", "b"} {
			events, err := r.ListEvents(Viewer{}, id('d', n), 0, 100, 100)
			got := ""
			for _, e := range events {
				got += e.ObjectID
			}
			if err != nil || got != want {
				t.Errorf("of list %d strangers are sent %q, want %q: %v", n, got, want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The ids of an older file that rows have are not given out again.
func TestMigrationOfSequences(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := fileOfVersion(t, readText(t, "../testdata/schema/v19.sql"), 19)
	withFile(t, path, func(db *sql.DB) {
		if _, err := db.Exec(`INSERT INTO blob (id, size, created_at) VALUES (7, 1, 1)`); err != nil {
			t.Fatal(err)
		}
	})
	db, err := Open(ctx, path, Options{Schema: readText(t, "../schema.sql")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec(`DELETE FROM blob`); err != nil {
			return err
		}
		if id, err := tx.InsertBlob(1); id != 8 || err != nil {
			t.Errorf("the next id is %d, %v", id, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// What refers to items of an older file is kept while their table is replaced, and
// deleted with them afterwards.
func TestMigrationOfItems(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := fileOfVersion(t, readText(t, "../testdata/schema/v20.sql"), 20)
	id := func(kind byte, n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%c%011d", kind, n) }
	withFile(t, path, func(db *sql.DB) {
		exec := func(query string, args ...any) {
			t.Helper()
			if _, err := db.Exec(query, args...); err != nil {
				t.Fatal(err)
			}
		}
		exec(`INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES (?1, 'x', 'x', 'x', 'x', 'x', 1, 1)`, id('a', 0))
		exec(`INSERT INTO list (id, owner_id, title, visibility, slug, item_count, created_at, updated_at) VALUES (?, ?, 'x', 'public', 'x', 3, 1, 1)`, id('b', 0), id('a', 0))
		for n, rank := range []int{3, 1, 2} {
			exec(`INSERT INTO item (id, list_id, rank, content, author_id, star_count, comment_count, created_at, updated_at) VALUES (?1, ?2, ?3, ?3, ?4, 1, 1, 1, 1)`, id('c', n), id('b', 0), rank, id('a', 0))
			exec(`INSERT INTO item_star (item_id, user_id, created_at) VALUES (?, ?, 1)`, id('c', n), id('a', 0))
			exec(`INSERT INTO item_comment (id, item_id, path, author_id, content, created_at) VALUES (?, ?, 'x', ?, 'x', 1)`, id('d', n), id('c', n), id('a', 0))
			exec(`INSERT INTO list_document (list_id, item_id, public) VALUES (?, ?, 1)`, id('b', 0), id('c', n))
			exec(`INSERT INTO held_item (id, list_id, content, source_note, created_at, updated_at) VALUES (?1, ?2, ?1, '', 1, 1)`, id('e', n), id('b', 0))
		}
		exec(`INSERT INTO intent_draft (id, owner_id, goal, seeks, brings, matching_mode, collaborators, state, created_at, updated_at) VALUES (?, ?, 'x', '[]', '[]', 'fulfillment', 0, 'pending', 1, 1)`, id('f', 0), id('a', 0))
		exec(`UPDATE clock SET at = 100`)
	})
	db, err := Open(ctx, path, Options{Schema: readText(t, "../schema.sql")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	by := Viewer{Kind: Human, UserID: id('a', 0)}
	counts := func(r *Reader, want string) {
		t.Helper()
		var got string
		if err := r.value([]any{&got}, `SELECT format('%d %d %d', (SELECT count(*) FROM item_star), (SELECT count(*) FROM item_comment), (SELECT count(*) FROM list_document)) /* server: a test */ /* scan: a test */`); err != nil || got != want {
			t.Errorf("stars, comments and documents: %s, %v; want %s", got, err, want)
		}
	}
	err = db.Write(ctx, func(tx *Tx) error {
		items, err := tx.Items(by, id('b', 0), 10, 0)
		if err != nil {
			return err
		}
		got := ""
		for _, i := range items {
			got += i.Content
		}
		held, total, err := tx.HeldItems(by, id('b', 0), 10)
		if err != nil {
			return err
		}
		drafts, err := tx.Drafts(by, "pending", 0, 10)
		if got != "123" || len(held) != 3 || total != 3 || held[2].ID != id('e', 2) || len(drafts) != 1 {
			t.Errorf("items %s, held %+v, drafts %+v", got, held, drafts)
		}
		counts(&tx.Reader, "3 3 3")
		if err == nil {
			_, err = tx.exec(`DELETE FROM item WHERE id = ?`, id('c', 1))
		}
		counts(&tx.Reader, "2 2 2")
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

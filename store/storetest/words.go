package storetest

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hearth/store"
)

// checkFile fails the test unless in the closed file at path the index of words of
// messages has exactly the tokens of those that are not deleted, that of lists the
// tokens of lists and their items, and the crowd is as it was.
func checkFile(t testing.TB, path string, c crowd) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		return // a test may remove the file
	}
	db, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c.check(t, db)
	checkRecent(t, db)
	want, err := wantWords(db)
	if err == nil { // what the index loses later
		want, err = appendWords(want, db, `SELECT id, words FROM message_stale`)
	}
	if err != nil {
		t.Errorf("words of messages: %v", err)
		return
	}
	if _, err := db.Exec(`CREATE VIRTUAL TABLE temp.entry USING fts5vocab('main', 'message_word', 'instance')`); err != nil {
		t.Errorf("words of messages: %v", err)
		return
	}
	got, err := pairs(db, `SELECT doc, term FROM entry`)
	if err == nil {
		got, err = appendWords(got, db, `SELECT id, words FROM message_unindexed`)
	}
	if err != nil {
		t.Errorf("index of words: %v", err)
	}
	compareWords(t, "messages", want, got)
	if want, err = wantListWords(db); err != nil {
		t.Errorf("words of lists: %v", err)
	}
	if _, err := db.Exec(`CREATE VIRTUAL TABLE temp.list_entry USING fts5vocab('main', 'list_word', 'instance')`); err != nil {
		t.Errorf("words of lists: %v", err)
		return
	}
	if got, err = pairs(db, `SELECT doc, term FROM list_entry`); err != nil {
		t.Errorf("words of lists: %v", err)
	}
	compareWords(t, "lists", want, got)
	if ids, err := missingDocuments(db); err != nil || len(ids) > 0 {
		t.Errorf("lists and items with no document, or one of another visibility: %v %v", ids, err)
	}
}

func compareWords(t testing.TB, of string, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		extra := slices.DeleteFunc(slices.Clone(got), func(s string) bool { _, ok := slices.BinarySearch(want, s); return ok })
		missing := slices.DeleteFunc(slices.Clone(want), func(s string) bool { _, ok := slices.BinarySearch(got, s); return ok })
		t.Errorf("the index of words of %s has %d entries and should have %d; too many: %.300q; missing: %.300q", of, len(got), len(want), extra, missing)
	}
}

// wantWords returns the entries that the index should have.
func wantWords(db *sql.DB) (want []string, err error) {
	rows, err := db.Query(`SELECT conversation_id, created_at, sender_id, content, coalesce(attachments, ''), coalesce(transcript, '')
		FROM message WHERE deleted_at IS NULL AND message_type = 'text'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m store.Message
		var at int64
		if err := rows.Scan(&m.ConversationID, &at, &m.SenderID, &m.Content, &m.Attachments, &m.Transcript); err != nil {
			return nil, err
		}
		m.CreatedAt = store.Time(at)
		id, tokens := store.Document(&m)
		for _, token := range tokens {
			want = append(want, fmt.Sprint(id, " ", token))
		}
	}
	return want, rows.Err()
}

// appendWords appends the entries of documents of which rows have the words.
func appendWords(entries []string, db *sql.DB, query string) ([]string, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var words string
		if err := rows.Scan(&id, &words); err != nil {
			return nil, err
		}
		for token := range strings.FieldsSeq(words) {
			entries = append(entries, fmt.Sprint(id, " ", token))
		}
	}
	return entries, rows.Err()
}

func pairs(db *sql.DB, query string) (all []string, err error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var token string
		if err := rows.Scan(&id, &token); err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprint(id, " ", token))
	}
	return all, rows.Err()
}

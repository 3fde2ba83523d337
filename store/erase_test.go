package store_test

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// column returns the texts of a query of the file, in order.
func column(t *testing.T, db *storetest.DB, query string, args ...any) (all []string) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := file.Query(query, args...)
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
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return all
}

// erased deletes an account, and checks the rules of the database and that only the
// ledger and the log of events have its id.
func erased(t *testing.T, db *storetest.DB, id string) (out store.Erasure) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		out, err = tx.EraseUser(id)
		return err
	})
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("%q, %v", broken, err)
	}
	for _, row := range rowsWith(t, db, id) {
		t.Errorf("the id is left in %s", row)
	}
	return out
}

// rowsOf returns the rows of all tables but the server's own, the ledger and the log.
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
	for _, table := range texts(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'
		AND name NOT IN ('clock', 'erased', 'setting', 'event', 'word_queue')`) {
		columns := texts(`SELECT name FROM pragma_table_info('` + table + `')`)
		for _, row := range texts(`SELECT concat_ws(' ', ` + strings.Join(columns, `, `) + `) FROM ` + table) {
			found[table+": "+row] = true
		}
	}
	return found
}

// say sends a message and returns it as it is stored.
func say(t *testing.T, db *storetest.DB, m store.Message) store.Message {
	t.Helper()
	sent := m
	write(t, db, func(tx *store.Tx) error {
		sent = m
		return tx.Send(&sent, nil)
	})
	return sent
}

// group makes a group.
func group(t *testing.T, db *storetest.DB, people ...store.User) (id string) {
	t.Helper()
	var others []string
	for _, u := range people[1:] {
		others = append(others, u.ID)
	}
	write(t, db, func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(people[0].ID, others, "G")
		return err
	})
	return id
}

// readUpTo makes a group in which Ada sends the second and the fourth of five messages,
// and Ben has read up to step n: before the first, at it, a moment later, at the next.
func readUpTo(t *testing.T, db *storetest.DB, p storetest.Cast, n int) (id string) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		id, err = tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID, p.Cleo.ID}, "G")
		return err
	})
	var sent []store.Time
	for n := range 5 {
		m := store.Message{ConversationID: id, SenderID: []string{p.Cleo.ID, p.Ada.ID}[n%2], Content: "x"}
		db.Clock.Advance(time.Second)
		write(t, db, func(tx *store.Tx) error { return tx.Send(&m, nil) })
		sent = append(sent, m.CreatedAt)
	}
	write(t, db, func(tx *store.Tx) error {
		upTo := sent[0] - 1
		if n > 0 {
			upTo = sent[(n-1)/2] + store.Time((n-1)%2)
		}
		_, err := tx.MarkRead(storetest.Human(p.Ben), id, upTo)
		return err
	})
	return id
}

// When an account is deleted, its messages leave the counts of everybody,
// however far each has read. What it owned is gone, and each conversation is named
// whose messages changed.
func TestRedactionCountsAgain(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ben := storetest.Human(p.Ben)
	var groups, lists []string
	for n := range 11 {
		groups = append(groups, readUpTo(t, db, p, n))
	}
	for _, visibility := range []string{"public", "public-edit", "unlisted", "private"} {
		lists = append(lists, store.NewID())
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.InsertList(store.List{ID: lists[len(lists)-1], OwnerID: p.Ada.ID, Title: "L", Visibility: visibility, Slug: visibility})
			return err
		})
	}
	out := erased(t, db, p.Ada.ID)
	for what, lists := range map[string][2][]string{"messages": {out.Messages, groups}, "groups": {out.Left, groups},
		"lists": {out.Lists, lists}} {
		if got, want := slices.Sorted(slices.Values(lists[0])), slices.Sorted(slices.Values(lists[1])); !slices.Equal(got, want) {
			t.Errorf("%s changed: %q, want %q", what, got, want)
		}
	}
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for _, id := range lists {
			if _, err := r.List(ben, id); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("a list of the account: %v", err)
			}
		}
		for n, id := range groups {
			if st, err := r.ReadState(ben, id); err != nil || st.Unread != []int{3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0}[n] {
				t.Errorf("group %d: %d unread, %v", n, st.Unread, err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// When an account is deleted, every conversation is named once that has messages
// or reactions of it, or that mentions it, in order.
func TestConversationsOfARedaction(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var want []string
	for kind := range 5 {
		id := group(t, db, p.Ben, p.Ada, p.Cleo)
		m := say(t, db, store.Message{ConversationID: id, SenderID: p.Ben.ID, Content: "x"})
		for range 2 {
			if kind == 1 || kind == 3 {
				say(t, db, store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "x"})
			}
		}
		if kind == 1 || kind == 2 {
			write(t, db, func(tx *store.Tx) error {
				m := m // the write is tried twice
				_, err := tx.React(&m, store.Reaction{UserID: p.Ada.ID, Emoji: "👍"})
				return err
			})
		}
		if kind == 1 || kind == 4 {
			say(t, db, store.Message{ConversationID: id, SenderID: p.Ben.ID, Content: "@" + p.Ada.Name})
		}
		if kind > 0 {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	if out := erased(t, db, p.Ada.ID); !slices.Equal(out.Messages, want) || out.UserID != p.Ada.ID {
		t.Errorf("of %q: %q, want %q", out.UserID, out.Messages, want)
	}
}

// A group whose only owner is deleted has a new owner: the person who joined first, or a
// bot if there is no person. Where there is another owner, and in direct conversations,
// nobody becomes an owner.
func TestOwnersAfterADeletion(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var bot store.User
	write(t, db, func(tx *store.Tx) (err error) {
		bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, SignupProvider: "bot"})
		return err
	})
	people := []store.User{bot, p.Ben, p.Cleo}
	var groups []string // and a direct conversation
	for _, members := range [][]store.User{{p.Ada, bot}, {p.Ada, bot, p.Ben}, {p.Ada, p.Ben, p.Cleo}, {p.Ben, p.Ada, p.Cleo},
		{p.Cleo, p.Ben, p.Ada}} {
		groups = append(groups, group(t, db, members[0]))
		for _, u := range members[1:] {
			write(t, db, func(tx *store.Tx) error { return tx.AddMember(groups[len(groups)-1], u.ID, "member") })
		}
	}
	write(t, db, func(tx *store.Tx) error {
		// Of the last, Cléo was the owner once.
		_, err := tx.ExecForTest(`UPDATE member SET role = iif(user_id = ?2, 'member', 'owner') WHERE conversation_id = ?1`, groups[4], p.Cleo.ID)
		_, err2 := tx.ExecForTest(`UPDATE conversation SET owners = ?2 WHERE id = ?1`, groups[4], p.Ben.ID+p.Ada.ID)
		id, _, err3 := tx.InsertDirect(p.Ada.ID, p.Cleo.ID, "")
		groups = append(groups[:5], id)
		return errors.Join(err, err2, err3)
	})
	erased(t, db, p.Ada.ID)
	for n, want := range []string{"Bot", "Ben", "Ben", "Ben", "Ben", ""} {
		got := ""
		for _, u := range people {
			if len(column(t, db, `SELECT 1 FROM member WHERE conversation_id = ? AND user_id = ? AND role = 'owner'`, groups[n], u.ID)) > 0 {
				got += u.Name
			}
		}
		if got != want {
			t.Errorf("conversation %d belongs to %q, want %q", n, got, want)
		}
	}
}

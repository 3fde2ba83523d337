package store_test

import (
	"errors"
	"fmt"
	"testing"

	"hearth/store"
)

// Administrators see accounts of people and bots, and no account of the server's own, in
// pages; those that use storage by how much they use; and how many reports and pieces of
// feedback are open. Others see and count none.
func TestAccountsForAdministrators(t *testing.T) {
	t.Parallel()
	report := func(id, decided string) string {
		return fmt.Sprintf(`INSERT INTO report (id, target_type, target_id, reason, created_at, decided_at)
			VALUES ('%s', 'user', 'ben', 'spam', 0, %s)`, id, decided)
	}
	withRows(t, "ada ben bot cleo root system", []string{
		`UPDATE user SET is_admin = 1 WHERE id = 'root'`, `UPDATE user SET is_system = 1 WHERE id = 'system'`,
		`UPDATE user SET is_bot = 1 WHERE id = 'bot'`,
		`UPDATE user SET suspended_at = 1 WHERE id IN ('cleo', 'system')`, `UPDATE user SET name_key = 'zed' WHERE id = 'root'`,
		`UPDATE user SET storage_used = iif(id = 'ada', 3, iif(id = 'cleo', 9, 5)) WHERE id IN ('ada', 'ben', 'bot', 'cleo')`,
		report("r1", "NULL"), report("r2", "1"), report("r3", "NULL"), report("r4", "1"), report("r5", "1"),
		`INSERT INTO feedback VALUES ('f1', 'ben', 'x', NULL, 0, NULL), ('f2', 'ben', 'x', NULL, 0, 1), ('f3', 'ben', 'x', NULL, 0, 1)`,
	}, func(tx *store.Tx) error {
		root := human("root")
		root.Admin = true
		id := func(a store.Account) string { return a.ID }
		for _, c := range []struct {
			q, after string
			limit    int
			want     string
		}{{"", "", 9, "ada ben bot cleo root"}, {"", "", 2, "ada ben"}, {"", "ben", 2, "bot cleo"}, {"", "cleo", 9, "root"},
			{"B", "", 9, "ben bot"}, {"system", "", 9, ""}, {"ROO", "", 9, "root"}, {"ZED", "", 9, "root"}} {
			as, err := tx.Accounts(root, c.q, c.after, c.limit)
			if got := inOrder(as, err, id); got != c.want {
				t.Errorf("%+v: %q", c, got)
			}
		}
		for limit, want := range map[int]string{9: "cleo ben bot ada", 2: "cleo ben", 3: "cleo ben bot"} {
			as, err := tx.LargestAccounts(root, limit)
			if got := inOrder(as, err, id); got != want {
				t.Errorf("the largest %d: %q", limit, got)
			}
		}
		for account, want := range map[string]error{"ada": nil, "cleo": nil, "system": store.ErrNoRow, "none": store.ErrNoRow} {
			if _, err := tx.Account(root, account); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", account, err, want)
			}
		}
		if counts, err := tx.AccountCounts(root); err != nil || counts != (store.AccountCounts{People: 4, Bots: 1, Admins: 1, Suspended: 1}) {
			t.Errorf("%+v, %v", counts, err)
		}
		if reports, feedback, err := tx.OpenCounts(root); reports != 2 || feedback != 1 || err != nil {
			t.Errorf("%d reports and %d pieces of feedback are open, %v", reports, feedback, err)
		}
		for _, by := range []store.Viewer{human("ada"), {}, {Kind: store.Agent, UserID: "root"}} {
			if counts, err := tx.AccountCounts(by); !errors.Is(err, store.ErrNoRow) || counts != (store.AccountCounts{}) {
				t.Errorf("%v %s counts accounts: %+v, %v", by.Kind, by.UserID, counts, err)
			}
			if reports, feedback, err := tx.OpenCounts(by); !errors.Is(err, store.ErrNoRow) || reports+feedback != 0 {
				t.Errorf("%v %s counts what is open: %d, %d, %v", by.Kind, by.UserID, reports, feedback, err)
			}
		}
		return nil
	})
}

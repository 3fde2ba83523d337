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
		return fmt.Sprintf(`INSERT INTO report (id, target_type, target_id, reason, created_at, decided_at) VALUES ('%s', 'user', 'ben', 'spam', 0, %s)`, id, decided)
	}
	withRows(t, "ada ben bot cleo root system", []string{
		`UPDATE user SET is_admin = 1 WHERE id = 'root'`, `UPDATE user SET is_system = 1 WHERE id = 'system'`, `UPDATE user SET is_bot = 1 WHERE id = 'bot'`,
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
		}{{"", "", 9, "ada ben bot cleo root"}, {"", "", 2, "ada ben"}, {"", "ben", 2, "bot cleo"}, {"", "cleo", 9, "root"}, {"B", "", 9, "ben bot"}, {"system", "", 9, ""}, {"ROO", "", 9, "root"}, {"ZED", "", 9, "root"}} {
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

// The acts of administrators are shown from before a moment, the newest first.
func TestAuditInPages(t *testing.T) {
	withRows(t, "root", []string{`UPDATE user SET is_admin = 1`, `INSERT INTO audit (at, action) VALUES (10, 'a'), (12, 'c'), (11, 'b')`}, func(tx *store.Tx) error {
		root := human("root")
		for limit, want := range map[int]string{1: "c", 2: "c b", 9: "c b a"} {
			es, err := tx.AuditEntries(root, 0, limit)
			if got := inOrder(es, err, func(e store.AuditEntry) string { return e.Action }); got != want {
				t.Errorf("%d entries: %q", limit, got)
			}
			es, err = tx.AuditEntries(root, 12, limit)
			if got := inOrder(es, err, func(e store.AuditEntry) string { return e.Action }); got != "b a"[:min(2*limit-1, 3)] {
				t.Errorf("%d entries before the last: %q", limit, got)
			}
		}
		return nil
	})
}

// An invitation is used while uses are left and the account that made it may invite: an
// administrator who is not suspended, or anybody else who is not while all may. It is
// shown until it expires. A use takes one from that invitation alone.
func TestUsesOfCommunityInvites(t *testing.T) {
	t.Parallel()
	invite := func(id, by string, uses int) string {
		return fmt.Sprintf(`INSERT INTO community_invite VALUES ('%s', '%[1]s', '%s', %d, 0, 1 << 60)`, id, by, uses)
	}
	for _, everybody := range []bool{false, true} {
		withRows(t, "root former ada gone", []string{
			`UPDATE user SET is_admin = id IN ('root', 'former')`, `UPDATE user SET suspended_at = 1 WHERE id IN ('former', 'gone')`,
			invite("by root", "root", 2), invite("by former", "former", 2), invite("by ada", "ada", 2), invite("by gone", "gone", 2), invite("used", "root", 0), invite("once", "root", 1), invite("ended", "root", 2),
			`INSERT INTO setting VALUES ('another', '1')`,
		}, func(tx *store.Tx) error {
			if _, err := tx.ExecForTest(`UPDATE community_invite SET expires_at = ? WHERE id = 'ended'`, int64(tx.Reader.Now())); err != nil {
				return err
			}
			if everybody {
				if err := execAll(tx, `INSERT INTO setting VALUES ('`+store.SettingMemberInvites+`', '1')`); err != nil {
					return err
				}
			}
			want := map[string]bool{"by root": true, "by former": false, "by ada": everybody, "by gone": false, "used": false, "once": true, "none": false, "ended": false}
			for id, valid := range want {
				if _, err := tx.CommunityInvite(id); (err == nil) != valid || missing(err) != nil {
					t.Errorf("everybody %v: %s is shown, want %v: %v", everybody, id, valid, err)
				}
			}
			want["ended"] = true // it was valid when the mail was requested
			for id, valid := range want {
				if err := tx.UseCommunityInvite(id); (err == nil) != valid || missing(err) != nil {
					t.Errorf("everybody %v: %s is used, want %v: %v", everybody, id, valid, err)
				}
			}
			left, err := tx.CommunityInvites(human("root"))
			uses := map[string]int64{}
			for _, i := range left {
				uses[i.ID] = i.UsesLeft
			}
			wantUses := map[string]int64{"by root": 1, "by former": 2, "by ada": 2, "by gone": 2}
			if everybody {
				wantUses["by ada"] = 1
			}
			if fmt.Sprint(uses) != fmt.Sprint(wantUses) || err != nil {
				t.Errorf("everybody %v: uses left %v, want %v, %v", everybody, uses, wantUses, err)
			}
			if err := tx.UseCommunityInvite("once"); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("a second use of one: %v", err)
			}
			return nil
		})
	}
}

// Up to a number of blocks are shown, the newest first, and of requests that a key can
// answer the oldest.
func TestFirstBlocksAndRequests(t *testing.T) {
	t.Parallel()
	withRows(t, "ada ben cleo dora emil fay gus", []string{
		`INSERT INTO block VALUES ('ada', 'cleo', 11), ('ada', 'dora', 13), ('ada', 'emil', 12), ('zoe', 'ada', 14)`,
		members, anAgent("k1", "ada", 1), anAgent("k2", "gus", 1), receiving,
		aPostOf(10, "p1", "ben", "x", ""), aPostOf(11, "p2", "ben", "x", ""), aPostOf(12, "p3", "ben", "x", ""),
		aRequest("q1", "p1", 1, "ada", "k1", "pending", 22), aRequest("q2", "p2", 1, "ada", "k1", "pending", 20), aRequest("q3", "p3", 1, "ada", "k1", "pending", 21), aRequest("q4", "p3", 1, "gus", "k2", "pending", 19),
	}, func(tx *store.Tx) error {
		for limit, want := range map[int][2]string{1: {"dora", "q2"}, 2: {"dora emil", "q2 q3"}, 9: {"dora emil cleo", "q2 q3 q1"}} {
			bs, err := tx.Blocks(human("ada"), limit)
			if got := inOrder(bs, err, func(b store.Block) string { return b.UserID }); got != want[0] {
				t.Errorf("%d blocks: %q", limit, got)
			}
			qs, err := tx.ContextInbox(store.Viewer{KeyID: "k1"}, limit)
			if got := inOrder(qs, err, func(q store.ContextRequest) string { return q.ID }); got != want[1] {
				t.Errorf("%d requests: %q", limit, got)
			}
		}
		return nil
	})
}

// An administrator is shown 500 of the invitations that can be used at most, the oldest
// first.
func TestInvitationsThatAreShown(t *testing.T) {
	t.Parallel()
	withRows(t, "root", []string{
		`UPDATE user SET is_admin = 1`,
		`WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 501) INSERT INTO community_invite SELECT i, i, 'root', 1, 1000 - i, 1 << 60 FROM n`,
	}, func(tx *store.Tx) error {
		all, err := tx.CommunityInvites(human("root"))
		if len(all) != 500 || err != nil {
			t.Fatalf("%d invitations, %v", len(all), err)
		}
		if all[0].ID != "501" || all[499].ID != "2" {
			t.Errorf("from %s to %s", all[0].ID, all[499].ID)
		}
		return nil
	})
}

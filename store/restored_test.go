package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// After a restore the next events have greater numbers than any that can have been given out since
// the greatest of the backup, and later times than the backup. They are others after each restore
// of it.
func TestEventsOfRestored(t *testing.T) {
	db, backup := madeBackup(t)
	os.Remove(store.ManifestPath(backup))
	alter(t, backup, `INSERT INTO event (id, topic, kind, object_id, at)
		VALUES (7, 't', 'k', 'o', 20), (1 << 40, 't', 'k', 'o', 30); UPDATE clock SET at = max(at, 30)`)
	var before int64
	for range 2 {
		if _, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil); err != nil {
			t.Fatal(err)
		}
		id, at := restoredEvent(t, db)
		if id < 1<<40+1<<32 || id >= 1<<40+1<<33 || at != 30 || id == before {
			t.Errorf("the event %d of the moment %d; the restore before had %d", id, at, before)
		}
		before = id
	}
}

func restoredEvent(t *testing.T, path string) (id, at int64) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.QueryRow(`SELECT id, at FROM event WHERE kind = 'restored'`).Scan(&id, &at); err != nil {
		t.Fatal(err)
	}
	return id, at
}

// The accounts that were deleted from a database that is replaced by a backup are in the
// text file beside it, however its path is given. If they cannot be read the restore is
// refused, and says why.
func TestLedgerOfReplaced(t *testing.T) {
	t.Parallel()
	db, backup := madeBackup(t)
	ids := []string{store.NewID(), store.NewID()}
	slices.Sort(ids)
	alter(t, db, fmt.Sprintf(`INSERT INTO erased VALUES ('%s', 1000000), ('%s', 1000000)`, ids[0], ids[1]))
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(db, link); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{link, db} {
		if _, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, to, storetest.Epoch, nil); err != nil {
			t.Fatal(err)
		}
		ledger, err := store.ReadLedger(db)
		got, err := texts(ledger, err, func(e store.Erased) string { return e.UserID })
		if slices.Sort(got); !slices.Equal(got, ids) || err != nil {
			t.Errorf("through %s: %q, want %q, %v", filepath.Base(to), got, ids, err)
		}
	}
	os.Remove(store.LedgerPath(db))
	if err := os.Mkdir(store.LedgerPath(db), 0o700); err != nil {
		t.Fatal(err)
	}
	before := read(t, db)
	_, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil)
	if err == nil || !strings.Contains(err.Error(), "cannot read which accounts were deleted") || string(read(t, db)) != string(before) {
		t.Errorf("the ledger cannot be read: %v", err)
	}
}

// The events of a write are given to the functions of OnCommit once it is done, and none
// of a write that failed.
func TestEventsArePublished(t *testing.T) {
	db := storetest.Open(t)
	told := make(chan string, 9)
	db.OnCommit(func(events []store.Event) {
		for _, e := range events {
			told <- e.ObjectID
		}
	})
	undo := errors.New("undo")
	for i, want := range []error{nil, undo, nil} {
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.Emit(store.Event{Topic: "t", Kind: "k", ObjectID: fmt.Sprint(i)}); err != nil {
				return err
			}
			return want
		}); !errors.Is(err, want) {
			t.Error(err)
		}
	}
	for _, want := range []string{"0", "2"} {
		select {
		case got := <-told:
			if got != want {
				t.Errorf("told of the event %s, want %s", got, want)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("not told of the event %s for 5 seconds", want)
		}
	}
}

// What has ended since a backup was made stays ended when it is restored: sessions, keys,
// scopes, passwords and sign-in links, and accounts that were suspended stay so. Accounts that the replaced
// database does not have are as in the backup.
func TestRestoredCredentials(t *testing.T) {
	dir := t.TempDir()
	path, backup, fresh := filepath.Join(dir, "h.db"), filepath.Join(dir, "backup.db"), filepath.Join(dir, "fresh.db")
	db := openAt(t, path)
	at := map[string]string{}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, name := range []string{"ada", "ben", "gone"} {
			u, err := tx.InsertUser(store.User{Email: name + "@example.org", Name: name, SignupProvider: "test", PasswordHash: "of " + name})
			if err != nil {
				return err
			}
			at[name] = u.ID
			for _, which := range []string{"kept", "ended"} {
				s, err := tx.InsertSession(store.Session{UserID: u.ID, Kind: "token", ExpiresAt: tx.Now.Add(time.Hour)})
				if err != nil {
					return err
				}
				k, err := tx.InsertKey(store.Key{UserID: u.ID, Kind: "agent", Name: which, Prefix: "oc_", Hash: name + which, CanRead: true,
					CanWrite: true})
				if err != nil {
					return err
				}
				at[name+" session "+which], at[name+" key "+which] = s.ID, k.ID
			}
		}
		return tx.InsertLink(store.LoginLink{TokenHash: "h", Email: "ada@example.org", CodeHash: "c", ExpiresAt: tx.Now.Add(time.Hour)})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if err := backUp(t, path, backup); err != nil {
		t.Fatal(err)
	}
	alter(t, path, `UPDATE user SET password_hash = '', verified_at = 7 WHERE id = '`+at["ada"]+`';
		UPDATE api_key SET can_write = 0, expires_at = 9 WHERE id = '`+at["ada key kept"]+`';
		UPDATE user SET suspended_at = 5 WHERE id = '`+at["ben"]+`'; DELETE FROM user WHERE id = '`+at["gone"]+`';
		DELETE FROM session WHERE id = '`+at["ada session ended"]+`';
		UPDATE api_key SET revoked_at = 5 WHERE id = '`+at["ada key ended"]+`'; DELETE FROM api_key WHERE id = '`+at["ben key ended"]+`'`)
	for _, tc := range []struct{ to, want string }{
		{path, "ada: 1 sessions, 1 keys, suspended 0, verified 0, password , read 2, write 1, expire 1; ben: 2 sessions, 1 keys, suspended 1, " +
			"verified 0, password of ben, read 2, write 2, expire 0; " +
			"gone: 2 sessions, 2 keys, suspended 0, verified 0, password of gone, read 2, write 2, expire 0; 0 links"},
		{fresh, "ada: 2 sessions, 2 keys, suspended 0, verified 0, password of ada, read 2, write 2, expire 0; ben: 2 sessions, 2 keys, " +
			"suspended 0, verified 0, password of ben, read 2, write 2, expire 0; " +
			"gone: 2 sessions, 2 keys, suspended 0, verified 0, password of gone, read 2, write 2, expire 0; 1 links"},
	} {
		if _, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, tc.to, storetest.Epoch, nil); err != nil {
			t.Fatal(err)
		}
		file, err := sql.Open("sqlite", "file:"+tc.to)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		err = file.QueryRow(`SELECT (SELECT group_concat(t, '; ') FROM (
				SELECT name || ': ' || (SELECT count(*) FROM session s WHERE s.user_id = u.id) || ' sessions, ' ||
					(SELECT count(*) FROM api_key k WHERE k.user_id = u.id AND k.revoked_at IS NULL) || ' keys, suspended ' ||
					(suspended_at IS NOT NULL) || ', verified ' || (verified_at IS NOT NULL) || ', password ' || password_hash ||
					(SELECT ', read ' || sum(can_read) || ', write ' || sum(can_write) || ', expire ' || count(expires_at)
					FROM api_key k WHERE k.user_id = u.id) AS t
				FROM user u WHERE is_system = 0 ORDER BY name
			)) || '; ' || (SELECT count(*) FROM login_link) || ' links'`).Scan(&got)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		if got != tc.want {
			t.Errorf("restored to %s: %s\nwant %s", filepath.Base(tc.to), got, tc.want)
		}
	}
}

// What lets somebody act or come in by the leave of an account, and has ended since a
// backup was made, stays ended when it is restored; the rest, and what belongs to
// accounts that the replaced database does not have, is as in the backup.
func TestRestoredRights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "h.db"), filepath.Join(dir, "backup.db")
	db := openAt(t, path)
	ids := map[string]string{}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, name := range []string{"ada", "ben", "gone"} {
			u, err := tx.InsertUser(store.User{Email: name + "@example.org", Name: name, SignupProvider: "test", IsAdmin: true})
			if err != nil {
				return err
			}
			ids[name] = u.ID
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	rows := `INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('c', 'group', 1, 1);
		INSERT INTO approval_grant SELECT CAST(name AS BLOB), id, '', '', 'publish_story', '', '{}', 1, 1 << 60 FROM user WHERE is_system = 0;`
	for _, which := range []string{"kept", "ended", "used"} {
		rows += strings.ReplaceAll(`
			INSERT INTO webhook (id, user_id, url, secret, token, created_at) SELECT name || ' $', id, '', '', '', 1 FROM user WHERE is_system = 0;
			INSERT INTO invite (id, token_hash, conversation_id, created_by, uses_left, created_at, expires_at)
			SELECT name || ' $', name || ' $', 'c', id, 5, 1, 1 << 60 FROM user WHERE is_system = 0;
			INSERT INTO community_invite (id, token_hash, created_by, uses_left, created_at, expires_at)
			SELECT name || ' $', name || ' $', id, 5, 1, 1 << 60 FROM user WHERE is_system = 0;
			INSERT INTO secretary_answer SELECT name || ' $', id, '', '', 1, 1 FROM user WHERE is_system = 0;`, "$", which)
	}
	for _, which := range []string{"moved", "narrowed"} {
		rows += `INSERT INTO webhook (id, user_id, url, secret, token, created_at) SELECT name || ' ` + which +
			`', id, 'old', '', '', 1 FROM user WHERE is_system = 0;`
	}
	rows += `INSERT INTO api_key (id, user_id, kind, name, prefix, hash, can_read, can_write, created_at)
		SELECT name || ' key', id, 'agent', '', '', name, 1, 1, 1 FROM user WHERE is_system = 0;
		INSERT INTO context_key SELECT id, 1 FROM api_key;
		INSERT INTO card (user_id, token, created_at, updated_at) SELECT id, name, 1, 1 FROM user WHERE is_system = 0;
		INSERT INTO secretary SELECT id, 1, 1 FROM user WHERE is_system = 0;`
	alter(t, path, rows)
	if err := backUp(t, path, backup); err != nil {
		t.Fatal(err)
	}
	alter(t, path, `DELETE FROM user WHERE name = 'gone'; UPDATE user SET is_admin = 0 WHERE name = 'ben';
		UPDATE webhook SET disabled_at = 1, disabled_why = 'owner' WHERE id LIKE '% used'; DELETE FROM webhook WHERE id LIKE '% ended';
		UPDATE webhook SET url = 'new' WHERE id LIKE '% moved'; UPDATE webhook SET conversation_id = 'c' WHERE id LIKE '% narrowed';
		UPDATE invite SET uses_left = 2 WHERE token_hash LIKE '% used'; DELETE FROM invite WHERE token_hash LIKE '% ended';
		UPDATE community_invite SET uses_left = 2 WHERE id LIKE '% used'; DELETE FROM community_invite WHERE id LIKE '% ended';
		DELETE FROM secretary_answer WHERE id LIKE '% ended';
		UPDATE secretary_answer SET answer = 'another' WHERE id LIKE '% used'; DELETE FROM context_key WHERE key_id = 'ada key';
		UPDATE card SET enabled = 0 WHERE token = 'ada'; UPDATE card SET token = 'other' WHERE token = 'ben';
		UPDATE secretary SET enabled = 0 WHERE user_id = '`+ids["ada"]+`'; DELETE FROM secretary WHERE user_id = '`+ids["ben"]+`'`)
	if _, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, path, storetest.Epoch, nil); err != nil {
		t.Fatal(err)
	}
	file, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for query, want := range map[string]string{
		`name FROM user WHERE is_admin = 1`: "ada,gone",
		`hash FROM approval_grant`:          "",
		`id FROM webhook WHERE disabled_at IS NULL`: "ada kept,ben kept,gone ended,gone kept,gone moved,gone " +
			"narrowed,gone used",
		`token_hash || uses_left FROM invite`: "ada kept5,ada used2,ben kept5,ben used2,gone " +
			"ended5,gone kept5,gone used2",
		`token_hash || uses_left FROM community_invite`: "ada kept5,ada used2,ben kept5,ben used2,gone " +
			"ended5,gone kept5,gone used2",
		`u.name FROM card c JOIN user u ON u.id = c.user_id WHERE c.enabled = 1`:      "gone",
		`token FROM card WHERE length(token) < 20`:                                    "ada,gone",
		`u.name FROM secretary s JOIN user u ON u.id = s.user_id WHERE s.enabled = 1`: "gone",
		`key_id FROM context_key`:                                                     "ben key,gone key",
		`id FROM secretary_answer`:                                                    "ada kept,ben kept,gone ended,gone kept,gone used",
	} {
		var got string
		if err := file.QueryRow(`SELECT coalesce(group_concat(v, ','), '') FROM (SELECT ` + strings.Replace(query, " FROM", " AS v FROM", 1) +
			` ORDER BY 1)`).Scan(&got); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

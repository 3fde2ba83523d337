package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// An audience reaches those that it names and the members of those of its conversations
// that its owner is in, and not its owner.
func TestReachIsOfOthers(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		shared, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "Shared")
		if err != nil {
			return err
		}
		others, err := tx.InsertGroup(p.Ben.ID, []string{p.Cleo.ID}, "Others")
		if err != nil {
			return err
		}
		direct, _, err := tx.InsertDirect(p.Ada.ID, p.Ben.ID, "")
		if err != nil {
			return err
		}
		for _, tc := range []struct {
			audience store.Audience
			want     string
			groups   int
		}{
			{store.Audience{}, "", 0},
			{store.Audience{UserIDs: []string{p.Ada.ID}}, "", 0},
			{store.Audience{UserIDs: []string{p.Ada.ID, p.Cleo.ID}}, "Cléo 🌿", 0},
			{store.Audience{ConversationIDs: []string{shared}}, "Ben", 1},
			{store.Audience{ConversationIDs: []string{direct}}, "Ben", 0},
			{store.Audience{ConversationIDs: []string{others}}, "", 0},
			{store.Audience{UserIDs: []string{p.Cleo.ID, p.Ben.ID}, ConversationIDs: []string{shared, others, direct}}, "Ben, Cléo 🌿", 1},
		} {
			if n, err := tx.GroupsOf(storetest.Human(p.Ada), tc.audience); n != tc.groups || err != nil {
				t.Errorf("%+v has %d groups, want %d, %v", tc.audience, n, tc.groups, err)
			}
			all, err := tx.Reach(storetest.Human(p.Ada), tc.audience, 10)
			names, _ := texts(all, err, func(r store.Reached) string { return r.Name })
			if got := strings.Join(names, ", "); got != tc.want || err != nil {
				t.Errorf("%+v reaches %q, want %q, %v", tc.audience, got, tc.want, err)
			}
		}
		return nil
	})
}

// A report is open until it is decided, and is found by its kind and what it is about.
// It keeps the headline of an account only if its card is enabled.
func TestReportsOfAnAccount(t *testing.T) {
	me, admin := store.Viewer{Kind: store.Human, UserID: "me"}, store.Viewer{Kind: store.Human, UserID: "admin", Admin: true}
	discarded(t, func(tx *store.Tx) error {
		if err := inserts(tx, `INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at, is_admin) VALUES ('admin', 'a', 'a', 'Admin', 'admin', '', 0, 0, 1),
				('off', 'f', 'f', 'Off', 'off', '', 0, 0, 0), ('on', 'n', 'n', 'On', 'on', '', 0, 0, 0);
			INSERT INTO card VALUES ('off', 'off', 'no headline', 0, 0, 0), ('on', 'on', 'headline', 1, 0, 0);
			INSERT INTO report (id, reporter_id, target_type, target_id, reason, created_at, decided_at) VALUES
				('user', 'me', 'user', 'x', 'spam', 1, NULL), ('message', 'me', 'message', 'y', 'spam', 2, NULL), ('decided', 'me', 'user', 'z', 'spam', 3, 4)`); err != nil {
			return err
		}
		for target, want := range map[string]string{"user x": "user", "message x": "", "user y": "", "message y": "message", "user z": ""} {
			kind, id, _ := strings.Cut(target, " ")
			if got, err := tx.OpenReport(me, kind, id); got != want || errors.Is(err, store.ErrNoRow) != (want == "") {
				t.Errorf("%s: %q, %v", target, got, err)
			}
			if got, err := tx.OpenReport(admin, kind, id); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("%s of another: %q, %v", target, got, err)
			}
		}
		for id, want := range map[string]string{"off": "Off", "on": "On\nheadline", "admin": "Admin"} {
			if got, err := tx.ReportText(id); got != want || err != nil {
				t.Errorf("%q, want %q, %v", got, want, err)
			}
		}
		open, err := tx.OpenReports(admin, 0, 9)
		decided, e := tx.DecidedReports(admin, 0, 9)
		if len(open) != 2 || len(decided) != 1 || decided[0].ID != "decided" {
			t.Errorf("open: %+v, decided: %+v", open, decided)
		}
		return errors.Join(err, e)
	})
}

// The content of a picture that is deleted is found by nobody any more, and deleted
// unless another has it.
func TestDeletedPictures(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		files := 0
		blob := func() int64 {
			files++
			id, err := tx.InsertBlob(1)
			if err == nil {
				err = tx.WritePart(id, 0, []byte{byte(files)})
			}
			if err == nil {
				id, err = tx.FinishBlob(id, fmt.Sprintf("%064d", files))
			}
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		one, shared := blob(), blob()
		for _, pic := range []store.Picture{{UserID: p.Ada.ID, BlobID: one}, {UserID: p.Ben.ID, BlobID: shared}, {BlobID: shared}} {
			pic.MimeType = "image/png"
			if _, err := tx.SetPicture(pic, 1000); err != nil {
				return err
			}
		}
		for n, tc := range []struct{ user, complete string }{{p.Ada.ID, fmt.Sprint(shared)}, {p.Ben.ID, fmt.Sprint(shared)}, {"", ""}} {
			if err := tx.DeletePicture(tc.user, ""); err != nil {
				return err
			}
			got, err := tx.TextForTest(`SELECT group_concat(id) FROM blob WHERE hash IS NOT NULL AND id IN (?1, ?2)`, one, shared)
			if got != tc.complete || err != nil {
				t.Errorf("step %d: the files %q are complete, want %q, %v", n, got, tc.complete, err)
			}
		}
		return tx.DeletePicture(p.Ada.ID, "") // there is none
	})
}

// Several uses of a quota at once are granted up to all of it and not beyond, and more
// than all of it never; a window ends at its last moment.
func TestSeveralUsesAtOnce(t *testing.T) {
	const window = time.Hour
	db := storetest.OpenEmpty(t)
	db.Clock.Advance(time.Second)
	for n, tc := range []struct {
		used, want int
		after      time.Duration
		wait       time.Duration
	}{
		{used: 0, want: 3}, {used: 0, want: 4, wait: window}, {used: 0, want: 100, wait: window},
		{used: 1, want: 2}, {used: 1, want: 3, wait: window}, {used: 3, want: 1, wait: window},
		{used: 3, want: 1, after: window - time.Microsecond, wait: time.Microsecond}, {used: 3, want: 1, after: window}, {used: 3, want: 3, after: window}, {used: 3, want: 4, after: window, wait: window},
	} {
		discardedIn(t, db, func(tx *store.Tx) error {
			if tc.used > 0 {
				if wait, err := tx.UseQuotas("q", tc.used, 3, window); wait != 0 || err != nil {
					return fmt.Errorf("%v, %w", wait, err)
				}
			}
			db.Clock.Advance(tc.after)
			if wait, err := tx.UseQuotas("q", tc.want, 3, window); wait != tc.wait || err != nil {
				t.Errorf("case %d: wait for %v, want %v, %v", n, wait, tc.wait, err)
			}
			return nil
		})
	}
}

// A member leaves up to 10,000 messages of others unread by marking some of them.
func TestManyUnread(t *testing.T) {
	t.Parallel()
	me := store.Viewer{Kind: store.Human, UserID: "me"}
	const most = 10_000
	discarded(t, func(tx *store.Tx) error {
		if err := inserts(tx, `INSERT INTO conversation (id, type, created_at, updated_at, live_count) VALUES ('c', 'group', 0, 0, 10010);
			INSERT INTO member (conversation_id, user_id, role, joined_at, last_read_at) VALUES ('c', 'me', 'owner', 0, 0);
			INSERT INTO message (conversation_id, created_at, id, sender_id, content)
				WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10010) SELECT 'c', i, i, 'you', '' FROM n`); err != nil {
			return err
		}
		for _, tc := range []struct {
			upTo store.Time
			left int
			want error
		}{{9, 0, store.ErrTooFar}, {10, most, nil}, {11, most - 1, nil}} {
			if _, err := tx.MarkRead(me, "c", tc.upTo); !errors.Is(err, tc.want) {
				t.Errorf("read up to %d: %v", tc.upTo, err)
			}
			if _, unread, err := tx.ReadState(me, "c"); tc.want == nil && unread != tc.left || err != nil {
				t.Errorf("read up to %d: %d are unread, want %d, %v", tc.upTo, unread, tc.left, err)
			}
		}
		if _, err := tx.MarkRead(me, "c", 0); err != nil {
			return err
		}
		for from, want := range map[store.Time]error{10: store.ErrTooFar, 11: nil} {
			if _, err := tx.MarkUnread(me, "c", from); !errors.Is(err, want) {
				t.Errorf("unread from %d on: %v", from, err)
			}
		}
		return nil
	})
}

package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// A write that changes who a credential of an account identifies tells it, of that
// account, and of its bots where theirs change, too.
func TestWhoseCredentialsChange(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var bot store.User
	write(t, db, func(tx *store.Tx) (err error) {
		bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: p.Ada.ID, SignupProvider: "bot"})
		return err
	})
	var told []string
	db.OnCredentials(func(ids []string) { told = append(told, ids...) })
	for _, tc := range []struct {
		name string
		f    func(tx *store.Tx) error
		want []string
	}{
		{"a key is revoked", func(tx *store.Tx) error { return tx.RevokeKey(p.Ada.ID, "k") }, []string{p.Ada.ID}},
		{"all keys are revoked", func(tx *store.Tx) error { return tx.RevokeKeys(p.Ada.ID) }, []string{p.Ada.ID, bot.ID}},
		{"an account is deleted", func(tx *store.Tx) error { _, err := tx.EraseUser(p.Ben.ID); return err }, []string{p.Ben.ID}},
		{"an account is added", func(tx *store.Tx) error {
			_, err := tx.InsertUser(store.User{Email: "new@example.org", Name: "New", SignupProvider: "magic-link"})
			return err
		}, nil},
	} {
		told = nil
		write(t, db, tc.f)
		slices.Sort(told)
		if got, want := slices.Compact(told), slices.Sorted(slices.Values(tc.want)); !slices.Equal(got, want) {
			t.Errorf("%s: told %q, want %q", tc.name, got, want)
		}
	}
}

// Friends are those of the reader, up to a number, the latest change first; of accounts
// that are asked for, those.
func TestFriendsInOrder(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	friends := []store.User{p.Cleo, p.Stranger, p.Ben}
	for _, u := range friends {
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.PutFriends(p.Ada.ID, u.ID, "friends", "friends"), tx.PutFriends(p.Ben.ID, p.Cleo.ID, "incoming", "outgoing"))
		})
	}
	name := func(f store.Friend) string {
		return map[string]string{p.Ben.ID: "B", p.Cleo.ID: "C", p.Stranger.ID: "S"}[f.UserID]
	}
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for limit, want := range []string{"", "B", "BS", "BSC", "BSC"} {
			all, err := r.Friends(storetest.Human(p.Ada), limit)
			if got, err := texts(all, err, name); err != nil || strings.Join(got, "") != want {
				t.Errorf("up to %d: %q, want %q, %v", limit, got, want, err)
			}
		}
		for _, tc := range []struct {
			ids  []store.User
			want string
		}{{nil, ""}, {friends[:1], "C"}, {friends[1:], "BS"}, {[]store.User{p.Ada}, ""}} {
			var ids []string
			for _, u := range tc.ids {
				ids = append(ids, u.ID)
			}
			all, err := r.FriendsByID(storetest.Human(p.Ada), ids...)
			got, err := texts(all, err, name)
			if slices.Sort(got); err != nil || strings.Join(got, "") != tc.want {
				t.Errorf("of %d: %q, want %q, %v", len(ids), got, tc.want, err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// Feedback is done once, by itself.
func TestFeedbackIsDoneOnce(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	var f [2]store.Feedback
	write(t, db, func(tx *store.Tx) (err error) {
		for n := range f {
			if f[n], err = tx.InsertFeedback(store.Feedback{From: store.Named{ID: p.Ada.ID}, Message: "x"}); err != nil || f[n].CreatedAt != tx.Now {
				t.Errorf("written at %v, want %v: %v", f[n].CreatedAt, tx.Now, err)
			}
		}
		return err
	})
	write(t, db, func(tx *store.Tx) error { return tx.FinishFeedback(f[0].ID) })
	done := column(t, db, `SELECT coalesce(done_at, 0) FROM feedback ORDER BY id = ? DESC`, f[0].ID)
	write(t, db, func(tx *store.Tx) error {
		if err := tx.FinishFeedback(f[0].ID); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("done again: %v", err)
		}
		return nil
	})
	if got := column(t, db, `SELECT coalesce(done_at, 0) FROM feedback ORDER BY id = ? DESC`, f[0].ID); !slices.Equal(got, done) || got[0] == "0" || got[1] != "0" {
		t.Errorf("done at %q, and then %q", done, got)
	}
}

// The first of the grants of keys ends when it does or its key.
func TestNextGrantExpiry(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	write(t, db, func(tx *store.Tx) error {
		next := func(want store.Time) {
			t.Helper()
			for u, want := range map[*store.User]store.Time{&p.Ada: want, &p.Ben: 0} {
				if at, err := tx.NextGrantExpiry(storetest.Human(*u)); at != want || err != nil {
					t.Errorf("of %s at %v, want %v: %v", u.Name, at, want, err)
				}
			}
		}
		next(0)
		now := tx.Reader.Now()
		for n, tc := range []struct{ key, grant, first store.Time }{{0, now + 90, now + 90}, {now + 80, now + 95, now + 80}, {now + 85, now + 70, now + 70}, {now, now + 1, now + 70}} {
			k, err := tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: "agent", Name: "k", Prefix: "oc_", Hash: fmt.Sprint(n), CanRead: true, ExpiresAt: tc.key})
			if err != nil {
				return err
			}
			g := store.Grant{Hash: []byte{byte(n)}, UserID: p.Ada.ID, KeyID: k.ID, Action: "publish_story", Payload: "{}", ExpiresAt: tc.grant}
			if err := tx.InsertGrant(&g, 10); err != nil || g.CreatedAt != tx.Now {
				t.Errorf("asked for at %v, want %v: %v", g.CreatedAt, tx.Now, err)
			}
			next(tc.first)
		}
		return nil
	})
}

// The use of a key that is gone meanwhile is not recorded, and those of others are, of
// which the latest are read first.
func TestUsesOfKeysThatAreGone(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		k, err := tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: "agent", Name: "k", Prefix: "oc_", Hash: "k", CanRead: true})
		if err == nil {
			err = tx.AddKeyUses([]store.KeyUse{{KeyID: "gone", Operation: "x", Uses: 1, LastAt: 1}, {KeyID: k.ID, Operation: "x", Uses: 2, LastAt: 1}, {KeyID: k.ID, Operation: "y", Uses: 1, LastAt: 3}, {KeyID: k.ID, Operation: "z", Uses: 1, LastAt: 2}})
		}
		if err != nil {
			return err
		}
		all, err := tx.KeyUses(storetest.Human(p.Ada), k.ID)
		got, err := texts(all, err, func(u store.KeyUse) string { return fmt.Sprint(u.Operation, u.Uses) })
		if !slices.Equal(got, []string{"y1", "z1", "x2"}) {
			t.Errorf("used for %q", got)
		}
		return err
	})
}

// A link to join is used by its token alone, while it has uses and until the moment it
// ends. Links that ended or have no use are not shown, do not count, and are deleted
// with the next one; those that an account made go with it from one group only.
func TestLinksBeside(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		var groups []string
		for range 2 {
			id, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "G")
			if err != nil {
				return err
			}
			groups = append(groups, id)
		}
		for _, l := range []struct {
			group, token, by string
			uses             int
			ends             store.Time
		}{
			{groups[0], "ends", p.Ada.ID, 5, tx.Now}, {groups[0], "used", p.Ada.ID, 0, tx.Now + 9}, {groups[0], "good", p.Ada.ID, 2, tx.Now + 1},
			{groups[0], "other", p.Ben.ID, 2, tx.Now + 9}, {groups[1], "elsewhere", p.Ada.ID, 2, tx.Now + 9}, {groups[1], "ended elsewhere", p.Ada.ID, 2, tx.Now},
		} {
			if _, err := tx.ExecForTest(`INSERT INTO invite (id, token_hash, conversation_id, created_by, uses_left, created_at, expires_at) VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?5)`, l.token, l.group, l.by, l.uses, int64(l.ends)); err != nil {
				return err
			}
		}
		shown := func(group string) string {
			all, err := tx.Invites(storetest.Human(p.Ada), group)
			got, err := texts(all, err, func(i store.Invite) string { return fmt.Sprint(i.TokenHash, i.UsesLeft) })
			return strings.Join(got, " ") + fmt.Sprint(err)
		}
		for _, token := range []string{"ends", "used", "none"} {
			if err := tx.UseInvite(token); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("the link %q is used: %v", token, err)
			}
		}
		if err := tx.UseInvite("good"); err != nil {
			t.Error(err)
		}
		if got := shown(groups[0]); got != "good1 other2<nil>" {
			t.Errorf("links: %s", got)
		}
		if n, err := tx.InsertInvite(store.Invite{TokenHash: "new", ConversationID: groups[0], CreatedBy: p.Ben.ID, UsesLeft: 1, ExpiresAt: tx.Now + 99}); n != 3 || err != nil {
			t.Errorf("%d links are valid, %v", n, err)
		}
		if err := tx.RemoveMember(storetest.Human(p.Ada), groups[0], p.Ada.ID); err != nil {
			return err
		}
		if got := shown(groups[1]); got != "elsewhere2<nil>" {
			t.Errorf("links of the other group: %s", got)
		}
		if all, err := tx.Invites(storetest.Human(p.Ben), groups[0]); len(all) != 2 || err != nil {
			t.Errorf("links of the group: %v, %v", all, err)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// A key that is revoked again has been so since the first time, and a use of a key, or
// the sight of an account, that is told late does not replace a later one.
func TestTimesOfKeys(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	var keys [2]store.Key
	write(t, db, func(tx *store.Tx) (err error) {
		for n := range keys {
			if keys[n], err = tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: "agent", Name: "k", Prefix: "oc_", Hash: fmt.Sprint(n), CanRead: true}); err != nil || keys[n].CreatedAt != tx.Now {
				t.Errorf("made at %v, want %v: %v", keys[n].CreatedAt, tx.Now, err)
			}
		}
		return err
	})
	read := func(id string) (k store.Key) {
		t.Helper()
		if err := db.Read(t.Context(), func(r *store.Reader) (err error) {
			k, err = r.Key(storetest.Human(p.Ada), "agent", id)
			return err
		}); err != nil {
			t.Error(err)
		}
		return k
	}
	var first store.Time
	revoke := func(tx *store.Tx) error { return tx.RevokeKey(p.Ada.ID, keys[0].ID) }
	for n, f := range []func(tx *store.Tx) error{revoke, revoke, func(tx *store.Tx) error { return tx.RevokeKeys(p.Ada.ID) }} {
		write(t, db, func(tx *store.Tx) error {
			if n == 0 {
				first = tx.Now
			}
			return f(tx)
		})
	}
	for _, tc := range []struct{ at, want store.Time }{{5, 5}, {3, 5}, {8, 8}} {
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.TouchKeys(map[string]store.Time{keys[1].ID: tc.at}), tx.TouchUsers(map[string]store.Time{p.Ben.ID: tc.at}))
		})
		if got := read(keys[1].ID).LastUsedAt; got != tc.want {
			t.Errorf("used at %v: %v, want %v", tc.at, got, tc.want)
		}
		if got := column(t, db, `SELECT last_seen_at FROM user WHERE id = ?`, p.Ben.ID)[0]; got != fmt.Sprint(int64(tc.want)) {
			t.Errorf("seen at %v: %v, want %v", tc.at, got, tc.want)
		}
	}
	if k := read(keys[0].ID); k.CreatedAt != keys[0].CreatedAt || k.RevokedAt != first || k.LastUsedAt != 0 {
		t.Errorf("%+v, revoked at %v", k, first)
	}
	if k := read(keys[1].ID); k.RevokedAt <= first {
		t.Errorf("%+v", k)
	}
}

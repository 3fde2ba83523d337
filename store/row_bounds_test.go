package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// A request to reply is made to the oldest key of an account that receives requests: an
// older one that does not is left out, and an account with no other is not asked.
func TestAgentsThatReceiveNothing(t *testing.T) {
	withRows(t, "ada ben cleo dora emil fay gus", []string{
		members, anAgent("ada1", "ada", 1), anAgent("ada2", "ada", 2), anAgent("cleo1", "cleo", 1), receiving,
		`DELETE FROM context_key WHERE key_id IN ('ada1', 'cleo1')`, aPostOf(10, "post", "ada", "x", ""),
	}, func(tx *store.Tx) error {
		as, err := tx.ContextAgents(human("ben"), &store.ContextPost{ConversationID: "c", ID: "post", Revision: 1, AuthorID: "ada"}, 9)
		if got := inOrder(as, err, func(a store.ContextAgent) string { return a.KeyID }); got != "ada2" {
			t.Errorf("asked are %q", got)
		}
		return nil
	})
}

// What a key was used for is told of that key alone, also where its account has others.
func TestUsesOfOneKey(t *testing.T) {
	withRows(t, "ada ben", []string{
		anAgent("k1", "ada", 1), anAgent("k2", "ada", 2), anAgent("k3", "ben", 3),
		`INSERT INTO key_use SELECT id, 'with ' || id, 0, 1, 1 FROM api_key`,
	}, func(tx *store.Tx) error {
		for key, want := range map[string]string{"k1": "k1 with k1", "k2": "k2 with k2", "k3": "", "none": ""} {
			us, err := tx.KeyUses(human("ada"), key)
			if got := inOrder(us, err, func(u store.KeyUse) string { return u.KeyID + " " + u.Operation }); got != want {
				t.Errorf("%s was used for %q, want %q", key, got, want)
			}
		}
		return nil
	})
}

// A message of the moment at which the owner of a webhook joined is delivered to it, and
// none from before.
func TestDeliveriesSinceJoining(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		_, err := tx.InsertWebhook(store.Webhook{ID: "w", UserID: p.Ben.ID})
		return err
	})
	for _, c := range []struct {
		later store.Time // than the message
		want  string
	}{{0, "1"}, {1, "0"}} {
		write(t, db, func(tx *store.Tx) error {
			id, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "")
			if err != nil {
				return err
			}
			if _, err = tx.ExecForTest(`UPDATE member SET joined_at = ?2 WHERE conversation_id = ?1`, id, int64(tx.Now+c.later)); err != nil {
				return err
			}
			return tx.Send(&store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "x"}, nil)
		})
		write(t, db, func(tx *store.Tx) error {
			if got, err := tx.TextForTest(`SELECT '' || count(*) FROM delivery WHERE webhook_id = 'w'`); got != c.want || err != nil {
				t.Errorf("%d later: %s deliveries, want %s, %v", c.later, got, c.want, err)
			}
			_, err := tx.ExecForTest(`DELETE FROM delivery WHERE webhook_id = 'w'`)
			return err
		})
	}
}

// A webhook whose oldest deliveries wait has too many only once one that has ended is
// beyond the newest that are kept; up to a number of webhooks are told, by their ids.
func TestFullWebhooksByTheOldest(t *testing.T) {
	inserts := []string{}
	for id, next := range map[string][]int64{"waits": {99, 99, 0, 0}, "full1": {0, 99, 0, 0}, "full2": {99, 0, 0, 0}, "full3": {0, 0, 0, 0}, "short": {0, 0}} {
		inserts = append(inserts, aWebhook(id, "ada"))
		for at, next := range next {
			inserts = append(inserts, aDelivery(id, 10+at, "c", next))
		}
	}
	withRows(t, "ada", inserts, func(tx *store.Tx) error {
		for _, c := range []struct {
			after string
			limit int
			want  string
		}{{"", 9, "full1 full2 full3"}, {"", 1, "full1"}, {"full1", 1, "full2"}, {"full3", 9, ""}} {
			ids, err := tx.FullWebhooks(c.after, 2, c.limit)
			if got := strings.Join(ids, " "); got != c.want || err != nil {
				t.Errorf("%d after %q: %q, want %q, %v", c.limit, c.after, got, c.want, err)
			}
		}
		return nil
	})
}

// A match that is closed or connected is not closed: a conversation that two people have
// is not taken back.
func TestCloseOfOpenMatchesOnly(t *testing.T) {
	discarded(t, func(tx *store.Tx) error {
		for n, state := range []string{"open", "closed", "connected"} {
			m := sided{id: state, aIntent: 2 * n, bIntent: 2*n + 1, aUser: "me", bUser: "you", state: state, aApproved: n == 2, bApproved: n == 2, createdAt: store.Time(n + 1)}
			if err := m.insert(tx); err != nil {
				return err
			}
			if err := tx.CloseMatch(state); state == "open" && err != nil || state != "open" && missing(err) != nil {
				t.Errorf("%s: %v", state, err)
			}
		}
		want := fmt.Sprintf("closed1 connected1 open%d", int64(tx.Now))
		if got, err := tx.TextForTest(`SELECT group_concat(id || a_updated_at, ' ' ORDER BY id) FROM intent_match WHERE state = iif(id = 'open', 'closed', id)`); got != want || err != nil {
			t.Errorf("%q, want %q, %v", got, want, err)
		}
		return nil
	})
}

// Whoever left a group is added to it by nobody, and to others as everybody is; whom an
// owner removed can be added again.
func TestAddableAfterLeaving(t *testing.T) {
	withRows(t, "ada ben cleo dora", []string{`INSERT INTO former_member VALUES ('c', 'ben', 0, 0), ('c', 'cleo', 1, 0), ('d', 'dora', 0, 0)`}, func(tx *store.Tx) error {
		for conversation, want := range map[string]string{"c": "cleo dora", "d": "ben cleo", "e": "ben cleo dora"} {
			ids, err := tx.Addable(human("ada"), conversation, []string{"ben", "cleo", "dora"})
			if got := strings.Join(ids, " "); got != want || err != nil {
				t.Errorf("to %s: %q, want %q, %v", conversation, got, want, err)
			}
		}
		return nil
	})
}

// A conversation names its first eight owners, by when they joined.
func TestOwnersThatAreNamed(t *testing.T) {
	withRows(t, "o0 o1 o2 o3 o4 o5 o6 o7 o8 o9", []string{
		`INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('c', 'group', 0, 0)`,
		`INSERT INTO member (conversation_id, user_id, role, joined_at) SELECT 'c', id, iif(id = 'o5', 'member', 'owner'), unicode(substr(id, 2)) FROM user WHERE id LIKE 'o_'`,
	}, func(tx *store.Tx) error {
		for _, c := range []struct{ role, want string }{{"owner", "o0o1o2o3o4o5o6o7"}, {"member", "o0o1o2o3o4o6o7o8"}} {
			if err := tx.SetRole("c", "o5", c.role); err != nil {
				return err
			}
			if got, err := tx.TextForTest(`SELECT owners FROM conversation WHERE id = 'c'`); got != c.want || err != nil {
				t.Errorf("o5 as %s: %q, want %q, %v", c.role, got, c.want, err)
			}
		}
		return nil
	})
}

// A grant that was used is not there any more, and is used once; those beside it stay.
func TestGrantIsUsedOnce(t *testing.T) {
	withRows(t, "ada", nil, func(tx *store.Tx) error {
		for _, hash := range []string{"one", "two"} {
			if err := tx.InsertGrant(&store.Grant{Hash: []byte(hash), UserID: "ada", Action: "publish_story", Payload: "{}", ExpiresAt: 1 << 60}, 9); err != nil {
				return err
			}
		}
		if err := tx.DeleteGrant([]byte("one")); err != nil {
			return err
		}
		if err := missing(tx.DeleteGrant([]byte("one"))); err != nil {
			t.Error("used again")
		}
		if got, err := tx.TextForTest(`SELECT group_concat(CAST(hash AS TEXT)) FROM approval_grant`); got != "two" || err != nil {
			t.Errorf("left are %q, %v", got, err)
		}
		return nil
	})
}

// Grants that a key asked for do not push out those of another key or account, nor those
// that were given without a key, and the other way round.
func TestNewestGrantsAreKept(t *testing.T) {
	withRows(t, "ada ben", nil, func(tx *store.Tx) error {
		for n, g := range []store.Grant{{UserID: "ada"}, {UserID: "ben"}, {UserID: "ada", KeyID: "k1"}, {UserID: "ada", KeyID: "k2"}, {UserID: "ada", KeyID: "k1"}, {UserID: "ada"}, {UserID: "ada"}, {UserID: "ada", KeyID: "k2"}, {UserID: "ada", KeyID: "k1"}} {
			g.Hash, g.Action, g.Payload, g.ExpiresAt = []byte{'0' + byte(n)}, "publish_story", "{}", 1<<60
			if err := tx.InsertGrant(&g, 2); err != nil {
				return err
			}
			tx.Now = tx.Tick()
		}
		if got, err := tx.TextForTest(`SELECT group_concat(CAST(hash AS TEXT), '') FROM (SELECT hash FROM approval_grant ORDER BY hash)`); got != "1345678" || err != nil {
			t.Errorf("left are %q, %v", got, err)
		}
		return nil
	})
}

// A stored list of ids replaces what was read before it.
func TestIDsAreReplaced(t *testing.T) {
	one, two := store.NewID(), store.NewID()
	var ids store.IDs
	for _, want := range [][]string{{one, two}, {two}, {}, {one}} {
		if err := ids.Scan(strings.Join(want, "")); err != nil || strings.Join(ids, "") != strings.Join(want, "") || len(ids) != len(want) {
			t.Errorf("%q, want %q, %v", ids, want, err)
		}
	}
}

// Candidates that were listed since a moment are looked for among the newest, of which
// there is a bounded number.
func TestNewestOfManyCandidates(t *testing.T) {
	const listed = 257
	withRows(t, "ada ben", []string{
		fmt.Sprintf(`INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at, listed_at)
			WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %d) SELECT n, 'i' || n, 'ben', 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, 'active', 0, n, n, 1000 - n FROM n`, listed),
		`INSERT INTO intent_key SELECT 7, seq, 1 FROM intent`,
	}, func(tx *store.Tx) error {
		is, err := tx.NewerCandidates(store.CandidateQuery{Intent: &store.Intent{OwnerID: "ada"}, Keys: []store.IntentKey{{Key: 7, Weight: 1}}, Limit: 2 * listed}, 1)
		if err != nil {
			return err
		}
		found := map[int64]bool{}
		for _, i := range is {
			found[i.Seq] = true
		}
		if len(found) != listed-1 || found[listed] || !found[1] { // the last was listed first
			t.Errorf("%d candidates, the newest %v, the oldest %v", len(found), found[1], found[listed])
		}
		return nil
	})
}

// Intents that have expired, and those that were listed since another, are read up to a
// number, the first ones first.
func TestIntentsUpToALimit(t *testing.T) {
	withRows(t, "ada", []string{
		`INSERT INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at, listed_at, expires_at)
			SELECT value, 'i' || value, 'ada', 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, 'active', 0, 0, 0, 10 + value, 10 - value` + threeTimes,
	}, func(tx *store.Tx) error {
		for limit, want := range map[int]string{1: "[3] [{1 11}]", 2: "[3 2] [{1 11} {2 12}]", 9: "[3 2 1] [{1 11} {2 12} {3 13}]"} {
			expired, err := tx.ExpiredIntents(limit)
			if err != nil {
				return err
			}
			since, err := tx.ListedSince(store.ListedIntent{}, limit)
			if err != nil {
				return err
			}
			var listed []string
			for _, l := range since {
				listed = append(listed, fmt.Sprintf("{%d %d}", l.Intent, int64(l.At)))
			}
			if got := fmt.Sprint(expired, listed); got != want {
				t.Errorf("up to %d: %s, want %s", limit, got, want)
			}
		}
		return nil
	})
}

// A setting that changes changes the version of every list, because all pages show it.
func TestSettingsChangeVersions(t *testing.T) {
	w := newListWorld(t)
	for _, value := range []string{"Oaks", "Elms", ""} {
		all, one := w.db.ListVersion(""), w.db.ListVersion(w.lists["open"].ID)
		write(t, w.db, func(tx *store.Tx) error { return tx.SetSetting(store.SettingCommunityName, value) })
		if w.db.ListVersion("") == all || w.db.ListVersion(w.lists["open"].ID) == one {
			t.Errorf("the name is %q: the versions stay", value)
		}
	}
}

// A list notes since when all accounts, and since when everybody, may see it: when that
// begins, and not when it changes otherwise.
func TestListsAreShownSince(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var l store.List
	write(t, db, func(tx *store.Tx) (err error) {
		l, err = tx.InsertList(store.List{OwnerID: p.Ada.ID, Title: "x", Visibility: "private", Slug: "x"})
		return err
	})
	write(t, db, func(tx *store.Tx) error {
		_, err := tx.ExecForTest(`UPDATE list SET shown_at = 1, public_at = 1 WHERE id = ?`, l.ID)
		return err
	})
	for _, c := range []struct {
		visibility    string
		shown, public bool // from now on
	}{
		{"private", false, false}, {"unlisted", true, false}, {"unlisted", false, false}, {"public", false, true}, {"public-edit", false, false}, {"unlisted", false, false},
		{"public-edit", false, true}, {"public", false, false}, {"private", false, false}, {"public", true, true},
	} {
		db.Clock.Advance(time.Second)
		changed := l
		changed.Visibility = c.visibility
		write(t, db, func(tx *store.Tx) error {
			if err := tx.UpdateList(l, changed); err != nil {
				return err
			}
			got, err := tx.TextForTest(`SELECT (shown_at = ?1) || (public_at = ?1) FROM list WHERE id = ?2`, int64(tx.Now), l.ID)
			if want := strings.NewReplacer("true", "1", "false", "0").Replace(fmt.Sprint(c.shown) + fmt.Sprint(c.public)); got != want || err != nil {
				t.Errorf("%s to %s: shown and public from now on %s, want %s, %v", l.Visibility, c.visibility, got, want, err)
			}
			return nil
		})
		l = changed
	}
}

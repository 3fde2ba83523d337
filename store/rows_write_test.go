package store_test

import (
	"errors"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// twoPlaces are me and you in the conversations c and d, with messages that have
// reactions, mentions, thoughts and links to join, and they, who have left both.
const twoPlaces = `INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at, online) VALUES
		('me', 'm', 'm', 'Me', 'me', '', 0, 0, 1), ('you', 'y', 'y', 'You', 'you', '', 0, 0, 0), ('they', 't', 't', 'They', 'they', '', 0, 0, 1);
	INSERT INTO conversation (id, type, created_at, updated_at, live_count, member_count, last_message_at) VALUES ('c', 'group', 0, 0, 2, 2, 20), ('d', 'group', 0, 0, 2, 2, 40);
	INSERT INTO member (conversation_id, user_id, role, joined_at, last_read_at, seen_count) VALUES ('c', 'me', 'owner', 0, 15, 2), ('c', 'you', 'member', 0, 10, 1), ('d', 'me', 'owner', 0, 35, 2), ('d', 'you', 'member', 0, 30, 1);
	INSERT INTO former_member VALUES ('c', 'they', 1, 0), ('d', 'they', 0, 0), ('c', 'them', 0, 0), ('d', 'them', 1, 0);
	INSERT INTO invite (token_hash, conversation_id, id, created_by, uses_left, created_at, expires_at) VALUES
		('cm', 'c', 'cm', 'me', 1, 0, 1 << 60), ('cy', 'c', 'cy', 'you', 1, 0, 1 << 60), ('dm', 'd', 'dm', 'me', 1, 0, 1 << 60), ('dy', 'd', 'dy', 'you', 1, 0, 1 << 60);
	INSERT INTO thought (id, user_id, text, kind, status, created_at, updated_at) VALUES ('tm', 'me', 'x', 'fact', 'none', 0, 0), ('ty', 'you', 'x', 'fact', 'none', 0, 0);
	INSERT INTO thought_pin VALUES ('c', 'tm', 'me', 0), ('c', 'ty', 'me', 0), ('d', 'tm', 'me', 0), ('d', 'ty', 'me', 0);
	INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted, mentioned) VALUES
		('c', 10, 'c10', 'me', '@you @they', 1, 1), ('c', 20, 'c20', 'me', '@they', 1, 1), ('d', 30, 'd30', 'me', '@they', 1, 1), ('d', 40, 'd40', 'me', '@they', 0, 1);
	INSERT INTO mention VALUES ('c', 10, 0, 'you', 4), ('c', 10, 5, 'they', 5), ('c', 20, 0, 'they', 5), ('d', 30, 0, 'they', 5), ('d', 40, 0, 'they', 5);
	INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES
		('c', 10, 'e', 'me', 0), ('c', 10, 'f', 'me', 0), ('c', 10, 'e', 'you', 0), ('c', 20, 'e', 'me', 0), ('d', 30, 'e', 'me', 0);
	INSERT INTO report (id, reporter_id, target_type, target_id, user_id, reason, created_at) VALUES ('open', 'me', 'user', 'target', 'you', 'spam', 1);
	INSERT INTO report (id, reporter_id, target_type, target_id, user_id, reason, created_at, decided_at, note) VALUES ('decided', 'me', 'user', 'target', 'you', 'spam', 2, 3, 'first')`

const (
	former    = `SELECT group_concat(conversation_id || user_id, ' ' ORDER BY conversation_id || user_id) FROM former_member`
	pins      = `SELECT group_concat(conversation_id || thought_id, ' ' ORDER BY conversation_id || thought_id) FROM thought_pin`
	links     = `SELECT group_concat(id, ' ' ORDER BY id) FROM invite`
	reactions = `SELECT group_concat(message_at || emoji || user_id, ' ' ORDER BY message_at || emoji || user_id) FROM reaction`
	reacted   = `SELECT group_concat(id, ' ' ORDER BY id) FROM message WHERE reacted = 1`
	mentions  = `SELECT group_concat(message_at || user_id, ' ' ORDER BY message_at || user_id) FROM mention`
	named     = `SELECT group_concat(id, ' ' ORDER BY id) FROM message WHERE mentioned = 1`
	unread    = `SELECT group_concat(m.conversation_id || m.user_id || (c.live_count - m.seen_count), ' ' ORDER BY m.conversation_id || m.user_id || (c.live_count - m.seen_count)) FROM member m JOIN conversation c ON c.id = m.conversation_id`
)

// A write changes what it is meant for in one conversation or of one message, and
// leaves what differs from it in one part.
func TestWritesInOneConversation(t *testing.T) {
	t.Parallel()
	me := store.Viewer{Kind: store.Human, UserID: "me"}
	message := func(tx *store.Tx, id string) *store.Message {
		m, err := tx.Message(me, id)
		if err != nil {
			t.Error(err)
		}
		return &m
	}
	unreact := func(id, user, emoji string, want bool) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			changed, err := tx.Unreact(message(tx, id), user, emoji)
			if changed != want {
				t.Errorf("unreact %s %s %s: %v", id, user, emoji, changed)
			}
			return err
		}
	}
	deleteMessage := func(id string) func(tx *store.Tx) error {
		return func(tx *store.Tx) error { return tx.DeleteMessage(message(tx, id)) }
	}
	scrub := func(tx *store.Tx) error {
		_, err := tx.ExecForTest(`INSERT INTO erasing VALUES ('they', 0, 'redacted')`)
		if err == nil {
			_, err = tx.Scrub("they", 1)
		}
		return err
	}
	leave := func(tx *store.Tx) error { return tx.RemoveMember(me, "c", "you") }
	db := storetest.OpenEmpty(t)
	db.Clock.Advance(time.Second)
	for name, c := range map[string]struct {
		write func(tx *store.Tx) error
		want  map[string]string // by queries
	}{
		"who comes back": {func(tx *store.Tx) error { return tx.AddMember("c", "they", "member") }, map[string]string{former: "cthem dthem dthey"}},
		"who leaves": {leave, map[string]string{
			pins: "ctm dtm dty", links: "cm dm dy", former: "cthem cthey cyou dthem dthey"}},
		"a reaction":            {unreact("c10", "me", "e", true), map[string]string{reactions: "10eyou 10fme 20eme 30eme", reacted: "c10 c20 d30"}},
		"the last reaction":     {unreact("c20", "me", "e", true), map[string]string{reactions: "10eme 10eyou 10fme 30eme", reacted: "c10 d30"}},
		"no reaction":           {unreact("c20", "me", "f", false), map[string]string{reactions: "10eme 10eyou 10fme 20eme 30eme", reacted: "c10 c20 d30"}},
		"no reaction of theirs": {unreact("c20", "you", "e", false), map[string]string{reactions: "10eme 10eyou 10fme 20eme 30eme", reacted: "c10 c20 d30"}},
		"a message":             {deleteMessage("c10"), map[string]string{reactions: "20eme 30eme", reacted: "c20 d30", mentions: "20they 30they 40they", named: "c20 d30 d40", unread: "cme0 cyou1 dme0 dyou1"}},
		"a later message":       {deleteMessage("c20"), map[string]string{reactions: "10eme 10eyou 10fme 30eme", reacted: "c10 d30", mentions: "10they 10you 30they 40they", named: "c10 d30 d40", unread: "cme0 cyou0 dme0 dyou1"}},
		"a mention":             {scrub, map[string]string{mentions: "10you 20they 30they 40they", named: "c10 c20 d30 d40"}},
		"mentions":              {func(tx *store.Tx) error { return errors.Join(scrub(tx), again(tx, 1), again(tx, 1)) }, map[string]string{mentions: "10you 40they", named: "c10 d40"}},
		"one who comes":         {func(tx *store.Tx) error { return comes(t, tx, "you", true) }, map[string]string{`SELECT group_concat(id, ' ' ORDER BY id) FROM user WHERE online = 1`: "me they you"}},
		"one who is there":      {func(tx *store.Tx) error { return comes(t, tx, "me", false) }, map[string]string{`SELECT group_concat(id, ' ' ORDER BY id) FROM user WHERE online = 1`: "me they"}},
		"a decision": {func(tx *store.Tx) error { return tx.DecideReport(me, "open", "dismissed", "second") },
			map[string]string{`SELECT group_concat(id || note || decision, ' ' ORDER BY id || note || decision) FROM report`: "decidedfirst openseconddismissed"}},
		"no decision": {func(tx *store.Tx) error { return missing(tx.DecideReport(me, "decided", "dismissed", "second")) },
			map[string]string{`SELECT group_concat(id || note || decision, ' ' ORDER BY id || note || decision) FROM report`: "decidedfirst open"}},
	} {
		discardedIn(t, db, func(tx *store.Tx) error {
			if err := inserts(tx, twoPlaces); err != nil {
				return err
			}
			if err := c.write(tx); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for query, want := range c.want {
				if got, err := tx.TextForTest(query); got != want || err != nil {
					t.Errorf("%s: %q, want %q, %v: %s", name, got, want, err, query)
				}
			}
			return nil
		})
	}
}

// again deletes mentions of they.
func again(tx *store.Tx, limit int) error {
	_, err := tx.Scrub("they", limit)
	return err
}

// comes marks a person as online, which changes something or not.
func comes(t *testing.T, tx *store.Tx, id string, want bool) error {
	changed, err := tx.SetOnline(id)
	if changed != want {
		t.Errorf("%s: changed is %v", id, changed)
	}
	all, e := tx.OnlineUsers()
	if len(all) != map[bool]int{true: 3, false: 2}[want] {
		t.Errorf("online: %q", all)
	}
	return errors.Join(err, e)
}

// A message that is deleted is neither changed nor deleted again, and nobody sends to a
// conversation that is hidden from them. A message mentions who is in its conversation
// when it is stored.
func TestMessagesThatCannotBeWritten(t *testing.T) {
	me := store.Viewer{Kind: store.Human, UserID: "me"}
	discarded(t, func(tx *store.Tx) error {
		if err := inserts(tx, twoPlaces); err != nil {
			return err
		}
		m, err := tx.Message(me, "c10")
		if err != nil {
			return err
		}
		edited, deleted, late := m, m, m
		if err := tx.DeleteMessage(&m); err != nil {
			return err
		}
		if err := tx.EditMessage(&edited, "words"); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("changed: %v", err)
		}
		if err := tx.EditMessage(&late, ""); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("emptied: %v", err)
		}
		if err := tx.DeleteMessage(&deleted); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("deleted again: %v", err)
		}
		if live, err := tx.TextForTest(`SELECT '' || live_count FROM conversation WHERE id = 'c'`); live != "1" || err != nil {
			t.Errorf("%s messages, %v", live, err)
		}
		// They are in d.
		if err := inserts(tx, `INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('d', 'they', 'member', 0)`); err != nil {
			return err
		}
		sent := store.Message{ConversationID: "c", SenderID: "me", Content: "@you @they", Mentions: []store.Mention{{UserID: "you", Start: 0, Size: 4}, {UserID: "they", Start: 5, Size: 5}}}
		again := sent
		want := store.Mention{MessageAt: tx.Now, UserID: "you", Start: 0, Size: 4}
		if err := tx.Send(&sent, nil); err != nil || len(sent.Mentions) != 1 || sent.Mentions[0] != want || !sent.Mentioned {
			t.Errorf("mentions %+v, %v, %v", sent.Mentions, sent.Mentioned, err)
		}
		if err := tx.DeleteMessage(&sent); err != nil || sent.Mentioned {
			t.Errorf("deleted: mentions are %v, %v", sent.Mentioned, err)
		}
		if err := inserts(tx, `INSERT INTO block VALUES ('you', 'me', 0)`); err != nil {
			return err
		}
		tx.Now++
		if err := tx.Send(&again, nil); err != nil || len(again.Mentions) != 0 || again.Mentioned {
			t.Errorf("across a block: mentions %+v, %v, %v", again.Mentions, again.Mentioned, err)
		}
		if err := inserts(tx, `UPDATE member SET hidden = 1 WHERE conversation_id = 'c'`); err != nil {
			return err
		}
		if err := tx.Send(&store.Message{ConversationID: "c", SenderID: "me", Content: "x"}, nil); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("sent to a conversation that is hidden: %v", err)
		}
		return nil
	})
}

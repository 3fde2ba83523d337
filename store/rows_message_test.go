package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// inserts runs statements that are separated by semicolons.
func inserts(tx *store.Tx, statements string) error {
	for s := range strings.SplitSeq(statements, ";") {
		if _, err := tx.ExecForTest(s); err != nil {
			return err
		}
	}
	return nil
}

// twoPeople are me and you in the conversation c, in which you sent a message, answered
// mine and are mentioned in it.
const twoPeople = `INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at, is_admin) VALUES
		('me', 'm', 'm', 'Me', 'me', '', 0, 0, 1), ('you', 'y', 'y', 'You', 'you', '', 0, 0, 0);
	INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at)
		VALUES ('` + store.DeletedUserID + `', 'd', 'd', 'Deleted', '', '', 0, 0);
	INSERT INTO conversation (id, type, created_at, updated_at, live_count, last_message_at) VALUES ('c', 'group', 0, 0, 2, 20);
	INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'me', 'owner', 0), ('c', 'you', 'member', 0);
	INSERT INTO message (conversation_id, created_at, id, sender_id, content, reacted, mentioned) VALUES ('c', 10, 'mine', 'me', '@you', 1, 1);
	INSERT INTO message (conversation_id, created_at, id, sender_id, content, request_hash) VALUES ('c', 20, 'yours', 'you', 'text', x'01');
	INSERT INTO mention VALUES ('c', 10, 0, 'you', 4);
	INSERT INTO reaction (conversation_id, message_at, emoji, user_id, created_at) VALUES ('c', 10, 'e', 'you', 11);
	INSERT INTO report (id, reporter_id, target_type, target_id, user_id, reason, created_at) VALUES ('r', 'me', 'message', 'yours', 'you', 'spam', 30)`

// An account is read as deleted while its deletion is at that stage, and not while it
// is only frozen.
func TestReadAsDeleted(t *testing.T) {
	t.Parallel()
	me, you := store.Viewer{Kind: store.Human, UserID: "me", Admin: true}, store.Viewer{Kind: store.Human, UserID: "you"}
	said := func(all []store.Message, err error) (string, error) {
		shown, err := texts(all, err, func(m store.Message) string {
			if m.SenderID == "me" {
				return ""
			}
			return m.SenderID + " " + m.Content
		})
		return strings.Join(shown, ""), err
	}
	one := func(m store.Message, err error) (string, error) { return said([]store.Message{m}, err) }
	isMember := func(all []store.Member, err error) (string, error) {
		shown, err := texts(all, err, func(m store.Member) string { return strings.TrimPrefix(m.UserID, "me") })
		return strings.Join(shown, ""), err
	}
	quoted := func(all []store.Quote, err error) (string, error) {
		shown, err := texts(all, err, func(q store.Quote) string { return q.SenderID + " " + q.SenderName + " " + q.Content })
		return strings.Join(shown, ""), err
	}
	mine := []store.Message{{ConversationID: "c", CreatedAt: 10, Reacted: true, Mentioned: true}}
	const deleted = store.DeletedUserID
	db := storetest.OpenEmpty(t)
	db.Clock.Advance(time.Second)
	for name, c := range map[string]struct {
		read          func(r *store.Reader) (string, error)
		shown, hidden string
	}{
		"Members": {func(r *store.Reader) (string, error) { return isMember(r.Members(me, "c")) }, "you", deleted},
		"MembersOf": {func(r *store.Reader) (string, error) {
			return isMember(r.MembersOf(me, []store.Member{{ConversationID: "c", UserID: "you"}}))
		}, "you", deleted},
		"Member":          {func(r *store.Reader) (string, error) { m, err := r.Member(me, "c", "you"); return m.UserID, err }, "you", deleted},
		"Message":         {func(r *store.Reader) (string, error) { return one(r.Message(me, "yours")) }, "you text", deleted + " "},
		"MessagesByID":    {func(r *store.Reader) (string, error) { return said(r.MessagesByID(me, "yours")) }, "you text", deleted + " "},
		"Messages":        {func(r *store.Reader) (string, error) { return said(r.Messages(me, "c", 0, 9)) }, "you text", deleted + " "},
		"MessagesFrom":    {func(r *store.Reader) (string, error) { return said(r.MessagesFrom(me, "c", 0, 9)) }, "you text", deleted + " "},
		"MessagesSince":   {func(r *store.Reader) (string, error) { return said(messagesSince(r, me, 0, 9)) }, "you text", ""},
		"Retry":           {func(r *store.Reader) (string, error) { return one(r.Retry(you, "c", "yours", []byte{1})) }, "you text", deleted + " "},
		"ReportedMessage": {func(r *store.Reader) (string, error) { return one(r.ReportedMessage(me, "r")) }, "you text", deleted + " "},
		"Quotes":          {func(r *store.Reader) (string, error) { return quoted(r.Quotes(me, "yours")) }, "you You text", deleted + " Deleted account "},
		"QuoteIn": {func(r *store.Reader) (string, error) {
			q, err := r.QuoteIn(me, "c", "yours")
			return quoted([]store.Quote{q}, err)
		}, "you You text", deleted + " Deleted account "},
		"Mentions": {func(r *store.Reader) (string, error) {
			all, err := r.Mentions(me, mine)
			shown, err := texts(all, err, func(m store.Mention) string { return m.UserID })
			return strings.Join(shown, ""), err
		}, "you", ""},
		"Reactions": {func(r *store.Reader) (string, error) {
			all, err := r.Reactions(me, mine)
			shown, err := texts(all, err, func(c store.ReactionCount) string { return c.Emoji })
			return strings.Join(shown, ""), err
		}, "e", ""},
		"Reactors": {func(r *store.Reader) (string, error) { all, err := r.Reactors("mine"); return all["you"], err }, "e", ""},
	} {
		discardedIn(t, db, func(tx *store.Tx) error {
			if err := inserts(tx, twoPeople); err != nil {
				return err
			}
			for _, stage := range []string{"", "frozen", "redacted", "removed"} {
				if stage != "" {
					if _, err := tx.ExecForTest(`INSERT OR REPLACE INTO erasing VALUES ('you', 40, ?1)`, stage); err != nil {
						return err
					}
				}
				want := c.shown
				if stage == "redacted" {
					want = c.hidden
				}
				if got, err := c.read(&tx.Reader); got != want || err != nil {
					t.Errorf("%s at the stage %q: %q, want %q, %v", name, stage, got, want, err)
				}
			}
			return nil
		})
	}
}

// What is read of several messages or memberships at once is that of the ones that
// were asked for and that the viewer may see.
func TestRowsOfSeveralConversations(t *testing.T) {
	me, they := store.Viewer{Kind: store.Human, UserID: "me"}, store.Viewer{Kind: store.Human, UserID: "they"}
	discarded(t, func(tx *store.Tx) error {
		if err := inserts(tx, twoPeople+`;
			INSERT INTO conversation (id, type, created_at, updated_at) VALUES ('d', 'group', 0, 0), ('empty', 'group', 0, 0);
			INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('d', 'you', 'owner', 0), ('d', 'they', 'member', 0), ('empty', 'me', 'owner', 0), ('empty', 'you', 'member', 0);
			INSERT INTO user (id, email, email_key, name, name_key, signup_provider, created_at, updated_at) VALUES ('they', 't', 't', 'They', 'they', '', 0, 0);
			INSERT INTO reaction (conversation_id, message_at, emoji, user_id, kind, href, created_at) VALUES ('c', 10, 'f', 'me', 'filed', '/later', 900), ('c', 10, 'f', 'you', 'filed', '/first', 1000), ('c', 10, 'f', 'they', 'filed', '/before', 99)`); err != nil {
			return err
		}
		mine := []store.Message{{ConversationID: "c", CreatedAt: 10, Reacted: true, Mentioned: true}}
		for by, want := range map[string]int{"me": 1, "they": 0} {
			viewer := store.Viewer{Kind: store.Human, UserID: by}
			named, err := tx.Mentions(viewer, mine)
			counts, e := tx.Reactions(viewer, mine)
			if len(named) != want || len(counts) != 2*want || err != nil || e != nil {
				t.Errorf("%s reads %+v and %+v, %v, %v", by, named, counts, err, e)
			}
			for _, c := range counts {
				if c.Emoji == "f" && (c.Href != "/before" || c.Count != 3 || !c.ByViewer) {
					t.Errorf("%+v", c)
				}
			}
		}
		all, err := tx.MembersOf(me, []store.Member{{ConversationID: "c", UserID: "you"}, {ConversationID: "c", UserID: "they"}, {ConversationID: "d", UserID: "they"}})
		if len(all) != 1 || all[0].UserID != "you" || all[0].ConversationID != "c" || err != nil {
			t.Errorf("members %+v, %v", all, err)
		}
		for id, want := range map[string]error{"c": nil, "d": store.ErrNoRow, "empty": nil} {
			_, before := tx.Messages(me, id, 0, 9)
			_, from := tx.MessagesFrom(me, id, 0, 9)
			_, _, named := tx.ReadState(me, id)
			_, people := tx.Mentionable(me, id, "", 9)
			for _, err := range []error{before, from, named, people} {
				if !errors.Is(err, want) {
					t.Errorf("of %s: %v, want %v", id, err, want)
				}
			}
		}
		if s, err := tx.Sender("nobody"); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("the sender is %+v, %v", s, err)
		}
		_, err = tx.MessagesFrom(they, "c", 0, 9)
		if !errors.Is(err, store.ErrNoRow) {
			t.Errorf("of others: %v", err)
		}
		return nil
	})
}

// Deleted messages, also those that a merge of conversations would begin with, do not
// end what is read of their conversation.
func TestMessagesSinceAroundDeleted(t *testing.T) {
	me := store.Viewer{Kind: store.Human, UserID: "me"}
	since := func(tx *store.Tx, at store.Time, limit, size int) string {
		all, more, err := tx.MessagesSince(me, at, limit, size)
		ids, err := texts(all, err, func(m store.Message) string { return m.ID })
		if err != nil {
			t.Error(err)
		}
		return strings.Join(ids, " ") + map[bool]string{true: " and more"}[more]
	}
	discarded(t, func(tx *store.Tx) error {
		if err := inserts(tx, `INSERT INTO conversation (id, type, created_at, updated_at, last_message_at) VALUES ('c', 'group', 0, 0, 50), ('d', 'group', 0, 0, 40);
			INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES ('c', 'me', 'owner', 0), ('d', 'me', 'owner', 0);
			INSERT INTO message (conversation_id, created_at, id, sender_id, content, deleted_at) VALUES
				('c', 10, 'c1', 'me', '', 99), ('d', 20, 'd2', 'me', 'x', NULL), ('c', 30, 'c3', 'me', 'x', NULL), ('d', 40, 'd4', 'me', '', 99), ('c', 50, 'c5', 'me', 'x', NULL)`); err != nil {
			return err
		}
		for limit, want := range []string{" and more", "d2 and more", "d2 c3 and more", "d2 c3 c5", "d2 c3 c5"} {
			if got := since(tx, 5, limit, 9); got != want {
				t.Errorf("up to %d: %q, want %q", limit, got, want)
			}
		}
		for size, want := range []string{"d2 and more", "d2 and more", "d2 c3 and more", "d2 c3 c5", "d2 c3 c5"} {
			if got := since(tx, 5, 9, size); got != want {
				t.Errorf("up to %d bytes: %q, want %q", size, got, want)
			}
		}
		if got := since(tx, 30, 9, 0); got != "c5 and more" {
			t.Errorf("the last one, which is longer: %q", got)
		}
		return nil
	})
}

// Members are found by each word of their name, which may be typed in part or whole.
func TestMentionableByWords(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	write(t, db, func(tx *store.Tx) error {
		lee, err := tx.InsertUser(store.User{Email: "kim@example.org", Name: "Kim Lee", SignupProvider: "magic-link"})
		if err != nil {
			return err
		}
		id, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID, lee.ID}, "Names")
		if err != nil {
			return err
		}
		for q, want := range map[string]int{"": 2, "k": 1, "kim": 1, "lee": 1, "kim lee": 1, "lee ki": 1, "kim ben": 0, "kimm": 0, "im": 0, "ben": 1, "ada": 0, "kim lees": 0, "l": 1, "m": 0} {
			if found, err := tx.Mentionable(storetest.Human(p.Ada), id, q, 10); len(found) != want || err != nil {
				t.Errorf("%q: %d members, want %d, %v", q, len(found), want, err)
			}
		}
		return nil
	})
}

package store_test

import (
	"errors"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// redacted makes an account be read as deleted.
func redacted(t *testing.T, db *storetest.DB, id string) (out store.Redaction) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error { return tx.Freeze(id) })
	write(t, db, func(tx *store.Tx) error {
		a, err := tx.Authored(id)
		if err == nil {
			out, err = tx.Redact(a)
		}
		if err == nil && !out.Done {
			t.Error("not redacted")
		}
		return err
	})
	return out
}

// say sends a message and returns it as it is stored.
func say(t *testing.T, db *storetest.DB, m store.Message) store.Message {
	t.Helper()
	sent := m
	write(t, db, func(tx *store.Tx) error {
		sent = m
		sent.Mentions = slices.Clone(m.Mentions)
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

// When an account is read as deleted, every conversation is named once that has messages
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
			say(t, db, store.Message{ConversationID: id, SenderID: p.Ben.ID, Content: "@a", Mentions: []store.Mention{{UserID: p.Ada.ID, Size: 2}}})
		}
		if kind > 0 {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	if out := redacted(t, db, p.Ada.ID); !slices.Equal(out.Messages, want) || out.UserID != p.Ada.ID {
		t.Errorf("of %q: %q, want %q", out.UserID, out.Messages, want)
	}
}

// What an account wrote is read as deleted only if it has written nothing since that was
// read; what it wrote before and what others write does not matter.
func TestRedactionOfWhatWasRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, since string // who wrote
		done          bool
	}{
		"before":            {"Ada", "", true},
		"since":             {"Ben", "Ada", false},
		"another since":     {"Ada", "Ben", true},
		"before and since":  {"Ada", "Ada", false},
		"another's message": {"Ben", "", true},
	} {
		db := storetest.Open(t)
		p := storetest.People(t, db)
		id := group(t, db, p.Ada, p.Ben)
		by := map[string]store.User{"Ada": p.Ada, "Ben": p.Ben}
		send := func(name string) {
			if name == "" {
				return
			}
			m := say(t, db, store.Message{ConversationID: id, SenderID: by[name].ID, Content: "x"})
			write(t, db, func(tx *store.Tx) error {
				return tx.Emit(store.Event{Topic: id, Kind: "message.created", ObjectID: m.ID, ActorID: m.SenderID})
			})
		}
		write(t, db, func(tx *store.Tx) error { return tx.Freeze(p.Ada.ID) })
		send(tc.before)
		var a store.Authored
		if err := db.Read(t.Context(), func(r *store.Reader) (err error) {
			a, err = r.Authored(p.Ada.ID)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		send(tc.since)
		write(t, db, func(tx *store.Tx) error {
			out, err := tx.Redact(a)
			e, err2 := tx.Erasure(p.Ada.ID)
			if out.Done != tc.done || (e.Stage == store.Redacted) != tc.done {
				t.Errorf("%s: done %v, at the stage %s", name, out.Done, e.Stage)
			}
			return errors.Join(err, err2)
		})
	}
}

// An account is made to be read as deleted once, and only if its deletion has begun.
func TestRedactionOnce(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	redacted(t, db, p.Ada.ID)
	for _, u := range []store.User{p.Ada, p.Ben} {
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			a, err := tx.Authored(u.ID)
			if err == nil {
				_, err = tx.Redact(a)
			}
			return err
		}); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("%s: %v", u.Name, err)
		}
	}
}

// A thought shows the message that it was captured from until that is deleted, or its
// sender is read as such.
func TestSourceOfAThought(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	id := group(t, db, p.Ben, p.Ada, p.Cleo)
	var thoughts []store.Thought
	var messages []store.Message
	for _, u := range []store.User{p.Ada, p.Cleo, p.Cleo} {
		m := say(t, db, store.Message{ConversationID: id, SenderID: u.ID, Content: "x"})
		h := store.Thought{UserID: p.Ben.ID, Text: "x", Kind: "fact", Status: "none", SourceMessageID: m.ID, SourceConversationID: id}
		write(t, db, func(tx *store.Tx) error { h.ID = ""; return tx.InsertThought(&h) })
		thoughts, messages = append(thoughts, h), append(messages, m)
	}
	redacted(t, db, p.Ada.ID)
	write(t, db, func(tx *store.Tx) error { m := messages[1]; return tx.DeleteMessage(&m) })
	for n, want := range []string{"", "", messages[2].ID} {
		if err := db.Read(t.Context(), func(r *store.Reader) error {
			h, err := r.Thought(storetest.Human(p.Ben), thoughts[n].ID)
			if h.SourceMessageID != want || !h.FromMessage {
				t.Errorf("thought %d is from the message %q, want %q", n, h.SourceMessageID, want)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}

// A group whose only owner is deleted has another one: the person who joined first, or a
// bot if there is no person. Where there is another owner, and in direct conversations,
// nobody becomes one.
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
	for _, members := range [][]store.User{{p.Ada, bot}, {p.Ada, bot, p.Ben}, {p.Ada, p.Ben, p.Cleo}, {p.Ben, p.Ada, p.Cleo}, {p.Cleo, p.Ben, p.Ada}} {
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
	redacted(t, db, p.Ada.ID)
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

// The titles of direct conversations that an account began are gone when it is read as
// deleted, those of others are not, and nobody waits to ask it again or blocks it; its webhooks are
// off, those of others are not, and those that were off before stay as they were.
func TestWhatARedactionLeaves(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		for _, pair := range [][2]store.User{{p.Ada, p.Ben}, {p.Cleo, p.Ada}, {p.Ben, p.Cleo}} {
			if _, _, err := tx.InsertDirect(pair[0].ID, pair[1].ID, pair[0].Name+" to "+pair[1].Name); err != nil {
				return err
			}
		}
		for _, u := range []store.User{p.Ada, p.Ada, p.Ben, p.Ben} {
			w, err := tx.InsertWebhook(store.Webhook{UserID: u.ID, URL: "https://x.example/", Secret: "s", Token: "t"})
			if err == nil && len(w.ID) > 0 && u.ID == p.Ada.ID {
				_, err = tx.ExecForTest(`UPDATE webhook SET disabled_at = 7, disabled_why = 'failing' WHERE id <> ? AND user_id = ?`, w.ID, u.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	write(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.PutFriendCooldown(p.Ada.ID, p.Ben.ID, 1<<60), tx.PutFriendCooldown(p.Cleo.ID, p.Ada.ID, 1<<60), tx.PutFriendCooldown(p.Ben.ID, p.Cleo.ID, 1<<60))
	})
	write(t, db, func(tx *store.Tx) error {
		for _, pair := range [][2]string{{p.Ada.ID, p.Stranger.ID}, {p.Cleo.ID, p.Ada.ID}, {p.Cleo.ID, p.Stranger.ID}} {
			_, err := tx.InsertBlock(pair[0], pair[1])
			_, err2 := tx.HideDirects(pair[0], pair[1])
			if err := errors.Join(err, err2); err != nil {
				return err
			}
		}
		return nil
	})
	redacted(t, db, p.Ada.ID)
	if got := column(t, db, `SELECT blocked_id FROM block WHERE blocker_id IN (?1, ?2)`, p.Ada.ID, p.Cleo.ID); !slices.Equal(got, []string{p.Stranger.ID}) {
		t.Errorf("blocked: %q", got)
	}
	if got := column(t, db, `SELECT requester_id FROM friend_cooldown WHERE requester_id IN (?1, ?2, ?3)`, p.Ada.ID, p.Ben.ID, p.Cleo.ID); !slices.Equal(got, []string{p.Ben.ID}) {
		t.Errorf("may not ask again: %q", got)
	}
	if got := column(t, db, `SELECT title FROM conversation WHERE type = 'direct' AND title IS NOT NULL ORDER BY title`); !slices.Equal(got, []string{"Ben to " + p.Cleo.Name, p.Cleo.Name + " to Ada"}) {
		t.Errorf("titles: %q", got)
	}
	if got := column(t, db, `SELECT disabled_why FROM webhook WHERE user_id IN (?, ?) ORDER BY user_id = ?, disabled_why`, p.Ada.ID, p.Ben.ID, p.Ben.ID); !slices.Equal(got, []string{"failing", "owner", "", ""}) {
		t.Errorf("webhooks are off because of %q", got)
	}
}

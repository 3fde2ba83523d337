package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// crowded makes people, and a group of the first that all of them are in.
func crowded(t *testing.T, db *storetest.DB, n int) (people []store.User, id string) {
	t.Helper()
	people = make([]store.User, n)
	write(t, db, func(tx *store.Tx) (err error) {
		for i := range people {
			if people[i], err = tx.InsertUser(store.User{Email: fmt.Sprintf("p%d@example.org", i), Name: fmt.Sprint("P", i),
				SignupProvider: "test"}); err != nil {
				return err
			}
		}
		return nil
	})
	return people, group(t, db, people...)
}

// recentOf returns the people that a group names, in their order.
func recentOf(t *testing.T, db *storetest.DB, id string) (names []string) {
	t.Helper()
	for ids := column(t, db, `SELECT recent FROM conversation WHERE id = ?`, id)[0]; ids != ""; ids = ids[36:] {
		names = append(names, column(t, db, `SELECT name FROM user WHERE id = ?`, ids[:36])...)
	}
	return names
}

// In the place of former members a group names the others who sent last, and then
// those who joined first, however the members left.
func TestRecentWithoutThoseWhoLeft(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(t *testing.T, db *storetest.DB, group string, owner, who store.User){
		"removed": func(t *testing.T, db *storetest.DB, group string, owner, who store.User) {
			write(t, db, func(tx *store.Tx) error { return tx.RemoveMember(storetest.Human(owner), group, who.ID) })
		},
		"deleted": func(t *testing.T, db *storetest.DB, group string, owner, who store.User) {
			erased(t, db, who.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			p, id := crowded(t, db, 12)
			sends := func(n int) { say(t, db, store.Message{ConversationID: id, SenderID: p[n].ID, Content: "x"}) }
			write(t, db, func(tx *store.Tx) error { return tx.SetRole(id, p[1].ID, "owner") })
			sends(11)
			sends(10)
			for n := range 8 {
				sends(n)
			}
			for _, c := range []struct {
				leaves int
				want   string
			}{
				{3, "P7 P6 P5 P4 P2 P1 P0 P10"},
				{7, "P6 P5 P4 P2 P1 P0 P10 P11"},
				{0, "P6 P5 P4 P2 P1 P10 P11 P8"},
				{9, "P6 P5 P4 P2 P1 P10 P11 P8"},
				{6, "P5 P4 P2 P1 P10 P11 P8"},
				{8, "P5 P4 P2 P1 P10 P11"},
			} {
				leave(t, db, id, p[1], p[c.leaves])
				if got := strings.Join(recentOf(t, db, id), " "); got != c.want {
					t.Errorf("without P%d: %s, want %s", c.leaves, got, c.want)
				}
			}
		})
	}
}

// What members, bots and administrators do leaves every rule of the database in place,
// in any order.
func TestRulesOfGroupsHold(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := newGroupModel(t, seed)
			for range 10 {
				m.run(20, m.rng.IntN(20))
				storetest.CheckRecent(t, m.db.Path())
			}
		})
	}
}

// groupModel does things at random in two groups.
type groupModel struct {
	*testing.T
	db      *storetest.DB
	rng     *rand.Rand
	people  []store.User
	groups  [2]string
	members map[string][]string // of a group
	sent    []store.Message
}

func newGroupModel(t *testing.T, seed uint64) *groupModel {
	m := &groupModel{T: t, db: storetest.Open(t), rng: rand.New(rand.NewPCG(seed, 1)), members: map[string][]string{}}
	m.people, m.groups[0] = crowded(t, m.db, 14)
	m.groups[1] = group(t, m.db, m.people[:9]...)
	for i, u := range m.people {
		m.members[m.groups[0]] = append(m.members[m.groups[0]], u.ID)
		if i < 9 {
			m.members[m.groups[1]] = append(m.members[m.groups[1]], u.ID)
		}
	}
	write(t, m.db, func(tx *store.Tx) error {
		bots := slices.Clone(m.people[:3])
		for _, owner := range bots {
			if _, err := tx.InsertUser(store.User{Email: "bot-" + owner.Email, Name: "Bot of " + owner.Name, IsBot: true, BotOwnerID: owner.ID,
				SignupProvider: "test"}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, id := range column(t, m.db, `SELECT id FROM user WHERE is_bot = 1 AND signup_provider = 'test'`) {
		m.people = append(m.people, store.User{ID: id, IsBot: true})
	}
	return m
}

// run takes steps. In talk of 20 steps on average, a member sends a message.
func (m *groupModel) run(steps, talk int) {
	for range steps {
		m.db.Clock.Advance(time.Second)
		id := m.groups[m.rng.IntN(2)]
		u := m.people[m.rng.IntN(len(m.people))]
		in := slices.Contains(m.members[id], u.ID)
		switch k := m.rng.IntN(10); {
		case m.rng.IntN(20) < talk && in:
			m.sent = append(m.sent, say(m.T, m.db, store.Message{ConversationID: id, SenderID: u.ID, Content: "x"}))
		case k < 2 && !in:
			write(m.T, m.db, func(tx *store.Tx) error { return tx.AddMember(id, u.ID, "member") })
			m.members[id] = append(m.members[id], u.ID)
		case k < 6 && in && m.mayLeave(id, u.ID):
			by := []string{u.ID, m.members[id][0]}[m.rng.IntN(2)]
			write(m.T, m.db, func(tx *store.Tx) error { return tx.RemoveMember(human(by), id, u.ID) })
			m.leaves(id, u.ID)
		case k == 6 && in:
			write(m.T, m.db, func(tx *store.Tx) error { return tx.SetRole(id, u.ID, "owner") })
		case k == 7 && in:
			m.reads(id, u.ID)
		case k == 8 && len(m.sent) > 0:
			m.deleteOne()
		case k == 9 && m.rng.IntN(3) == 0:
			m.erase(u)
		}
	}
}

// mayLeave reports whether a group has an owner without an account, as operations see
// to.
func (m *groupModel) mayLeave(id, userID string) bool {
	return len(column(m.T, m.db, `SELECT user_id FROM member WHERE conversation_id = ? AND role = 'owner' AND user_id <> ?`, id, userID)) > 0
}

func (m *groupModel) leaves(id, userID string) {
	m.members[id] = slices.DeleteFunc(m.members[id], func(of string) bool { return of == userID })
}

func (m *groupModel) deleteOne() {
	i := m.rng.IntN(len(m.sent))
	write(m.T, m.db, func(tx *store.Tx) error { x := m.sent[i]; return tx.DeleteMessage(&x) })
	m.sent = slices.Delete(m.sent, i, i+1)
}

// reads marks the messages up to one of the last minute as read, or those from it on as
// unread.
func (m *groupModel) reads(id, userID string) {
	ago, read := m.rng.IntN(60), m.rng.IntN(2) == 0
	write(m.T, m.db, func(tx *store.Tx) (err error) {
		at := store.TimeOf(tx.Now.Go().Add(-time.Duration(ago) * time.Second))
		if read {
			_, err = tx.MarkRead(human(userID), id, at)
		} else {
			_, err = tx.MarkUnread(human(userID), id, at)
		}
		return err
	})
}

// erase deletes an account, and its bots before it, unless it is the last one of a
// group.
func (m *groupModel) erase(u store.User) {
	gone := append(column(m.T, m.db, `SELECT id FROM user WHERE bot_owner_id = ?`, u.ID), u.ID)
	for _, members := range m.members {
		if !slices.ContainsFunc(members, func(id string) bool { return !slices.Contains(gone, id) }) {
			return
		}
	}
	for _, id := range gone {
		erased(m.T, m.db, id)
		m.people = slices.DeleteFunc(m.people, func(p store.User) bool { return p.ID == id })
		m.sent = slices.DeleteFunc(m.sent, func(x store.Message) bool { return x.SenderID == id })
		m.leaves(m.groups[0], id)
		m.leaves(m.groups[1], id)
	}
}

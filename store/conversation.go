package store

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"
)

// Conversation is a conversation's row as shown to one of its members: with
// their role, what they have read and whether it is muted for them.
type Conversation struct {
	ID            string
	Type          string // direct, group
	Title         string // "" has none
	LastMessageAt Time   // of the newest message, deleted or not; 0 while empty
	CreatedAt     Time
	UpdatedAt     Time
	MemberCount   int
	BotCount      int
	Owners        IDs // the first 8 owners to join, in that order
	Recent        IDs // 8 members, or all: in a group first those who sent last
	AvatarURL     string
	Open          bool // every account may join
	Default       bool // new accounts do

	Role       string // of the viewer: owner, member
	LastReadAt Time   // 0 before the viewer first reads
	Unread     int    // messages of others, not deleted, after LastReadAt
	Mentioned  bool   // one of those mentions the viewer
	MutedUntil Time
	Notify     string // which messages the viewer is notified of: all, mentions, none

	Last Message // the newest message; its ID is "" while empty
}

// maxIDs is how many ids Owners and Recent have at most.
const maxIDs = 8

// At returns the time by which conversations are listed: that of the newest
// message, or of the conversation itself while it has none.
func (c *Conversation) At() Time { return cmp.Or(c.LastMessageAt, c.CreatedAt) }

// conversationColumns are the columns of a conversation c and the viewer's member
// row m, for which a query adds visibleMembership.
const conversationColumns = `c.id, c.type, c.title, c.last_message_at, c.created_at, c.updated_at,
	c.member_count, c.bot_count, c.owners, c.recent, c.avatar_url, c.open, c.is_default, m.role, m.last_read_at,
	c.live_count - m.seen_count AS unread, ` + unreadMention + ` AS named, m.muted_until, ` + notifyOf

// notifyOf is which messages the member m of the conversation c is notified of.
const notifyOf = `coalesce(m.notify, iif(c.type = 'direct', 'all', 'mentions'))`

const conversationTables = ` FROM member m CROSS JOIN conversation c ON c.id = m.conversation_id WHERE `

// conversationQuery returns the SELECT of the conversations of a subquery with
// conversationColumns, with the newest message of each.
func conversationQuery(subquery string) string {
	return `SELECT c.*, ` + messageColumns + ` FROM (` + subquery + `) c
		LEFT JOIN message x ON x.conversation_id = c.id AND x.created_at = c.last_message_at /* scan: the rows of one page */`
}

func (c *Conversation) derive() { c.Last.derive() }

// Conversation returns the conversation with the id if by may see it; ErrNoRow
// otherwise.
func (r *Reader) Conversation(by Viewer, id string) (Conversation, error) {
	return one[Conversation](r, conversationQuery(`SELECT `+conversationColumns+conversationTables+`m.conversation_id = ?1 AND `+
		visibleMembership("m", "?2")), id, by.UserID)
}

// Conversations returns up to limit conversations of by with At before a
// moment (0: the newest), the newest first. It sorts the conversations of by,
// without their messages: an index by time would cost a write for every member
// with every message.
func (r *Reader) Conversations(by Viewer, before Time, limit int) ([]Conversation, error) {
	cs, err := all[Conversation](r, conversationQuery(`SELECT `+conversationColumns+conversationTables+`m.conversation_id IN (
			SELECT m.conversation_id`+conversationTables+visibleMembership("m", "?1")+` AND coalesce(c.last_message_at, c.created_at) < ?2
			ORDER BY coalesce(c.last_message_at, c.created_at) DESC LIMIT ?3)
		AND `+visibleMembership("m", "?1")), by.UserID, orEnd(before), limit)
	sort.Slice(cs, func(i, j int) bool { return cs[i].At() > cs[j].At() })
	return cs, err
}

// orEnd returns t for use as an upper bound, and the end of time for 0.
func orEnd(t Time) Time {
	if t == 0 {
		return math.MaxInt64
	}
	return t
}

// DirectConversation returns the id of the direct conversation between two
// people, or of one with themselves; ErrNoRow if there is none.
func (r *Reader) DirectConversation(a, b string) (string, error) {
	return one[string](r, `SELECT id FROM conversation WHERE direct_key = ? /* server: one direct conversation a pair */`, directKey(a, b))
}

func directKey(a, b string) string { return min(a, b) + ":" + max(a, b) }

// DirectWith returns the id of the direct conversation of by with another account,
// who may be the same; ErrNoRow if by may see none.
func (r *Reader) DirectWith(by Viewer, userID string) (string, error) {
	return one[string](r, `SELECT c.id FROM conversation c WHERE c.direct_key = ?1 AND `+visibleConversation("c.id", "?2"),
		directKey(by.UserID, userID), by.UserID)
}

// InsertDirect adds the direct conversation of owner with other, who may be
// the same, and returns its id. If there is one, it returns the id of that one,
// and made is false.
func (tx *Tx) InsertDirect(owner, other, title string) (id string, made bool, err error) {
	if id, err = tx.DirectConversation(owner, other); !errors.Is(err, ErrNoRow) {
		return id, false, err
	}
	id, err = tx.insertConversation("direct", title, directKey(owner, other), owner, []string{other})
	return id, err == nil, err
}

// InsertGroup adds a group of owner and others, who are all different.
func (tx *Tx) InsertGroup(owner string, others []string, title string) (id string, err error) {
	return tx.insertConversation("group", title, "", owner, others)
}

func (tx *Tx) insertConversation(typ, title, key, owner string, others []string) (string, error) {
	id := NewTimeID(tx.Now)
	members := append([]string{owner}, slices.DeleteFunc(slices.Clone(others), func(o string) bool { return o == owner })...)
	err := tx.exec(`INSERT INTO conversation (id, type, title, direct_key, created_at, updated_at, member_count, bot_count, owners, recent)
		VALUES (?1, ?2, nullif(?3, ''), nullif(?4, ''), ?5, ?5, ?6,
			(SELECT count(*) FROM json_each(?7) j JOIN user u ON u.id = j.value WHERE u.is_bot = 1 /* server: its members, counted */), ?8, ?9)`,
		id, typ, title, key, tx.Now, len(members), jsonList(members), owner, strings.Join(members[:min(len(members), maxIDs)], ""))
	for i, m := range members {
		role, at := "owner", tx.Now
		if i > 0 {
			role, at = "member", tx.Tick() // they are listed in the order given
		}
		if err == nil {
			err = tx.exec(`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)`, id, m, role, at)
		}
	}
	if err == nil && typ == "direct" {
		_, err = tx.HideDirects(owner, others[0])
	}
	return id, err
}

// SetTitle changes the conversation's title; "" removes it.
func (tx *Tx) SetTitle(id, title string) error {
	return tx.exec1(`UPDATE conversation SET title = nullif(?2, ''), updated_at = ?3 WHERE id = ?1`, id, title, tx.Now)
}

package store

// Block is that one account blocks another, which hides both from each other.
type Block struct {
	UserID    string // who is blocked
	CreatedAt Time
}

const blockColumns = `b.blocked_id, b.created_at`

// Blocks returns up to limit blocks that by made, the newest first.
func (r *Reader) Blocks(by Viewer, limit int) ([]Block, error) {
	return all[Block](r, `SELECT `+blockColumns+` FROM block b WHERE `+ownBlock("b", "?1")+`
		ORDER BY b.created_at DESC LIMIT ?2`, by.UserID, limit)
}

// Block returns the block that by made of an account; ErrNoRow if there is none.
func (r *Reader) Block(by Viewer, userID string) (Block, error) {
	return one[Block](r, `SELECT `+blockColumns+` FROM block b WHERE b.blocked_id = ?2 AND `+ownBlock("b", "?1"), by.UserID, userID)
}

// MayBlock reports whether by may block an account: one that they see, or that
// is in a conversation with them.
func (r *Reader) MayBlock(by Viewer, userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user u WHERE u.id = ?2 AND `+blockableUser("u", "?1")+`)`, by.UserID, userID)
}

// MayReport reports whether by may report an account.
func (r *Reader) MayReport(by Viewer, userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user u WHERE u.id = ?2 AND `+reportableUser("u", "?1")+`)`, by.UserID, userID)
}

// InsertBlock adds a block of an account by another and returns how many the
// other has then. It returns ErrTaken if there is one.
func (tx *Tx) InsertBlock(blockerID, blockedID string) (count int, err error) {
	if err = tx.exec(`INSERT INTO block (blocker_id, blocked_id, created_at) VALUES (?, ?, ?)`, blockerID, blockedID, tx.Now); err != nil {
		return 0, err
	}
	return one[int](&tx.Reader, `SELECT count(*) FROM block b WHERE `+ownBlock("b", "?1"), blockerID)
}

// DeleteBlock ends a block. It returns ErrNoRow if there is none.
func (tx *Tx) DeleteBlock(blockerID, blockedID string) error {
	return tx.exec1(`DELETE FROM block WHERE blocker_id = ? AND blocked_id = ?`, blockerID, blockedID)
}

// Direct is a direct conversation that a block hides from both of its members,
// or that they see again.
type Direct struct {
	ID              string
	UserID, OtherID string
	Hidden          bool
}

// HideDirects hides the direct conversations between two accounts and their bots from
// both members if there is a block between the accounts, and shows them otherwise. It
// returns the conversations that changed.
func (tx *Tx) HideDirects(a, b string) (changed []Direct, err error) {
	directs, err := all[Direct](&tx.Reader, `WITH
		a (id, owner) AS (SELECT u.id, u.bot_owner_id FROM user u WHERE u.id = ?1
			UNION ALL SELECT u.id, u.bot_owner_id FROM user u WHERE u.bot_owner_id = ?1),
		b (id, owner) AS (SELECT u.id, u.bot_owner_id FROM user u WHERE u.id = ?2
			UNION ALL SELECT u.id, u.bot_owner_id FROM user u WHERE u.bot_owner_id = ?2)
		SELECT c.id, a.id, b.id, (
			EXISTS (SELECT 1 FROM block k WHERE k.blocker_id IN (a.id, a.owner) AND k.blocked_id IN (b.id, b.owner))
			OR EXISTS (SELECT 1 FROM block k WHERE k.blocker_id IN (b.id, b.owner) AND k.blocked_id IN (a.id, a.owner)))
		FROM a CROSS JOIN b CROSS JOIN conversation c ON c.direct_key = min(a.id, b.id) || ':' || max(a.id, b.id)
		/* server: what a block hides */`, a, b)
	for _, d := range directs {
		var n int64
		if err == nil {
			n, err = tx.execCount(`UPDATE member SET hidden = ?2 WHERE conversation_id = ?1 AND hidden <> ?2`, d.ID, d.Hidden)
		}
		if n > 0 {
			changed = append(changed, d)
		}
	}
	return changed, err
}

// IsHidden reports whether a conversation of by is hidden from them by a block.
func (r *Reader) IsHidden(by Viewer, conversationID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM member m
		WHERE m.conversation_id = ?1 AND m.user_id = ?2 AND m.hidden = 1 /* server: messages to it are dropped */)`, conversationID, by.UserID)
}

// AreTogether reports whether two accounts are in a conversation that is not
// hidden from them.
func (r *Reader) AreTogether(a, b string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM member m JOIN member o ON o.conversation_id = m.conversation_id
		WHERE m.user_id = ?1 AND m.hidden = 0 AND o.user_id = ?2 /* server: who is notified of a change */)`, a, b)
}

// BlockedMembers returns the members of a conversation that have a block with another
// member, in either direction. A block of a person also counts for their bots.
func (r *Reader) BlockedMembers(conversationID string) ([]string, error) {
	const pairs = ` FROM member m CROSS JOIN user u ON u.id = m.user_id CROSS JOIN block b ON b.blocker_id IN (u.id, u.bot_owner_id)
		CROSS JOIN member o ON o.conversation_id = m.conversation_id
			AND o.user_id IN (SELECT b.blocked_id UNION ALL SELECT h.id FROM user h WHERE h.bot_owner_id = b.blocked_id)
		WHERE m.conversation_id = ?1`
	return all[string](r, `SELECT m.user_id`+pairs+` UNION SELECT o.user_id`+pairs+`
		/* server: members whose events differ from other members' events */`, conversationID)
}

// CommentsHiddenFrom returns the accounts to which the comments of an account on a list
// are not shown.
func (r *Reader) CommentsHiddenFrom(listID, userID string) ([]string, error) {
	return all[string](r, `SELECT p.id FROM list l CROSS JOIN (`+blockedWith+`) p WHERE l.id = ?2 AND NOT `+keptList("l", "p.id")+`
		/* server: who is not shown what an account does */ /* scan: those with a block */`, userID, listID)
}

// blockedWith is the SELECT of the accounts with which the account ?1 has a block.
var blockedWith = func() string {
	both := `(?1, ` + ownerOf("?1") + `)`
	return `SELECT b.blocked_id AS id FROM block b WHERE b.blocker_id IN ` + both + `
		UNION SELECT b.blocker_id FROM block b WHERE b.blocked_id IN ` + both + `
		UNION SELECT u.id FROM block b CROSS JOIN user u ON u.bot_owner_id = b.blocked_id WHERE b.blocker_id IN ` + both + `
		UNION SELECT u.id FROM block b CROSS JOIN user u ON u.bot_owner_id = b.blocker_id WHERE b.blocked_id IN ` + both + `
		`
}()

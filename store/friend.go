package store

// Friend is how an account relates to another account.
type Friend struct {
	UserID    string // the other
	State     string // incoming, outgoing, friends
	UpdatedAt Time
}

const friendColumns = `f.other_id, f.state, f.updated_at`

// Friends returns up to limit friends and requests of by, the latest change
// first.
func (r *Reader) Friends(by Viewer, limit int) ([]Friend, error) {
	return all[Friend](r, `SELECT `+friendColumns+` FROM friend f WHERE `+visibleFriend("f", "?1")+`
		ORDER BY f.updated_at DESC LIMIT ?2`, by.UserID, limit)
}

// FriendsByID returns how by relates to the accounts with the ids that are friends or
// have a friend request with by, in no order.
func (r *Reader) FriendsByID(by Viewer, userIDs ...string) ([]Friend, error) {
	return all[Friend](r, `SELECT `+friendColumns+` FROM json_each(?2) j JOIN friend f ON f.other_id = j.value
		WHERE `+visibleFriend("f", "?1"), by.UserID, jsonList(userIDs))
}

// Friend returns how by relates to an account; ErrNoRow if they are no friends
// and none asked to be.
func (r *Reader) Friend(by Viewer, userID string) (Friend, error) {
	return one[Friend](r, `SELECT `+friendColumns+` FROM friend f WHERE f.other_id = ?2 AND `+visibleFriend("f", "?1"), by.UserID, userID)
}

// MayBefriend reports whether by may ask an account to be friends, or answer it.
func (r *Reader) MayBefriend(by Viewer, userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user u WHERE u.id = ?2 AND `+befriendableUser("u", "?1")+`)`, by.UserID, userID)
}

// PutFriends sets how two accounts relate to each other: state is that of a, and
// mirrored that of b.
func (tx *Tx) PutFriends(a, b, state, mirrored string) error {
	return tx.exec(`INSERT INTO friend (user_id, other_id, state, updated_at) VALUES (?1, ?2, ?3, ?5), (?2, ?1, ?4, ?5)
		ON CONFLICT (user_id, other_id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
		/* scan: two rows */`, a, b, state, mirrored, tx.Now)
}

// DeleteFriends ends the friendship or the request of two accounts, and reports
// whether there was one.
func (tx *Tx) DeleteFriends(a, b string) (bool, error) {
	n, err := tx.execCount(`DELETE FROM friend WHERE user_id = ?1 AND other_id = ?2 OR user_id = ?2 AND other_id = ?1`, a, b)
	return n > 0, err
}

// FriendCooldown returns until when the requester cannot ask the other again,
// who declined; 0 if it can.
func (r *Reader) FriendCooldown(requesterID, otherID string) (until Time, err error) {
	return orZero(one[Time](r, `SELECT c.until FROM friend_cooldown c
		WHERE c.requester_id = ? AND c.other_id = ? AND c.until > ? /* server: a limit */`, requesterID, otherID, r.Now()))
}

// PutFriendCooldown keeps the requester from asking the other before until.
func (tx *Tx) PutFriendCooldown(requesterID, otherID string, until Time) error {
	return tx.exec(`INSERT INTO friend_cooldown (requester_id, other_id, until) VALUES (?1, ?2, ?3)
		ON CONFLICT (requester_id, other_id) DO UPDATE SET until = ?3`, requesterID, otherID, until)
}

// DeleteFriendCooldowns lets two accounts ask each other again.
func (tx *Tx) DeleteFriendCooldowns(a, b string) error {
	return tx.exec(`DELETE FROM friend_cooldown WHERE requester_id = ?1 AND other_id = ?2 OR requester_id = ?2 AND other_id = ?1`, a, b)
}

package store

// Star records that an account has starred an item, and reports whether it had
// not before. The item's count is kept; no time of change moves.
func (tx *Tx) Star(i Item, userID string) (changed bool, err error) {
	n, err := tx.execCount(`INSERT OR IGNORE INTO item_star (item_id, user_id, created_at) VALUES (?, ?, ?)`, i.ID, userID, tx.Now)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.exec1(`UPDATE item SET star_count = star_count + 1 WHERE id = ?`, i.ID)
}

// Unstar takes an account's star from an item, and reports whether there was
// one.
func (tx *Tx) Unstar(i Item, userID string) (changed bool, err error) {
	n, err := tx.execCount(`DELETE FROM item_star WHERE item_id = ? AND user_id = ?`, i.ID, userID)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.exec1(`UPDATE item SET star_count = star_count - 1 WHERE id = ?`, i.ID)
}

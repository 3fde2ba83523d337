package store

// DeleteList deletes a list with its items and members.
func (tx *Tx) DeleteList(l List) error {
	return tx.exec1(`DELETE FROM list WHERE id = ?`, l.ID)
}

package store

// itemsDeletedAtOnce is up to how many items a list is deleted in one write.
const itemsDeletedAtOnce = 100

// DeleteList deletes a list with its items and members. If it has many items,
// it becomes invisible to everybody at once and DropLists deletes them later.
func (tx *Tx) DeleteList(l List) error {
	tx.listChanged(l.ID)
	if err := tx.ensureDeletedUser(); err != nil {
		return err
	}
	if err := tx.execAll(
		statement{`UPDATE list SET owner_id = ?2, visibility = 'private' WHERE id = ?1`, []any{l.ID, DeletedUserID}},
		statement{`DELETE FROM list_member WHERE list_id = ?`, []any{l.ID}},
		statement{`DELETE FROM held_item WHERE list_id = ?`, []any{l.ID}},
	); err != nil || l.ItemCount > itemsDeletedAtOnce {
		return err
	}
	items, err := all(&tx.Reader, scanStoredItem, `SELECT `+storedItemColumns+` FROM item i WHERE i.list_id = ? /* server: a list that is deleted */`, l.ID)
	if err == nil {
		err = tx.dropItems(items)
	}
	if err == nil {
		err = tx.dropLists([]List{l})
	}
	return err
}

// DropLists deletes up to limit rows of lists that were deleted, and returns how
// many.
func (tx *Tx) DropLists(limit int) (int64, error) { return tx.scrubLists(DeletedUserID, limit) }

// scrubLists deletes up to limit items of the lists of an account, or, once they
// have none, lists.
func (tx *Tx) scrubLists(ownerID string, limit int) (int64, error) {
	items, err := all(&tx.Reader, scanStoredItem, `SELECT `+storedItemColumns+` FROM list l CROSS JOIN item i ON i.list_id = l.id
		WHERE l.owner_id = ? LIMIT ? /* server: lists that are deleted */`, ownerID, limit)
	if err != nil || len(items) > 0 {
		return int64(len(items)), tx.dropItems(items)
	}
	lists, err := all(&tx.Reader, scanStoredList, `SELECT l.id, l.title, l.description FROM list l WHERE l.owner_id = ? LIMIT ? /* server: lists that are deleted */`, ownerID, limit)
	if err == nil {
		err = tx.dropLists(lists)
	}
	return int64(len(lists)), err
}

// dropItems deletes items of lists that are deleted: the count is not kept.
func (tx *Tx) dropItems(items []Item) error {
	for n := range items {
		i := &items[n]
		if err := tx.indexItem(i, nil); err != nil {
			return err
		}
		if err := tx.execAll(
			statement{`DELETE FROM item WHERE id = ?`, []any{i.ID}},
			statement{`UPDATE list SET item_count = item_count - 1 WHERE id = ?`, []any{i.ListID}},
		); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) dropLists(lists []List) error {
	for n := range lists {
		if err := tx.indexList(&lists[n], nil); err != nil {
			return err
		}
		if err := tx.exec1(`DELETE FROM list WHERE id = ?`, lists[n].ID); err != nil {
			return err
		}
	}
	return nil
}

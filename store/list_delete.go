package store

// itemsDeletedAtOnce is up to how many items a list is deleted in one write.
const itemsDeletedAtOnce = 100

// rowsDeletedAtOnce is up to how many comments, stars and receipts go with them.
const rowsDeletedAtOnce = 1000

// textDeletedAtOnce is how many bytes of text they have, if they are several.
const textDeletedAtOnce = 16 << 10

const storedItemColumns = `i.id, i.list_id, i.rank, i.content, coalesce(i.source_url, ''), coalesce(i.source_note, '')`

// scanStoredItem scans storedItemColumns.
func scanStoredItem(s scanner) (i Item, err error) {
	err = s.Scan(&i.ID, &i.ListID, &i.Rank, &i.Content, &i.SourceURL, &i.SourceNote)
	return i, err
}

// scanStoredList scans the id, the title and the description of a list.
func scanStoredList(s scanner) (l List, err error) {
	err = s.Scan(&l.ID, &l.Title, &l.Description)
	return l, err
}

// DeleteList deletes a list with its items and members. If it has many items, or
// they have much, it becomes invisible to everybody at once and DropLists deletes them later.
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
	var rows int
	if err := tx.value([]any{&rows}, `SELECT count(*) FROM (
			SELECT 1 FROM item i CROSS JOIN item_comment c ON c.item_id = i.id WHERE i.list_id = ?1
			UNION ALL SELECT 1 FROM item i CROSS JOIN item_star s ON s.item_id = i.id WHERE i.list_id = ?1
			UNION ALL SELECT 1 FROM item_receipt r WHERE r.list_id = ?1 LIMIT ?2) /* server: a list that is deleted */`, l.ID, rowsDeletedAtOnce+1); err != nil || rows > rowsDeletedAtOnce {
		return err
	}
	items, more, err := within(&tx.Reader, textDeletedAtOnce, scanStoredItem, `SELECT `+storedItemColumns+` FROM item i WHERE i.list_id = ? /* server: a list that is deleted */`, l.ID)
	if err != nil || more {
		return err
	}
	err = tx.dropItems(items)
	if err == nil {
		err = tx.dropLists([]List{l})
	}
	return err
}

// discardItem moves an item, without its words, to a list of its own that is
// deleted, and reports whether it was checked off. The counts of its list are the
// caller's.
func (tx *Tx) discardItem(id string) (checked bool, err error) {
	if err := tx.ensureDeletedUser(); err != nil {
		return false, err
	}
	if err := tx.value([]any{&checked}, `SELECT i.checked_at IS NOT NULL FROM item i WHERE i.id = ? /* server: an item that is deleted */`, id); err != nil {
		return false, err
	}
	list := NewID()
	return checked, tx.execAll(
		statement{`INSERT INTO list (id, owner_id, title, visibility, slug, item_count, created_at, updated_at) VALUES (?1, ?2, '', 'private', '', 1, ?3, ?3)`,
			[]any{list, DeletedUserID, int64(tx.Now)}},
		statement{`UPDATE item SET list_id = ?2, rank = 0, content = '', metadata = NULL, author_id = NULL, anonymous = 0, source_url = NULL, source_note = NULL,
			link_key = NULL, checked_at = NULL, checked_by = NULL WHERE id = ?1`, []any{id, list}},
	)
}

// DropLists deletes up to limit rows of lists that were deleted, and returns how
// many.
func (tx *Tx) DropLists(limit int) (int64, error) { return tx.scrubLists(DeletedUserID, limit) }

// scrubLists deletes up to limit items of the lists of an account, or, once they
// have none, receipts, and at last lists. It deletes about as many rows.
func (tx *Tx) scrubLists(ownerID string, limit int) (int64, error) {
	items, _, err := within(&tx.Reader, textDeletedAtOnce, scanStoredItem, `SELECT `+storedItemColumns+` FROM list l CROSS JOIN item i ON i.list_id = l.id
		WHERE l.owner_id = ? LIMIT ? /* server: lists that are deleted */`, ownerID, limit)
	if err != nil || len(items) > 0 {
		return tx.dropSome(items, limit)
	}
	n, err := tx.exec(`DELETE FROM item_receipt WHERE token_hash IN (SELECT r.token_hash FROM list l CROSS JOIN item_receipt r ON r.list_id = l.id
		WHERE l.owner_id = ? LIMIT ?) /* server: lists that are deleted */`, ownerID, limit)
	if err != nil || n > 0 {
		return n, err
	}
	lists, _, err := within(&tx.Reader, textDeletedAtOnce, scanStoredList, `SELECT l.id, l.title, l.description FROM list l WHERE l.owner_id = ? LIMIT ? /* server: lists that are deleted */`, ownerID, limit)
	if err == nil {
		err = tx.dropLists(lists)
	}
	return int64(len(lists)), err
}

// dropSome deletes the first items that have, with their comments and stars, up to
// limit rows, or a part of what the first one has. It returns how many items, or
// rows of the one, it deleted.
func (tx *Tx) dropSome(items []Item, limit int) (int64, error) {
	rows := 0
	for n := range items {
		has := 0
		if err := tx.value([]any{&has}, `SELECT (SELECT count(*) FROM item_comment c WHERE c.item_id = ?1) + (SELECT count(*) FROM item_star s WHERE s.item_id = ?1)
			/* server: lists that are deleted */`, items[n].ID); err != nil {
			return 0, err
		}
		if rows += 1 + has; rows > limit && n == 0 && has > 0 {
			return tx.dropPart(items[0].ID, limit)
		} else if rows > limit && n > 0 {
			items = items[:n]
			break
		}
	}
	return int64(len(items)), tx.dropItems(items)
}

// dropPart deletes up to limit comments of an item, those that answer others first,
// or, once it has none, stars.
func (tx *Tx) dropPart(itemID string, limit int) (n int64, err error) {
	for _, query := range []string{
		`DELETE FROM item_comment WHERE id IN (SELECT c.id FROM item_comment c WHERE c.item_id = ?1 ORDER BY c.path DESC LIMIT ?2) /* server: lists that are deleted */`,
		`DELETE FROM item_star WHERE (item_id, user_id) IN (SELECT s.item_id, s.user_id FROM item_star s WHERE s.item_id = ?1 LIMIT ?2) /* server: lists that are deleted */`,
	} {
		if n, err = tx.exec(query, itemID, limit); err != nil || n > 0 {
			break
		}
	}
	if err == nil {
		err = tx.exec1(`UPDATE item SET comment_count = (SELECT count(*) FROM item_comment c WHERE c.item_id = ?1 AND c.deleted_at IS NULL),
			star_count = (SELECT count(*) FROM item_star s WHERE s.item_id = ?1) WHERE id = ?1 /* server: lists that are deleted */`, itemID)
	}
	return n, err
}

// dropItems deletes items of lists that are deleted: their time of change is not
// kept.
func (tx *Tx) dropItems(items []Item) error {
	for n := range items {
		i := &items[n]
		checked, err := tx.deleteItemRow(i.ID)
		if err != nil {
			return err
		}
		if err := tx.exec1(`UPDATE list SET item_count = item_count - 1, checked_count = checked_count - ? WHERE id = ?`, checked, i.ListID); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) dropLists(lists []List) error {
	for n := range lists {
		if err := tx.exec1(`DELETE FROM list WHERE id = ?`, lists[n].ID); err != nil {
			return err
		}
	}
	return nil
}

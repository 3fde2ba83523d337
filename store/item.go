package store

import (
	"cmp"
	"sort"
)

// Item is one entry of a list.
type Item struct {
	ID           string
	ListID       string
	Rank         int64 // orders the items of a list; see MoveItem
	Content      string
	Metadata     string // a JSON object, or ""
	AuthorID     string // "" without an account
	AuthorName   string // read with the row; not written
	AuthorHidden bool   // an account added it that the viewer does not see; read with the row
	Anonymous    bool   // added with the public agent key
	SourceURL    string // or ""
	SourceNote   string // or ""; anonymous: who reported it
	StarCount    int
	Starred      bool // by the viewer; read with the row
	CommentCount int
	CreatedAt    Time
	UpdatedAt    Time

	// Whether it is checked off, since when, and who checked it off. None of it is
	// read if the list is not checkable.
	Checkable     bool // its list is; read with the row, not written
	Checked       bool `row:"-"`
	CheckedAt     Time
	CheckedBy     string // "" if the account is gone or the viewer does not see it
	CheckedByName string // read with the row; not written
}

// itemColumns reads an item i of the list l, by the account u and checked off by
// the account k, for the viewer ?1.
var itemColumns = `i.id, i.list_id, i.rank, i.content, coalesce(i.metadata, ''), coalesce(u.id, ''), coalesce(u.name, ''),
	u.id IS NULL AND i.author_id IS NOT NULL, i.anonymous, coalesce(i.source_url, ''), coalesce(i.source_note, ''), i.star_count,
	EXISTS (SELECT 1 FROM item_star s WHERE s.item_id = i.id AND s.user_id = ?1),
	i.comment_count - ` + hiddenComments("i", "l", "?1") + `, i.created_at, i.updated_at,
	l.checkable, iif(l.checkable, coalesce(i.checked_at, 0), 0), iif(l.checkable, coalesce(k.id, ''), ''),
	iif(l.checkable, coalesce(k.name, ''), '')`

// itemAccounts returns the joins of the accounts that itemColumns names.
func itemAccounts() string {
	return ` LEFT JOIN user u ON ` + namedUser("u", "i.author_id") + ` AND ` + namedInList("u", "l", "?1") +
		` LEFT JOIN user k ON ` + namedUser("k", "i.checked_by") + ` AND ` + namedInList("k", "l", "?1")
}

func (i *Item) derive() { i.Checked = i.CheckedAt != 0 }

// itemQuery returns the SELECT of items i of lists l, from the list on, so that
// its predicate is evaluated once and not for each item.
func itemQuery(tables string) string {
	return `SELECT ` + itemColumns + ` FROM list l CROSS JOIN ` + tables + itemAccounts() + ` WHERE ` + visibleList("l", "?1")
}

// Items returns up to limit items of a list that by may see, in order, from the
// position offset on. It reads the index up to there, and the rows of the page.
func (r *Reader) Items(by Viewer, listID string, limit, offset int) ([]Item, error) {
	items, err := all[Item](r, itemQuery(`(SELECT p.rowid AS at FROM item p WHERE p.list_id = ?2 ORDER BY p.rank LIMIT ?3 OFFSET ?4) p
		CROSS JOIN item i ON i.rowid = p.at`)+` AND l.id = ?2 /* scan: one page, along an index */`, by.UserID, listID, limit, offset)
	// Rather than in SQLite, which would copy the rows to sort them.
	sort.Slice(items, func(i, j int) bool { return items[i].Rank < items[j].Rank })
	return items, err
}

// Item returns the item of a list that by may see; ErrNoRow otherwise.
func (r *Reader) Item(by Viewer, listID, id string) (Item, error) {
	return one[Item](r, itemQuery(`item i ON i.list_id = l.id`)+` AND l.id = ?2 AND i.id = ?3`, by.UserID, listID, id)
}

// ListOfItem returns the id of the list of an item that by may see; ErrNoRow
// otherwise.
func (r *Reader) ListOfItem(by Viewer, id string) (string, error) {
	return one[string](r, `SELECT l.id FROM item i CROSS JOIN list l ON l.id = i.list_id WHERE i.id = ?2 AND `+visibleList("l", "?1"),
		by.UserID, id)
}

// ItemPosition returns the position of an item of a list that by may see, from
// 0 on. It reads the index up to the item, so it is not for use in a write.
func (r *Reader) ItemPosition(by Viewer, listID, id string) (int, error) {
	return one[int](r, `SELECT (SELECT count(*) FROM item b WHERE b.list_id = i.list_id AND b.rank < i.rank)
		FROM item i CROSS JOIN list l ON l.id = i.list_id WHERE i.id = ?3 AND l.id = ?2 AND `+visibleList("l", "?1"), by.UserID, listID, id)
}

// InsertItem adds i at the end of its list and returns it with Rank, CreatedAt
// and UpdatedAt set, and ID if that is "", and its position. If it is checked off,
// it is so from now on. It updates the list's counts and time of change, and
// returns ErrNoRow if there is no list.
func (tx *Tx) InsertItem(i Item) (Item, int, error) {
	i.ID, i.CreatedAt, i.UpdatedAt = cmp.Or(i.ID, NewTimeID(tx.Now)), tx.Now, tx.Now
	if i.CheckedAt = 0; i.Checked {
		i.CheckedAt = tx.Now
	}
	var position int
	err := tx.value([]any{&position, &i.Rank}, `UPDATE list SET item_count = item_count + 1, checked_count = checked_count + ?4,
		updated_at = ?2 WHERE id = ?1
		RETURNING item_count - 1, coalesce((SELECT max(b.rank) FROM item b WHERE b.list_id = ?1 /* server: the end of the list */) + ?3, 0)`,
		i.ListID, tx.Now, rankGap, i.Checked)
	if err != nil {
		return i, 0, err
	}
	return i, position, tx.exec(`INSERT INTO item (id, list_id, rank, content, metadata, author_id, anonymous, source_url, source_note,
		created_at, updated_at, link_key, checked_at, checked_by)
		VALUES (?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?, nullif(?, ''), nullif(?, ''), ?, ?, nullif(?, ''), nullif(?, 0), nullif(?, ''))`,
		i.ID, i.ListID, i.Rank, i.Content, i.Metadata, i.AuthorID, i.Anonymous, i.SourceURL, i.SourceNote, i.CreatedAt, i.UpdatedAt,
		LinkKey(i.SourceURL), i.CheckedAt, i.CheckedBy)
}

// UpdateItem changes i: the content, the metadata and the source. It
// updates its and its list's time of change.
func (tx *Tx) UpdateItem(i Item) error {
	err := tx.exec1(`UPDATE item SET content = ?, metadata = nullif(?, ''), source_url = nullif(?, ''), source_note = nullif(?, ''),
		link_key = nullif(?, ''), updated_at = ? WHERE id = ?`,
		i.Content, i.Metadata, i.SourceURL, i.SourceNote, LinkKey(i.SourceURL), tx.Now, i.ID)
	if err != nil {
		return err
	}
	return tx.TouchList(i.ListID)
}

// CheckItem checks i off for an account, or takes that back, and reports whether
// that changes anything. It updates the list's count, and its and the item's time
// of change.
func (tx *Tx) CheckItem(i Item, checked bool, userID string) (changed bool, err error) {
	at, step := Time(0), -1
	if checked {
		at, step = tx.Now, 1
	} else {
		userID = ""
	}
	n, err := tx.execCount(`UPDATE item SET checked_at = nullif(?1, 0), checked_by = nullif(?2, ''), updated_at = ?3
		WHERE id = ?4 AND (checked_at IS NULL) = ?5`, at, userID, tx.Now, i.ID, checked)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.exec1(`UPDATE list SET checked_count = checked_count + ?, updated_at = ? WHERE id = ?`, step, tx.Now, i.ListID)
}

// DeleteItem deletes i, and updates its list's counts and time of change.
func (tx *Tx) DeleteItem(i Item) error {
	var checked bool
	if err := tx.value([]any{&checked}, `DELETE FROM item WHERE id = ? RETURNING checked_at IS NOT NULL`, i.ID); err != nil {
		return err
	}
	return tx.exec1(`UPDATE list SET item_count = item_count - 1, checked_count = checked_count - ?, updated_at = ? WHERE id = ?`, checked,
		tx.Now, i.ListID)
}

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

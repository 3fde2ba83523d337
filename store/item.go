package store

// Item is one entry of a list.
type Item struct {
	ID           string
	ListID       string
	Position     int // 0 for the first; without gaps
	Content      string
	Metadata     string // a JSON object, or ""
	AuthorID     string // "" without an account
	AuthorName   string // read with the row; not written
	Anonymous    bool   // added with the public agent key
	SourceURL    string // or ""
	SourceNote   string // or ""; anonymous: who reported it
	StarCount    int
	CommentCount int
	CreatedAt    Time
	UpdatedAt    Time
}

const itemColumns = `i.id, i.list_id, i.position, i.content, coalesce(i.metadata, ''), coalesce(i.author_id, ''), coalesce(u.name, ''),
	i.anonymous, coalesce(i.source_url, ''), coalesce(i.source_note, ''), i.star_count, i.comment_count, i.created_at, i.updated_at`

// itemTables joins what itemColumns reads, from the list down, so that who
// may see the list is asked once and not for each item.
func itemTables() string {
	return ` FROM list l CROSS JOIN item i ON i.list_id = l.id LEFT JOIN user u ON ` + namedUser("u", "i.author_id")
}

func scanItem(s scanner) (i Item, err error) {
	err = s.Scan(&i.ID, &i.ListID, &i.Position, &i.Content, &i.Metadata, &i.AuthorID, &i.AuthorName,
		&i.Anonymous, &i.SourceURL, &i.SourceNote, &i.StarCount, &i.CommentCount, &i.CreatedAt, &i.UpdatedAt)
	return i, err
}

// Items returns up to limit items of a list that by may see, from the
// position offset on. Positions have no gaps, so a page deep in a long list
// costs what the first one does.
func (r *Reader) Items(by Viewer, listID string, limit, offset int) ([]Item, error) {
	return all(r, scanItem, `SELECT `+itemColumns+itemTables()+`
		WHERE l.id = ?2 AND `+visibleList("l", "?1")+` AND i.position >= ?3 ORDER BY i.position LIMIT ?4`,
		by.UserID, listID, offset, limit)
}

// Item returns one item of a list that by may see; ErrNoRow otherwise.
func (r *Reader) Item(by Viewer, listID, id string) (Item, error) {
	return one(r, scanItem, `SELECT `+itemColumns+` FROM item i CROSS JOIN list l ON l.id = i.list_id LEFT JOIN user u ON `+namedUser("u", "i.author_id")+`
		WHERE i.id = ?3 AND l.id = ?2 AND `+visibleList("l", "?1"), by.UserID, listID, id)
}

// InsertItem adds i at the end of its list and moves the list's count and
// time of change. ID, Position, CreatedAt and UpdatedAt are filled in; an ID
// that is given is kept. It returns ErrNoRow if there is no such list.
func (tx *Tx) InsertItem(i Item) (Item, error) {
	if i.ID == "" {
		i.ID = NewTimeID(tx.Now)
	}
	i.CreatedAt, i.UpdatedAt = tx.Now, tx.Now
	err := tx.value([]any{&i.Position}, `UPDATE list SET item_count = item_count + 1, updated_at = ? WHERE id = ? RETURNING item_count - 1`,
		int64(tx.Now), i.ListID)
	if err != nil {
		return i, err
	}
	_, err = tx.exec(`INSERT INTO item (id, list_id, position, content, metadata, author_id, anonymous, source_url, source_note, created_at, updated_at)
		VALUES (?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?, nullif(?, ''), nullif(?, ''), ?, ?)`,
		i.ID, i.ListID, i.Position, i.Content, i.Metadata, i.AuthorID, i.Anonymous, i.SourceURL, i.SourceNote, int64(i.CreatedAt), int64(i.UpdatedAt))
	return i, err
}

// UpdateItem writes the content, metadata and source of i, and moves its and
// its list's time of change.
func (tx *Tx) UpdateItem(i Item) error {
	err := tx.exec1(`UPDATE item SET content = ?, metadata = nullif(?, ''), source_url = nullif(?, ''), source_note = nullif(?, ''), updated_at = ? WHERE id = ?`,
		i.Content, i.Metadata, i.SourceURL, i.SourceNote, int64(tx.Now), i.ID)
	if err != nil {
		return err
	}
	return tx.TouchList(i.ListID)
}

// MoveItem puts i at the position to, which must be one of its list's, and
// shifts those between.
func (tx *Tx) MoveItem(i Item, to int) error {
	shift, low, high := 1, to, i.Position-1
	if to > i.Position {
		shift, low, high = -1, i.Position+1, to
	}
	_, err := tx.exec(`UPDATE item SET position = position + ? WHERE list_id = ? AND position BETWEEN ? AND ?`, shift, i.ListID, low, high)
	if err != nil {
		return err
	}
	if err := tx.exec1(`UPDATE item SET position = ?, updated_at = ? WHERE id = ?`, to, int64(tx.Now), i.ID); err != nil {
		return err
	}
	return tx.TouchList(i.ListID)
}

// DeleteItem removes i and closes the gap it leaves.
func (tx *Tx) DeleteItem(i Item) error {
	if err := tx.exec1(`DELETE FROM item WHERE id = ?`, i.ID); err != nil {
		return err
	}
	if _, err := tx.exec(`UPDATE item SET position = position - 1 WHERE list_id = ? AND position > ?`, i.ListID, i.Position); err != nil {
		return err
	}
	return tx.exec1(`UPDATE list SET item_count = item_count - 1, updated_at = ? WHERE id = ?`, int64(tx.Now), i.ListID)
}

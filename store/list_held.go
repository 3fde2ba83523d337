package store

import (
	"errors"
	"time"
)

// heldColumns reads a held item h as an item.
const heldColumns = `h.id, h.list_id, 0, h.content, h.metadata, '', '', 0, 1, h.source_url, h.source_note, 0, 0, 0,
	h.created_at, h.updated_at, 0, 0, '', ''`

// HeldItems returns up to limit items that wait for approval, the oldest first,
// and how many there are. It returns none unless by owns the list or edits it.
func (r *Reader) HeldItems(by Viewer, listID string, limit int) (items []Item, total int, err error) {
	const from = ` FROM list l CROSS JOIN held_item h ON h.list_id = l.id WHERE l.id = ?2 AND `
	if err := r.value([]any{&total}, `SELECT count(*)`+from+editedList("l", "?1")+` AND `+visibleList("l", "?1"), by.UserID,
		listID); err != nil {
		return nil, 0, err
	}
	items, err = all[Item](r, `SELECT `+heldColumns+from+editedList("l", "?1")+` AND `+visibleList("l", "?1")+
		` ORDER BY h.created_at, h.id LIMIT ?3`, by.UserID, listID, limit)
	return items, total, err
}

// HeldItem returns one of those that HeldItems returns; ErrNoRow without it.
func (r *Reader) HeldItem(by Viewer, listID, id string) (Item, error) {
	return one[Item](r, `SELECT `+heldColumns+` FROM list l CROSS JOIN held_item h ON h.list_id = l.id
		WHERE l.id = ?2 AND h.id = ?3 AND `+editedList("l", "?1")+` AND `+visibleList("l", "?1"), by.UserID, listID, id)
}

// HeldFor returns who approves what waits on a list.
func (r *Reader) HeldFor(listID string) ([]string, error) {
	return all[string](r, `SELECT l.owner_id FROM list l WHERE l.id = ?1
		UNION SELECT m.user_id FROM list_member m WHERE m.list_id = ?1 AND m.role = 'editor' /* server: events of the inbox */`, listID)
}

// HeldCount returns how many items of a list wait for approval, for their limit.
func (tx *Tx) HeldCount(listID string) (int, error) {
	return one[int](&tx.Reader, `SELECT count(*) FROM held_item h WHERE h.list_id = ? /* server: the limit of the queue */`, listID)
}

// HoldItem stores i until the owner or an editor of its list approves it, and
// returns it with ID and its times set.
func (tx *Tx) HoldItem(i Item) (Item, error) {
	i.ID, i.CreatedAt, i.UpdatedAt = NewTimeID(tx.Now), tx.Now, tx.Now
	return i, tx.exec(`INSERT INTO held_item (id, list_id, content, metadata, source_url, source_note, created_at, updated_at)
		VALUES (?, ?, ?, nullif(?, ''), nullif(?, ''), ?, ?, ?)`,
		i.ID, i.ListID, i.Content, i.Metadata, i.SourceURL, i.SourceNote, i.CreatedAt, i.UpdatedAt)
}

// UpdateHeld writes the content, the link and the metadata of a held item.
func (tx *Tx) UpdateHeld(i Item) error {
	return tx.exec1(`UPDATE held_item SET content = ?, metadata = nullif(?, ''), source_url = nullif(?, ''), updated_at = ? WHERE id = ?`,
		i.Content, i.Metadata, i.SourceURL, tx.Now, i.ID)
}

// DeleteHeld deletes a held item, which is approved or refused.
func (tx *Tx) DeleteHeld(id string) error { return tx.exec1(`DELETE FROM held_item WHERE id = ?`, id) }

// Receipt is what the holder of a receipt may change.
type Receipt struct {
	Item          Item
	ListTitle     string
	ListOpen      bool // everybody may add to its list
	ListModerated bool
	Held          bool // it waits for approval
	ExpiresAt     Time
}

// InsertReceipt lets the holder of a token with the hash change an item that was
// added without an account, for the given time.
func (tx *Tx) InsertReceipt(hash string, i Item, life time.Duration) (expires Time, err error) {
	expires = tx.In(life)
	return expires, tx.exec(`INSERT INTO item_receipt (token_hash, list_id, item_id, expires_at) VALUES (?, ?, ?, ?)`,
		hash, i.ListID, i.ID, expires)
}

// Receipt returns what the token with the hash is for; ErrNoRow if it has expired,
// or if the item is gone or nobody without an account may see its list any more.
func (r *Reader) Receipt(hash string) (out Receipt, err error) {
	var listID, itemID string
	err = r.value([]any{&listID, &itemID, &out.ListTitle, &out.ListOpen, &out.ListModerated, &out.ExpiresAt},
		`SELECT t.list_id, t.item_id, l.title, l.visibility = 'public-edit', l.moderated, t.expires_at FROM item_receipt t
			JOIN list l ON l.id = t.list_id
		WHERE t.token_hash = ? AND t.expires_at > ? AND `+publicList("l"), hash, r.Now())
	if err != nil {
		return out, err
	}
	out.Item, err = one[Item](r, `SELECT `+heldColumns+` FROM held_item h WHERE h.id = ?
		/* server: the holder of the receipt added it */`, itemID)
	if out.Held = err == nil; !errors.Is(err, ErrNoRow) {
		return out, err
	}
	out.Item, err = r.Item(Viewer{}, listID, itemID)
	return out, err
}

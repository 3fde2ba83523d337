package store

import (
	"errors"
	"fmt"
)

// pathStep is how many characters of a comment's path stand for one comment: a
// time in microseconds, in hexadecimal, which lasts until 2112.
const pathStep = 13

// Comment is a comment of an item as shown to one viewer.
type Comment struct {
	ID         string
	ItemID     string
	ParentID   string // "" for one that answers none
	AuthorID   string // "" once deleted, and if the viewer does not see who wrote it
	AuthorName string // read with the row; not written
	Content    string // "" once deleted
	CreatedAt  Time
	DeletedAt  Time // 0 if not; set, too, if its account is being deleted or the viewer sees only what answers it
	Path       string
	Depth      int `row:"-"` // how many comments it answers, directly and indirectly
}

// commentColumns reads a comment c by the account u for the viewer ?1. One that is
// not shown is deleted at the time of its last answer that is, as nobody answers later.
var commentColumns = `c.id, c.item_id, coalesce(c.parent_id, ''), coalesce(iif(` + namedInList("u", "l", "?1") + `, u.id, NULL), ''),
	coalesce(iif(` + namedInList("u", "l", "?1") + `, u.name, NULL), ''), iif(u.id IS NULL, '', c.content), c.created_at,
	coalesce(c.deleted_at, iif(u.id IS NULL, (SELECT max(a.created_at) FROM item_comment a
	LEFT JOIN user au ON ` + commentAuthor("au", "a.author_id", "l", "?1") + `
		WHERE a.parent_id = c.id AND ` + visibleComment("a", "au", "l", "?1") + `), 0), c.created_at), c.path`

func (c *Comment) derive() { c.Depth = len(c.Path)/pathStep - 1 }

// commentQuery returns the SELECT of columns of the comments c of the item ?3 of
// the list ?2 for the viewer ?1. A comment of an account that is being deleted is
// one that is deleted.
func commentQuery(columns string) string {
	return `SELECT ` + columns + ` FROM list l CROSS JOIN item i ON i.list_id = l.id CROSS JOIN item_comment c ON c.item_id = i.id
		LEFT JOIN user u ON ` + commentAuthor("u", "c.author_id", "l", "?1") + `
		WHERE l.id = ?2 AND i.id = ?3 AND ` + visibleList("l", "?1") + ` AND ` + visibleComment("c", "u", "l", "?1")
}

// Comments returns up to limit comments of an item that by may see, from an
// offset on, in the order of their threads: each followed by those that answer
// it, the older first. total is how many by may see in all. Comments of accounts that
// have a block with by are left out, or shown as deleted if they are answered, unless
// by owns the list or edits it.
func (r *Reader) Comments(by Viewer, listID, itemID string, limit, offset int) (comments []Comment, total int, err error) {
	if err := r.value([]any{&total}, commentQuery(`count(*)`), by.UserID, listID, itemID); err != nil || offset >= total {
		return nil, total, err
	}
	comments, err = all[Comment](r, commentQuery(commentColumns)+` ORDER BY c.path LIMIT ?4 OFFSET ?5`, by.UserID, listID, itemID, limit,
		offset)
	return comments, total, err
}

// Comment returns a comment of an item that by may see; ErrNoRow otherwise.
func (r *Reader) Comment(by Viewer, listID, itemID, id string) (Comment, error) {
	return one[Comment](r, commentQuery(commentColumns)+` AND c.id = ?4`, by.UserID, listID, itemID, id)
}

// CommentsBefore returns how many Comments are before one of them; ErrNoRow if it is none.
func (r *Reader) CommentsBefore(by Viewer, listID, itemID, id string) (n int, err error) {
	c, err := r.Comment(by, listID, itemID, id)
	if err == nil {
		err = r.value([]any{&n}, commentQuery(`count(*)`)+` AND c.path < ?4`, by.UserID, listID, itemID, c.Path)
	}
	return n, err
}

// CommentRows returns how many comments an item has, deleted ones included, for
// their limit.
func (tx *Tx) CommentRows(itemID string) (int, error) {
	return one[int](&tx.Reader, `SELECT count(*) FROM item_comment c WHERE c.item_id = ? /* server: the limit of comments */`, itemID)
}

// InsertComment adds c to an item of a list, as an answer to parent unless that
// is nil, and returns it with ID and CreatedAt set. The item's count is kept.
func (tx *Tx) InsertComment(listID string, c Comment, parent *Comment) (Comment, error) {
	c.CreatedAt = tx.Tick()
	c.ID = NewTimeID(c.CreatedAt)
	if parent != nil {
		c.ParentID, c.Path = parent.ID, parent.Path
	}
	c.Path += fmt.Sprintf("%0*x", pathStep, int64(c.CreatedAt))
	c.derive()
	return c, tx.execAll(
		statement{`INSERT INTO item_comment (id, item_id, parent_id, path, author_id, content, created_at)
			VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?)`,
			[]any{c.ID, c.ItemID, c.ParentID, c.Path, c.AuthorID, c.Content, c.CreatedAt}},
		statement{`UPDATE item SET comment_count = comment_count + 1 WHERE id = ?`, []any{c.ItemID}},
	)
}

// DeleteComment deletes the words and the author of a comment of a list's item
// that is not deleted yet. It stays in its place as long as others answer it.
func (tx *Tx) DeleteComment(listID string, c Comment) error {
	if err := tx.exec1(`UPDATE item SET comment_count = comment_count - 1 WHERE id = ?`, c.ItemID); err != nil {
		return err
	}
	err := tx.exec1(`UPDATE item_comment SET content = '', author_id = NULL, deleted_at = ? WHERE id = ?`, tx.Now, c.ID)
	if err != nil {
		return err
	}
	for id := c.ID; err == nil && id != ""; {
		err = tx.value([]any{&id}, `DELETE FROM item_comment WHERE id = ?1 AND deleted_at IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM item_comment a WHERE a.parent_id = ?1)
			RETURNING coalesce(parent_id, '') /* server: whether it is answered */`, id)
	}
	if errors.Is(err, ErrNoRow) {
		return nil // it is answered
	}
	return err
}

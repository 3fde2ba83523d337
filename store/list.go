package store

import "cmp"

// List is a list's row as shown to one viewer.
type List struct {
	ID          string
	OwnerID     string
	OwnerName   string // read with the row; not written; "" if the viewer does not see who it is
	OwnerAvatar string // as OwnerName; "" without a picture
	Title       string
	Description string
	Visibility  string // public, public-edit, unlisted, private
	Slug        string
	ItemCount   int
	Role        string // the viewer's: owner, editor, viewer or "" ; read with the row
	CreatedAt   Time
	UpdatedAt   Time
	Moderated   bool // what is added without an account is held
	Checkable   bool // its items can be checked off
	// CheckedCount is how many of its items are checked off; 0 while it is not
	// checkable. Read with the row.
	CheckedCount int
}

// listColumns reads a list l of the owner u for the viewer ?1.
var listColumns = `l.id, l.owner_id, iif(` + namedInList("u", "l", "?1") + `, u.name, ''),
	iif(` + namedInList("u", "l", "?1") + `, u.avatar_url, ''), l.title, l.description, l.visibility, l.slug, l.item_count,
	CASE WHEN ?1 = '' THEN '' WHEN l.owner_id = ?1 THEN 'owner'
		ELSE coalesce((SELECT lm.role FROM list_member lm WHERE lm.list_id = l.id AND lm.user_id = ?1), '') END,
	l.created_at, l.updated_at, l.moderated, l.checkable, iif(l.checkable, l.checked_count, 0)`

// List returns the list with the id if by may see it; ErrNoRow otherwise.
func (r *Reader) List(by Viewer, id string) (List, error) {
	return one[List](r, `SELECT `+listColumns+` FROM list l JOIN user u ON `+namedUser("u", "l.owner_id")+`
		WHERE l.id = ?2 AND `+visibleList("l", "?1"), by.UserID, id)
}

// ListScope is the set of lists that an index has.
type ListScope uint8

const (
	// PublicLists are those that everybody may see.
	PublicLists ListScope = iota
	// OwnLists are the viewer's own and those shared with them.
	OwnLists
	// SharedLists are the public lists and, for accounts, the unlisted ones.
	SharedLists
	// ListedLists are all lists that the viewer may see.
	ListedLists
)

// onlyPrivate leaves the other lists to the parts of an index that have them.
const onlyPrivate = ` AND l.visibility = 'private'`

// part returns the SELECT of (id, updated_at) of all lists of the scope for the
// viewer ?1. No list is in two of its parts, and each part is read along an index of
// its own. An account has few lists beside the public ones, so its lists are
// filtered.
func (s ListScope) part() string {
	var (
		public   = `SELECT l.id, l.updated_at FROM list l WHERE ` + publicList("l")
		unlisted = `SELECT l.id, l.updated_at FROM list l WHERE ` + unlistedList("l", "?1")
		owned    = `SELECT l.id, l.updated_at FROM list l WHERE ` + ownedList("l", "?1")
		shared   = `SELECT l.id, l.updated_at FROM list_member lm CROSS JOIN list l ON l.id = lm.list_id WHERE ` + sharedList("lm", "?1")
	)
	switch s {
	case OwnLists:
		return owned + ` UNION ALL ` + shared
	case SharedLists:
		return public + ` UNION ALL ` + unlisted
	case ListedLists:
		return public + ` UNION ALL ` + unlisted + ` UNION ALL ` + owned + onlyPrivate + ` UNION ALL ` + shared + onlyPrivate
	}
	return public + ` AND ?1 IS NOT NULL` // every parameter given must be used
}

// Lists returns a page of an index, the newest change first, and the number of
// lists in the whole index. A viewer without an account has no lists of their
// own.
func (r *Reader) Lists(by Viewer, scope ListScope, limit, offset int) (lists []List, total int, err error) {
	if err := r.value([]any{&total}, `SELECT count(*) FROM (`+scope.part()+`) /* scan: only an index of what is counted */`,
		by.UserID); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	lists, err = all[List](r, `SELECT `+listColumns+`
		FROM (`+scope.part()+` ORDER BY 2 DESC LIMIT ?2 OFFSET ?3) p /* scan: one page, along an index */
		CROSS JOIN list l ON l.id = p.id JOIN user u ON `+namedUser("u", "l.owner_id")+`
		WHERE `+visibleList("l", "?1")+` ORDER BY l.updated_at DESC`, by.UserID, limit, offset)
	return lists, total, err
}

// InsertList adds a list without items and returns it with CreatedAt and
// UpdatedAt set, and ID if that is "".
func (tx *Tx) InsertList(l List) (List, error) {
	l.ID = cmp.Or(l.ID, NewID())
	l.ItemCount, l.CheckedCount, l.CreatedAt, l.UpdatedAt = 0, 0, tx.Now, tx.Now
	return l, tx.exec(`INSERT INTO list (id, owner_id, title, description, visibility, slug, created_at, updated_at, moderated,
		shown_at, public_at, checkable) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?7, ?7, ?10)`,
		l.ID, l.OwnerID, l.Title, l.Description, l.Visibility, l.Slug, l.CreatedAt, l.UpdatedAt, l.Moderated, l.Checkable)
}

// UpdateList changes old to l: the title, the description, the visibility, the
// slug, and whether it is moderated and checkable. It updates its time of change.
// Its items keep what is checked off.
func (tx *Tx) UpdateList(old, l List) error {
	shown, public := l.Visibility != "private" && old.Visibility == "private", l.isPublic() && !old.isPublic()
	return tx.exec1(`UPDATE list SET title = ?1, description = ?2, visibility = ?3, slug = ?4, moderated = ?5,
		checkable = ?10, updated_at = ?6, shown_at = iif(?8, ?6, shown_at), public_at = iif(?9, ?6, public_at) WHERE id = ?7`,
		l.Title, l.Description, l.Visibility, l.Slug, l.Moderated, tx.Now, l.ID, shown, public, l.Checkable)
}

// SetListOwner makes an account that a list is shared with its owner, and the
// former owner one of its editors.
func (tx *Tx) SetListOwner(l List, userID string) error {
	if err := tx.exec1(`DELETE FROM list_member WHERE list_id = ? AND user_id = ?`, l.ID, userID); err != nil {
		return err
	}
	if err := tx.PutListMember(l.ID, l.OwnerID, "editor"); err != nil {
		return err
	}
	return tx.exec1(`UPDATE list SET owner_id = ?, updated_at = ? WHERE id = ?`, userID, tx.Now, l.ID)
}

// DeleteList deletes a list with its items and members.
func (tx *Tx) DeleteList(l List) error {
	return tx.exec1(`DELETE FROM list WHERE id = ?`, l.ID)
}

// TouchList updates a list's time of change, because one of its items changed.
func (tx *Tx) TouchList(id string) error {
	return tx.exec1(`UPDATE list SET updated_at = ? WHERE id = ?`, tx.Now, id)
}

// ListMember is an account that a list is shared with.
type ListMember struct {
	UserID    string
	Name      string // read with the row; not written
	AvatarURL string // as Name; "" without a picture
	Role      string // viewer, editor
	AddedAt   Time
}

// listMemberQuery returns the SELECT of those that the list ?1 is shared with,
// for the viewer ?2.
func listMemberQuery() string {
	return `SELECT m.user_id, u.name, u.avatar_url, m.role, m.added_at FROM list l CROSS JOIN list_member m ON m.list_id = l.id
		JOIN user u ON ` + namedUser("u", "m.user_id") + ` WHERE l.id = ?1 AND ` + visibleListMembers("l", "?2")
}

// ListMembers returns up to limit of those that a list is shared with, in the
// order in which they were added. It returns none unless by owns the list or it
// is shared with them.
func (r *Reader) ListMembers(by Viewer, listID string, limit int) ([]ListMember, error) {
	return all[ListMember](r, listMemberQuery()+` ORDER BY m.added_at, m.user_id LIMIT ?3`, listID, by.UserID, limit)
}

// ListMember returns one of those that ListMembers returns; ErrNoRow without it.
func (r *Reader) ListMember(by Viewer, listID, userID string) (ListMember, error) {
	return one[ListMember](r, listMemberQuery()+` AND m.user_id = ?3`, listID, by.UserID, userID)
}

// CanShareWith reports whether by may see the account with the id, and so name
// it to share a list with.
func (r *Reader) CanShareWith(by Viewer, userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user u WHERE u.id = ?2 AND `+visibleUser("u", "?1")+`)`, by.UserID, userID)
}

// CanHandOverTo reports whether the account with the id is a person that by sees, who
// is not suspended and has no block with by.
func (r *Reader) CanHandOverTo(by Viewer, userID string) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM user u WHERE u.id = ?2 AND u.is_bot = 0 AND `+reachableUser("u", "?1")+`
		AND `+unblocked("u.id", "u.bot_owner_id", "?1")+` AND `+notSuspended("u")+`)`, by.UserID, userID)
}

// PutListMember shares a list with an account, or changes its role.
func (tx *Tx) PutListMember(listID, userID, role string) error {
	return tx.exec(`INSERT INTO list_member (list_id, user_id, role, added_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (list_id, user_id) DO UPDATE SET role = excluded.role`, listID, userID, role, tx.Now)
}

// DeleteListMember ends sharing a list with an account. It returns ErrNoRow if
// the list is not shared with it.
func (tx *Tx) DeleteListMember(listID, userID string) error {
	return tx.exec1(`DELETE FROM list_member WHERE list_id = ? AND user_id = ?`, listID, userID)
}

// BotsOnList returns the ids of the bots of an account that a list is shared with.
func (r *Reader) BotsOnList(listID, ownerID string) ([]string, error) {
	return all[string](r, `SELECT m.user_id FROM user b JOIN list_member m ON m.list_id = ?1 AND m.user_id = b.id
		WHERE b.bot_owner_id = ?2 ORDER BY m.user_id /* server: what applies to an account applies to its bots */`, listID, ownerID)
}

func (l *List) isPublic() bool { return l.Visibility == "public" || l.Visibility == "public-edit" }

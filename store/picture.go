package store

import "cmp"

// Picture is the picture of an account, of a group, or, without the ids of these,
// of the community. It is never changed: a new one has a new id.
type Picture struct {
	ID             string
	UserID         string // of an account's
	ConversationID string // of a group's
	BlobID         int64
	MimeType       string
	Size           int64
}

const pictureQuery = `SELECT p.id, coalesce(p.user_id, ''), coalesce(p.conversation_id, ''), p.blob_id, p.mime_type, b.size
	FROM picture p JOIN blob b ON b.id = p.blob_id WHERE `

// Picture returns the picture with the id; ErrNoRow without one.
func (r *Reader) Picture(id string) (Picture, error) {
	return one[Picture](r, pictureQuery+`p.id = ? AND `+publicPicture(), id)
}

// SetPicture replaces the picture of p's account, of its group or of the community by
// p. It returns p with its ID, which is new if it was "". It returns ErrQuota if the
// person of the account and their bots would then use more than quota bytes; other
// pictures count for no account.
func (tx *Tx) SetPicture(p Picture, quota int64) (Picture, error) {
	was, err := tx.deletePicture(p.UserID, p.ConversationID)
	if err != nil {
		return p, err
	}
	p.ID = cmp.Or(p.ID, NewID())
	if err := tx.exec(`INSERT INTO picture (id, user_id, conversation_id, blob_id, mime_type, created_at, community)
		VALUES (?, nullif(?, ''), nullif(?, ''), ?, ?, ?, ?)`,
		p.ID, p.UserID, p.ConversationID, p.BlobID, p.MimeType, tx.Now, p.UserID+p.ConversationID == ""); err != nil {
		return p, err
	}
	// Now, because both can have the same content.
	if err := tx.ReleaseBlob(was); err != nil || p.UserID == "" {
		return p, err
	}
	return p, tx.chargeUpTo(quota, p.UserID, p.BlobID)
}

// DeletePicture deletes the picture of an account or of a group; the other id is "". If
// both are "", it deletes the picture of the community. It does nothing without a
// picture.
func (tx *Tx) DeletePicture(userID, conversationID string) error {
	blob, err := tx.deletePicture(userID, conversationID)
	if err == nil {
		err = tx.ReleaseBlob(blob)
	}
	return err
}

// deletePicture is DeletePicture without releasing the blob, whose id it returns;
// 0 without one.
func (tx *Tx) deletePicture(userID, conversationID string) (int64, error) {
	which, args := `community = 1`, []any(nil)
	switch {
	case userID != "":
		which, args = `user_id = ?`, []any{userID}
	case conversationID != "":
		which, args = `conversation_id = ?`, []any{conversationID}
	}
	blobID, err := orZero(one[int64](&tx.Reader, `DELETE FROM picture WHERE `+which+` RETURNING blob_id`, args...))
	if err == nil && blobID != 0 && userID != "" {
		err = tx.charge(userID, -1, blobID)
	}
	return blobID, err
}

// SetGroupAvatar sets the address of a group's picture; "" is none.
func (tx *Tx) SetGroupAvatar(conversationID, url string) error {
	return tx.exec1(`UPDATE conversation SET avatar_url = ?2, updated_at = ?3 WHERE id = ?1`, conversationID, url, tx.Now)
}

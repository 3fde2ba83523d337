package store

import "errors"

// ErrQuota reports that an account has no storage left.
var ErrQuota = errors.New("store: the account's quota is used up")

// Attachment is the row of an uploaded file.
type Attachment struct {
	ID          string
	UserID      string // who uploaded it
	BlobID      int64
	PreviewID   int64  // the blob of a smaller picture; 0 without one
	PreviewType string // its media type
	Name        string
	MimeType    string
	Size        int64 // bytes
	Width       int   // pixels; 0 if unknown
	Height      int
	DurationMs  int
	CreatedAt   Time
}

const attachmentColumns = `a.id, a.user_id, a.blob_id, coalesce(a.preview_id, 0), a.preview_type, a.name, a.mime_type, a.size, a.width, a.height,
	a.duration_ms, a.created_at`

// Attachment returns the uploaded file with the id if by may see it; ErrNoRow
// otherwise.
func (r *Reader) Attachment(by Viewer, id string) (Attachment, error) {
	return one[Attachment](r, `SELECT `+attachmentColumns+` FROM attachment a WHERE a.id = ?1 AND `+visibleAttachment("a", "?2"), id,
		by.UserID)
}

// OwnAttachments returns those of the files, by id, that by uploaded, in no
// order.
func (r *Reader) OwnAttachments(by Viewer, ids ...string) ([]Attachment, error) {
	return all[Attachment](r, `SELECT `+attachmentColumns+` FROM json_each(?1) j JOIN attachment a ON a.id = j.value WHERE `+
		ownAttachment("a", "?2"),
		jsonList(ids), by.UserID)
}

// StorageUsed returns how many bytes the files and the pictures of a person and
// their bots take, of whom the account is one. It returns ErrNoRow without an account.
func (r *Reader) StorageUsed(userID string) (int64, error) {
	return one[int64](r, `SELECT sum(p.storage_used) FROM user p WHERE p.id IN (
			SELECT coalesce(u.bot_owner_id, u.id) FROM user u WHERE u.id = ?1 UNION ALL
			SELECT b.id FROM user u JOIN user b ON b.bot_owner_id = coalesce(u.bot_owner_id, u.id) WHERE u.id = ?1)
		HAVING count(*) > 0 /* server: quotas */`, userID)
}

// InsertAttachment adds a file of an account and returns it with CreatedAt set,
// and ID if that is "". It returns ErrQuota if its person and their bots would then
// use more than quota bytes.
func (tx *Tx) InsertAttachment(a Attachment, quota int64) (Attachment, error) {
	if a.CreatedAt = tx.Now; a.ID == "" {
		a.ID = NewID()
	}
	if err := tx.exec(`INSERT INTO attachment (id, user_id, blob_id, preview_id, preview_type, name, mime_type, size, width, height, duration_ms, created_at)
			VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.ID, a.UserID, a.BlobID, a.PreviewID, a.PreviewType, a.Name, a.MimeType, a.Size, a.Width, a.Height, a.DurationMs,
		int64(a.CreatedAt)); err != nil {
		return a, err
	}
	if err := tx.charge(a.UserID, 1, a.BlobID, a.PreviewID); err != nil {
		return a, err
	}
	used, err := tx.StorageUsed(a.UserID)
	if err == nil && used > quota {
		err = ErrQuota
	}
	return a, err
}

// charge adds the sizes of the blobs, of which 0 is none, to what an account
// uses, or with the sign -1 subtracts them.
func (tx *Tx) charge(userID string, sign int, blobIDs ...int64) error {
	for _, id := range blobIDs {
		if id == 0 {
			continue
		}
		if err := tx.exec1(`UPDATE user SET storage_used = storage_used + ?3 * (SELECT b.size FROM blob b WHERE b.id = ?2) WHERE id = ?1 /* server: quotas */`,
			userID, id, sign); err != nil {
			return err
		}
	}
	return nil
}

// attach notes that a message has the files.
func (tx *Tx) attach(m *Message, ids []string) error {
	for _, id := range ids {
		if err := tx.exec(`INSERT INTO message_attachment (attachment_id, conversation_id, message_at) VALUES (?, ?, ?)`, id, m.ConversationID,
			int64(m.CreatedAt)); err != nil {
			return err
		}
		if err := tx.exec1(`UPDATE attachment SET uses = uses + 1 WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

// detachAll removes the files of a message, and deletes those that no other
// message has.
func (tx *Tx) detachAll(conversationID string, at Time) error {
	ids, err := all[string](&tx.Reader, `SELECT attachment_id FROM message_attachment x
		WHERE x.conversation_id = ? AND x.message_at = ? /* server: of a message that is deleted */`, conversationID, int64(at))
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := tx.exec(`DELETE FROM message_attachment WHERE conversation_id = ? AND message_at = ?`, conversationID,
		int64(at)); err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.exec1(`UPDATE attachment SET uses = uses - 1 WHERE id = ?`, id); err != nil {
			return err
		}
		if err := tx.deleteUnused(id); err != nil {
			return err
		}
	}
	return nil
}

// deleteUnused deletes a file unless a message has it.
func (tx *Tx) deleteUnused(id string) error {
	a, err := one[Attachment](&tx.Reader, `SELECT `+attachmentColumns+
		` FROM attachment a WHERE a.id = ? AND a.uses = 0 /* server: what nothing has */`, id)
	if errors.Is(err, ErrNoRow) {
		return nil
	}
	if err == nil {
		err = tx.charge(a.UserID, -1, a.BlobID, a.PreviewID)
	}
	if err == nil {
		err = tx.exec1(`DELETE FROM attachment WHERE id = ?`, id)
	}
	for _, blob := range []int64{a.BlobID, a.PreviewID} {
		if err == nil && blob != 0 {
			err = tx.ReleaseBlob(blob)
		}
	}
	return err
}

// PruneAttachments deletes up to limit files from before a moment that no
// message has, and returns how many.
func (tx *Tx) PruneAttachments(before Time, limit int) (int64, error) {
	ids, err := all[string](&tx.Reader,
		`SELECT a.id FROM attachment a WHERE a.uses = 0 AND a.created_at < ? ORDER BY a.created_at LIMIT ? /* server: pruning */`,
		int64(before), limit)
	for _, id := range ids {
		if err == nil {
			err = tx.deleteUnused(id)
		}
	}
	return int64(len(ids)), err
}

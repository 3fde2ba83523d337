package store

import (
	"cmp"
	"errors"
)

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

const attachmentColumns = `a.id, a.user_id, a.blob_id, coalesce(a.preview_id, 0), a.preview_type, a.name, a.mime_type,
	a.size, a.width, a.height, a.duration_ms, a.created_at`

// Attachment returns the uploaded file with the id if by may see it; ErrNoRow
// otherwise.
func (r *Reader) Attachment(by Viewer, id string) (Attachment, error) {
	return one[Attachment](r, `SELECT `+attachmentColumns+` FROM attachment a WHERE a.id = ?1 AND `+visibleAttachment("a", "?2"), id,
		by.UserID)
}

// OwnAttachments returns the files with the ids that by uploaded, in no order.
func (r *Reader) OwnAttachments(by Viewer, ids ...string) ([]Attachment, error) {
	return all[Attachment](r, `SELECT `+attachmentColumns+` FROM json_each(?1) j JOIN attachment a ON a.id = j.value WHERE `+
		ownAttachment("a", "?2"),
		jsonList(ids), by.UserID)
}

// StorageUsed returns how many bytes the files and the pictures of a person and
// their bots take. The account is the person or a bot. It returns ErrNoRow without an
// account.
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
	a.ID, a.CreatedAt = cmp.Or(a.ID, NewID()), tx.Now
	if err := tx.exec(`INSERT INTO attachment (id, user_id, blob_id, preview_id, preview_type, name, mime_type, size, width, height,
		duration_ms, created_at) VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.ID, a.UserID, a.BlobID, a.PreviewID, a.PreviewType, a.Name, a.MimeType, a.Size, a.Width, a.Height, a.DurationMs,
		a.CreatedAt); err != nil {
		return a, err
	}
	return a, tx.chargeUpTo(quota, a.UserID, a.BlobID, a.PreviewID)
}

// chargeUpTo is charge for new blobs. It returns ErrQuota if the person of the account and
// their bots then use more than quota bytes.
func (tx *Tx) chargeUpTo(quota int64, userID string, blobIDs ...int64) error {
	if err := tx.charge(userID, 1, blobIDs...); err != nil {
		return err
	}
	used, err := tx.StorageUsed(userID)
	if err == nil && used > quota {
		err = ErrQuota
	}
	return err
}

// charge adds the sizes of the blobs to what an account uses, or with the sign -1
// subtracts them. The id 0 is no blob.
func (tx *Tx) charge(userID string, sign int, blobIDs ...int64) error {
	for _, id := range blobIDs {
		if id == 0 {
			continue
		}
		if err := tx.exec1(`UPDATE user SET storage_used = storage_used + ?3 * (SELECT b.size FROM blob b WHERE b.id = ?2) WHERE id = ?1
			/* server: quotas */`,
			userID, id, sign); err != nil {
			return err
		}
	}
	return nil
}

// attach notes that a message has the files.
func (tx *Tx) attach(m *Message) error {
	if len(m.AttachmentIDs) == 0 {
		return nil
	}
	ids := jsonList(m.AttachmentIDs)
	return tx.execAll(
		statement{`INSERT INTO message_attachment (attachment_id, conversation_id, message_at) SELECT value, ?2, ?3 FROM json_each(?1)`,
			[]any{ids, m.ConversationID, m.CreatedAt}},
		statement{`UPDATE attachment SET uses = uses + 1 WHERE id IN (SELECT value FROM json_each(?))`, []any{ids}},
	)
}

// detachAll removes the files of a message, and deletes those that no other
// message has.
func (tx *Tx) detachAll(m *Message) error {
	if m.Attachments == "" {
		return nil
	}
	ids, err := all[string](&tx.Reader, `DELETE FROM message_attachment WHERE conversation_id = ? AND message_at = ? RETURNING attachment_id`,
		m.ConversationID, m.CreatedAt)
	for _, id := range ids {
		if err == nil {
			err = tx.exec1(`UPDATE attachment SET uses = uses - 1 WHERE id = ?`, id)
		}
		if err == nil {
			err = tx.deleteUnused(id)
		}
	}
	return err
}

// deleteUnused deletes a file unless a message has it.
func (tx *Tx) deleteUnused(id string) error {
	var userID string
	var blob, preview int64
	err := tx.value([]any{&userID, &blob, &preview}, `DELETE FROM attachment WHERE id = ? AND uses = 0
		RETURNING user_id, blob_id, coalesce(preview_id, 0)`, id)
	if errors.Is(err, ErrNoRow) {
		return nil
	}
	if err == nil {
		err = tx.charge(userID, -1, blob, preview)
	}
	if err == nil {
		err = tx.ReleaseBlob(blob, preview)
	}
	return err
}

// PruneAttachments deletes up to limit files from before a moment that no
// message has, and returns how many.
func (tx *Tx) PruneAttachments(before Time, limit int) (int64, error) {
	ids, err := all[string](&tx.Reader,
		`SELECT a.id FROM attachment a WHERE a.uses = 0 AND a.created_at < ? ORDER BY a.created_at LIMIT ? /* server: pruning */`,
		before, limit)
	for _, id := range ids {
		if err == nil {
			err = tx.deleteUnused(id)
		}
	}
	return int64(len(ids)), err
}

package store

// VoiceNote is a message whose transcript is awaited.
type VoiceNote struct {
	MessageID  string
	Until      Time // afterwards it has none
	Attachment Attachment
}

// VoiceNotes returns up to limit messages whose transcript is awaited, the earliest first,
// without those that are being transcribed.
func (r *Reader) VoiceNotes(limit int, busy ...string) ([]VoiceNote, error) {
	return all[VoiceNote](r, `SELECT x.id, x.transcribe_until, `+attachmentColumns+`
		FROM message x JOIN message_attachment ma ON ma.conversation_id = x.conversation_id AND ma.message_at = x.created_at
		JOIN attachment a ON a.id = ma.attachment_id
		WHERE x.transcribe_until IS NOT NULL AND x.id NOT IN (SELECT value FROM json_each(?2))
		ORDER BY x.transcribe_until LIMIT ?1 /* server: transcription */ /* scan: the index of those that wait */`, limit, jsonList(busy))
}

// SetTranscript ends the wait for the transcript of a message, which is "" if
// there is none, and returns the message's conversation. It returns ErrNoRow if
// nothing waits for it any more.
func (tx *Tx) SetTranscript(messageID, transcript string) (conversationID string, err error) {
	var at Time
	err = tx.value([]any{&conversationID, &at}, `UPDATE message SET transcript = nullif(?2, ''), transcribe_until = NULL
		WHERE id = ?1 AND transcribe_until IS NOT NULL RETURNING conversation_id, created_at`, messageID, transcript)
	if err != nil {
		return "", err
	}
	tx.notifyDeliveries() // those that waited for it are due
	return conversationID, tx.exec(`UPDATE delivery SET next_at = ?3 WHERE at = ?2 AND next_at > ?3
		AND webhook_id IN (SELECT w.id FROM webhook w WHERE w.conversation_id = ?1 OR w.conversation_id IS NULL) /* server: the outbox */`,
		conversationID, at, tx.Reader.Now())
}

package store

import "time"

// BeginRequest records a request for a while, by the hash of its idempotency key and
// caller. It reports false if one with the hash is recorded already.
func (tx *Tx) BeginRequest(hash, request string, life time.Duration) (begun bool, err error) {
	if err := tx.exec(`DELETE FROM idempotency WHERE hash = ? AND expires_at <= ?`, hash, tx.Reader.Now()); err != nil {
		return false, err
	}
	n, err := tx.execCount(`INSERT OR IGNORE INTO idempotency (hash, request, expires_at) VALUES (?, ?, ?)`, hash, request, tx.In(life))
	return n > 0, err
}

// DropRequest deletes the record of a request that was not carried out.
func (tx *Tx) DropRequest(hash string) error {
	return tx.exec(`DELETE FROM idempotency WHERE hash = ?`, hash)
}

// SetAnswer stores the encrypted answer of a request.
func (tx *Tx) SetAnswer(hash string, answer []byte) error {
	return tx.exec(`UPDATE idempotency SET answer = ? WHERE hash = ?`, answer, hash)
}

// Answered returns the hash of the input of a request, and its encrypted answer, nil until
// it is stored; ErrNoRow if the request is not recorded.
func (r *Reader) Answered(hash string) (request string, answer []byte, err error) {
	err = r.value([]any{&request, &answer}, `SELECT request, answer FROM idempotency WHERE hash = ? AND expires_at > ?`, hash, r.Now())
	return request, answer, err
}

package store

import "errors"

// WithoutVectors returns up to limit intents, by row number and in random order, that can
// be matched now and have no vectors of a model.
func (r *Reader) WithoutVectors(model string, limit int) ([]int64, error) {
	return all[int64](r, `SELECT i.seq FROM intent i WHERE i.status = 'active' AND (i.expires_at IS NULL OR i.expires_at > ?2)
		AND NOT EXISTS (SELECT 1 FROM intent_vector v WHERE v.seq = i.seq AND v.model = ?1)
		AND NOT EXISTS (SELECT 1 FROM social_preference p WHERE p.user_id = i.owner_id AND p.network_paused = 1)
		AND NOT EXISTS (SELECT 1 FROM user u WHERE u.id = i.owner_id AND u.suspended_at IS NOT NULL)
		ORDER BY random() LIMIT ?3 /* server: matching */ /* scan: the active ones */`, model, r.Now(), limit)
}

// PutVectors stores the vectors of an intent that is active.
func (tx *Tx) PutVectors(intent int64, model string, vectors []byte) error {
	return tx.exec(`INSERT INTO intent_vector (seq, model, vectors) SELECT i.seq, ?2, ?3 FROM intent i
		WHERE i.seq = ?1 AND i.status = 'active'
		ON CONFLICT DO UPDATE SET model = ?2, vectors = ?3 /* server: matching */`, intent, model, vectors)
}

// Vectors returns the vectors of an intent that a model computed, nil without them.
func (r *Reader) Vectors(intent int64, model string) (vectors []byte, err error) {
	err = r.value([]any{&vectors}, `SELECT v.vectors FROM intent_vector v WHERE v.seq = ?1 AND v.model = ?2 /* server: matching */`,
		intent, model)
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	return vectors, err
}

// DropVectors deletes the vectors of expired intents.
func (tx *Tx) DropVectors() error {
	return tx.exec(`DELETE FROM intent_vector WHERE seq IN (SELECT i.seq FROM intent i
		WHERE i.status = 'active' AND i.expires_at <= ?1 /* server: tidying */)`, tx.Reader.Now())
}

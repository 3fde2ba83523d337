package store

// VectorClaim is the right to compute the vectors of an intent, which one process
// has until a moment.
type VectorClaim struct {
	Intent   int64 // its Seq
	Until    Time
	Tries    int  // that failed
	Computed bool // the vectors are stored, and the intent is not compared with others by them yet
}

// ListedIntent is when an intent was listed.
type ListedIntent struct {
	Intent int64 // its Seq
	At     Time
}

// ListedSince returns the first intents that were listed after another, or at the
// same time with a greater Seq, in that order. The zero ListedIntent is before all.
func (r *Reader) ListedSince(after ListedIntent, limit int) ([]ListedIntent, error) {
	return all(r, func(s scanner) (l ListedIntent, err error) {
		err = s.Scan(&l.Intent, &l.At)
		return l, err
	}, `SELECT i.seq, i.listed_at FROM intent i WHERE (i.listed_at, i.seq) > (?1, ?2) AND i.listed_at IS NOT NULL
		ORDER BY i.listed_at, i.seq LIMIT ?3 /* server: matching */`, int64(after.At), after.Intent, limit)
}

// WantVectors makes the vectors of those intents that are listed due: of those that
// have none, and of those whose vectors are of another model, which are deleted.
func (tx *Tx) WantVectors(model string, intents []ListedIntent) error {
	seqs := make([]int64, len(intents))
	for n, l := range intents {
		seqs[n] = l.Intent
	}
	_, err := tx.exec(`INSERT INTO intent_vector (seq, due_at) SELECT i.seq, min(i.listed_at, ?3) FROM json_each(?2) j JOIN intent i ON i.seq = j.value
		WHERE i.listed_at IS NOT NULL
		ON CONFLICT DO UPDATE SET due_at = excluded.due_at, tries = 0, model = '', vectors = NULL WHERE model NOT IN ('', ?1) /* server: matching */`,
		model, jsonList(seqs), int64(tx.Reader.Now()))
	return err
}

// ClaimVectors returns up to limit intents whose vectors are due, and makes them due
// again at until, unless they are finished before. Those that were listed last are
// first; those that failed follow, by when they are due, so that a text that always
// fails keeps none of the others waiting. It leaves out those that nobody can be
// matched with now.
func (tx *Tx) ClaimVectors(model string, limit int, until Time) ([]VectorClaim, error) {
	claims, err := tx.dueVectors(`v.tries = 0 ORDER BY v.due_at DESC`, model, limit, until)
	if err == nil && len(claims) < limit {
		var failed []VectorClaim
		failed, err = tx.dueVectors(`v.tries > 0 ORDER BY v.due_at`, model, limit-len(claims), until)
		claims = append(claims, failed...)
	}
	for _, c := range claims {
		if err == nil {
			err = tx.exec1(`UPDATE intent_vector SET due_at = ?2 WHERE seq = ?1`, c.Intent, int64(until))
		}
	}
	return claims, err
}

// dueVectors returns what ClaimVectors claims of those that a condition selects, in
// its order.
func (tx *Tx) dueVectors(selected, model string, limit int, until Time) ([]VectorClaim, error) {
	return all(&tx.Reader, func(s scanner) (c VectorClaim, err error) {
		c.Until = until
		err = s.Scan(&c.Intent, &c.Tries, &c.Computed)
		return c, err
	}, `SELECT v.seq, v.tries, v.model = ?1 FROM intent_vector v JOIN intent i ON i.seq = v.seq
		WHERE v.due_at <= ?2 AND i.listed_at IS NOT NULL AND (i.expires_at IS NULL OR i.expires_at > ?2)
		AND NOT EXISTS (SELECT 1 FROM social_preference p WHERE p.user_id = i.owner_id AND p.network_paused = 1)
		AND NOT EXISTS (SELECT 1 FROM user u WHERE u.id = i.owner_id AND u.suspended_at IS NOT NULL)
		AND `+selected+` LIMIT ?3 /* server: matching */`, model, int64(tx.Reader.Now()), limit)
}

// SetVectors stores the vectors of an intent. It reports false if the claim does
// not hold any more, because the intent is not listed or another process has it.
func (tx *Tx) SetVectors(c VectorClaim, model string, vectors []byte) (held bool, err error) {
	n, err := tx.exec(`UPDATE intent_vector SET model = ?3, vectors = ?4, tries = 0 WHERE seq = ?1 AND due_at = ?2`, c.Intent, int64(c.Until), model, vectors)
	return n == 1, err
}

// RetryVectors makes the vectors of an intent that could not be computed due at a
// moment, if the claim holds.
func (tx *Tx) RetryVectors(c VectorClaim, at Time) error {
	_, err := tx.exec(`UPDATE intent_vector SET due_at = ?3, tries = tries + 1 WHERE seq = ?1 AND due_at = ?2`, c.Intent, int64(c.Until), int64(at))
	return err
}

// FinishVectors ends a claim: the intent is compared with others by its vectors.
// It reports false if the claim does not hold any more.
func (tx *Tx) FinishVectors(c VectorClaim) (held bool, err error) {
	n, err := tx.exec(`UPDATE intent_vector SET due_at = NULL WHERE seq = ?1 AND due_at = ?2 AND vectors IS NOT NULL`, c.Intent, int64(c.Until))
	return n == 1, err
}

// CompareVectorsAgain has the intents of an account compared with others again by
// the vectors that are stored.
func (tx *Tx) CompareVectorsAgain(userID string) error {
	_, err := tx.exec(`UPDATE intent_vector SET due_at = ?2 WHERE due_at IS NULL AND seq IN (
			SELECT i.seq FROM intent i WHERE i.owner_id = ?1 AND i.status = 'active' /* server: matching */)`, userID, int64(tx.Reader.Now()))
	return err
}

// Vectors returns the vectors of an intent that a model computed; ErrNoRow without
// them.
func (r *Reader) Vectors(intent int64, model string) (vectors []byte, err error) {
	err = r.value([]any{&vectors}, `SELECT v.vectors FROM intent_vector v WHERE v.seq = ?1 AND v.model = ?2 /* server: matching */`, intent, model)
	return vectors, err
}

// EachVectors calls f with the vectors that a model computed, of up to limit
// intents, the newest first.
func (r *Reader) EachVectors(model string, limit int, f func(intent int64, vectors []byte)) error {
	rows, err := r.c.Query(`SELECT v.seq, v.vectors FROM intent_vector v WHERE v.model = ?1
		ORDER BY v.seq DESC LIMIT ?2 /* server: matching */ /* scan: the newest, up to a limit */`, model, limit)
	if err != nil {
		return err
	}
	defer rows.Close()
	var intent int64
	var vectors []byte
	for rows.Next() {
		if err := rows.Scan(&intent, &vectors); err != nil {
			return err
		}
		f(intent, vectors)
	}
	return rows.Err()
}

package store

// ActiveIntent names an intent that is active and not expired.
type ActiveIntent struct {
	Seq     int64
	OwnerID string
}

// AllActiveIntents returns the newest limit intents of all accounts that are active
// and not expired.
func (r *Reader) AllActiveIntents(limit int) ([]ActiveIntent, error) {
	return all[ActiveIntent](r, `SELECT i.seq, i.owner_id FROM intent i WHERE i.status = 'active' AND (i.expires_at IS NULL OR i.expires_at > ?1)
		ORDER BY +i.seq DESC LIMIT ?2 /* server: matching */ /* scan: the active ones */`, r.Now(), limit)
}

// EligibleOf returns those of the chosen intents, by row number, that an intent could be
// matched with, in their order. It leaves out those that were matched with it before.
func (r *Reader) EligibleOf(intent int64, chosen []int64) ([]int64, error) {
	return all[int64](r, `SELECT i.seq FROM json_each(?2) chosen CROSS JOIN intent i ON i.seq = chosen.value
		CROSS JOIN intent o ON o.seq = ?1 WHERE `+matchableIntent("i", "o.owner_id", "?3")+`
		AND `+matchableIntent("o", "i.owner_id", "?3")+` AND `+notMatched("i.seq", "o.seq"), intent, jsonList(chosen), r.Now())
}

// Eligible reports whether two intents could be matched now, had they not been
// matched before.
func (r *Reader) Eligible(a, b int64) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM intent i JOIN intent o ON o.seq = ?2 WHERE i.seq = ?1
		AND `+matchableIntent("i", "o.owner_id", "?3")+` AND `+matchableIntent("o", "i.owner_id", "?3")+`)`, a, b, r.Now())
}

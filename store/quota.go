package store

import (
	"errors"
	"time"
)

// UseQuota counts one use of the quota called name, of which max are granted
// in a window that begins with its first use. It returns 0 when the use is
// granted, and else how long it takes until the next one can be. A quota
// lives in the file, so a restart gives nothing back; a use that is part of
// a write which fails is not counted.
func (tx *Tx) UseQuota(name string, max int, window time.Duration) (retryAfter time.Duration, err error) {
	var used int
	var ends Time
	err = tx.value([]any{&used, &ends}, `SELECT used, ends FROM quota WHERE name = ?`, name)
	switch {
	case errors.Is(err, ErrNoRow) || err == nil && ends <= tx.Now:
		_, err = tx.exec(`INSERT INTO quota (name, since, used, ends) VALUES (?1, ?2, 1, ?3)
			ON CONFLICT (name) DO UPDATE SET since = ?2, used = 1, ends = ?3`, name, int64(tx.Now), int64(tx.Now.Add(window)))
	case err == nil && used >= max:
		return ends.Sub(tx.Now), nil
	case err == nil:
		_, err = tx.exec(`UPDATE quota SET used = used + 1 WHERE name = ?`, name)
	}
	return 0, err
}

// PruneQuotas deletes up to limit quotas whose window has ended before the
// given time, and returns how many.
func (tx *Tx) PruneQuotas(before Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM quota WHERE name IN (SELECT name FROM quota WHERE ends < ? LIMIT ?)`, int64(before), limit)
}

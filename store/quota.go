package store

import "time"

// UseQuota counts one use of the named quota of max uses in a window that starts
// with its first use. It returns 0 if the use is granted, and else counts
// nothing and returns how long to wait for the next window.
func (tx *Tx) UseQuota(name string, max int, window time.Duration) (retryAfter time.Duration, err error) {
	return tx.UseQuotas(name, 1, max, window)
}

// UseQuotas is UseQuota for n uses at once: all are granted, or none.
func (tx *Tx) UseQuotas(name string, n, max int, window time.Duration) (retryAfter time.Duration, err error) {
	now := tx.Reader.Now()
	used, since, ends, err := tx.quota(name)
	switch {
	case err != nil:
		return 0, err
	case used+n > max && used > 0:
		return ends.Sub(now), nil
	case n > max:
		return window, nil
	case used == 0:
		since, ends = now, now.Add(window)
	}
	return 0, tx.exec(`INSERT INTO quota (name, since, used, ends) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (name) DO UPDATE SET since = ?2, used = ?3, ends = ?4`, name, since, used+n, ends)
}

// QuotaUsed returns how many uses of the named quota are counted in its current
// window; 0 without one.
func (tx *Tx) QuotaUsed(name string) (used int, err error) {
	used, _, _, err = tx.quota(name)
	return used, err
}

// quota returns the window of the named quota. One that starts more than a minute later is
// from before the clock was set back, and is ignored: it would last longer than it should.
func (tx *Tx) quota(name string) (used int, since, ends Time, err error) {
	err = tx.value([]any{&used, &since, &ends}, `SELECT used, since, ends FROM quota WHERE name = ?1 AND ends > ?2 AND since <= ?3`,
		name, tx.Reader.Now(), tx.Reader.Now().Add(time.Minute))
	used, err = orZero(used, err)
	return used, since, ends, err
}

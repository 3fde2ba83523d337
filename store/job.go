package store

import "time"

// Job is the state of a recurring job.
type Job struct {
	Name       string
	Holder     string // the process that runs it, or ran it last
	LeaseUntil Time   // no other process runs it before this; 0 while it is not running
	StartedAt  Time   // of the last run; 0 if there was none
	FinishedAt Time
	Error      string // of the last run; "" if it succeeded
	Runs       int64
}

func scanJob(s scanner) (j Job, err error) {
	err = s.Scan(&j.Name, &j.Holder, &j.LeaseUntil, &j.StartedAt, &j.FinishedAt, &j.Error, &j.Runs)
	return j, err
}

const jobColumns = `name, holder, lease_until, coalesce(started_at, 0), coalesce(finished_at, 0), error, runs`

// Jobs returns the jobs that have run, by name.
func (r *Reader) Jobs() ([]Job, error) {
	return all(r, scanJob, `SELECT `+jobColumns+` FROM job ORDER BY name /* scan: a handful of rows */`)
}

// Job returns one job; ErrNoRow if it never ran.
func (r *Reader) Job(name string) (Job, error) {
	return one(r, scanJob, `SELECT `+jobColumns+` FROM job WHERE name = ?`, name)
}

// StartJob takes the lease of a job until now + lease and reports whether it got
// it: not while another holds it, nor when the job was started since lastStart
// was read (0: it never ran). Times are of the wall clock. A lease that ends
// later than now + lease is from before the clock was set back and is ignored.
func (tx *Tx) StartJob(name, holder string, lastStart, now Time, lease time.Duration) (bool, error) {
	until := now.Add(lease)
	n, err := tx.exec(`INSERT INTO job (name, holder, lease_until, started_at) VALUES (?1, ?2, ?4, ?3)
		ON CONFLICT (name) DO UPDATE SET holder = ?2, lease_until = ?4, started_at = ?3
		WHERE coalesce(started_at, 0) = ?5 AND (lease_until <= ?3 OR lease_until > ?4)`,
		name, holder, int64(now), int64(until), int64(lastStart))
	return n == 1, err
}

// FinishJob records the end of a run and releases the lease. It returns ErrNoRow
// if the holder has lost the lease.
func (tx *Tx) FinishJob(name, holder, failure string, now Time) error {
	return tx.exec1(`UPDATE job SET lease_until = 0, finished_at = ?3, error = ?4, runs = runs + 1
		WHERE name = ?1 AND holder = ?2`, name, holder, int64(now), failure)
}

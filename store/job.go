package store

// Job is the state of a recurring job.
type Job struct {
	Name       string
	StartedAt  Time // of the last run; 0 if there was none
	FinishedAt Time
	Error      string // of the last run; "" if it succeeded
	Runs       int64
}

func scanJob(s scanner) (j Job, err error) {
	err = s.Scan(&j.Name, &j.StartedAt, &j.FinishedAt, &j.Error, &j.Runs)
	return j, err
}

// Job returns one job; ErrNoRow if it never ran.
func (r *Reader) Job(name string) (Job, error) {
	return one(r, scanJob, `SELECT name, coalesce(started_at, 0), coalesce(finished_at, 0), error, runs FROM job WHERE name = ?`, name)
}

// StartJob records the start of a run, at a time of the wall clock.
func (tx *Tx) StartJob(name string, now Time) error {
	_, err := tx.exec(`INSERT INTO job (name, started_at) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET started_at = ?2`, name, int64(now))
	return err
}

// FinishJob records the end of a run.
func (tx *Tx) FinishJob(name, failure string, now Time) error {
	return tx.exec1(`UPDATE job SET finished_at = ?2, error = ?3, runs = runs + 1 WHERE name = ?1`, name, int64(now), failure)
}

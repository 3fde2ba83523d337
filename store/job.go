package store

// Job is the state of a recurring job.
type Job struct {
	Name       string
	StartedAt  Time // of the last run
	FinishedAt Time
	Error      string // of the last run; "" if it succeeded
	Runs       int64
}

// Job returns one job; ErrNoRow if it never ran.
func (r *Reader) Job(name string) (Job, error) {
	return one[Job](r, `SELECT name, started_at, finished_at, error, runs FROM job WHERE name = ?`, name)
}

// AddJob adds a job, unless there is one with the name, as if it had run now.
func (tx *Tx) AddJob(name string, now Time) error {
	return tx.exec(`INSERT INTO job (name, started_at, finished_at, error, runs) VALUES (?1, ?2, ?2, '', 0) ON CONFLICT (name) DO NOTHING`,
		name, now)
}

// RecordJob records a run, in times of the wall clock.
func (tx *Tx) RecordJob(name, failure string, started, finished Time) error {
	return tx.exec(`INSERT INTO job (name, started_at, finished_at, error, runs) VALUES (?1, ?2, ?3, ?4, 1)
		ON CONFLICT (name) DO UPDATE SET started_at = ?2, finished_at = ?3, error = ?4, runs = runs + 1`, name, started, finished, failure)
}

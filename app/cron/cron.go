// Package cron runs recurring jobs.
package cron

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"hearth/store"
)

// longest is the longest run of a job.
const longest = 10 * time.Minute

// Job is recurring work. Run must work from what the tables contain, because missed runs are not repeated one by one.
type Job struct {
	Name     string
	Schedule string // minute hour day month weekday, in UTC
	Run      func(ctx context.Context) error
}

// Crontab runs jobs at their times. The last run of a job that is more than an hour apart from the next is recorded in
// the database: if it was missed while no server ran, the job is run once at start-up, but a new job at its next time.
// Other runs write only what they do, so that an idle server writes nothing.
type Crontab struct {
	db     *store.DB
	log    *slog.Logger
	cron   *cron.Cron
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Start starts the jobs. An invalid schedule is an error.
func Start(db *store.DB, log *slog.Logger, jobs []Job) (*Crontab, error) {
	c := &Crontab{db: db, log: log}
	l := logger{log}
	c.cron = cron.New(cron.WithLocation(time.UTC), cron.WithLogger(l), cron.WithChain(cron.SkipIfStillRunning(l), cron.Recover(l)))
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	missed := []func(){}
	for _, j := range jobs {
		schedule, err := cron.ParseStandard(j.Schedule)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("job %q: %w", j.Name, err)
		}
		id := c.cron.Schedule(schedule, cron.FuncJob(func() { c.run(ctx, j, schedule) }))
		if isRare(schedule) {
			missed = append(missed, func() {
				if c.isMissed(ctx, j.Name, schedule) {
					c.cron.Entry(id).WrappedJob.Run()
				}
			})
		}
	}
	c.wg.Go(func() {
		for _, f := range missed {
			f()
		}
	})
	c.cron.Start()
	return c, nil
}

// Stop starts no more jobs, cancels running ones, and waits for them.
func (c *Crontab) Stop() {
	c.cancel()
	<-c.cron.Stop().Done()
	c.wg.Wait()
}

// isRare reports whether runs are more than an hour apart.
func isRare(schedule cron.Schedule) bool {
	next := schedule.Next(time.Now())
	return schedule.Next(next).Sub(next) > time.Hour
}

// isMissed reports whether a job should have run since its last run. A start in the future is from before the clock was
// set back. A new job was not missed, and is recorded.
func (c *Crontab) isMissed(ctx context.Context, name string, schedule cron.Schedule) (missed bool) {
	now := c.db.Now()
	err := c.db.Write(ctx, func(tx *store.Tx) error {
		last, err := tx.Job(name)
		if errors.Is(err, store.ErrNoRow) {
			return tx.AddJob(name, now)
		}
		missed = err == nil && (last.StartedAt > now || !schedule.Next(last.StartedAt.Go()).After(now.Go()))
		return err
	})
	if err != nil && ctx.Err() == nil {
		c.log.Warn("whether a job was missed could not be read", "job", name, "error", err)
	}
	return missed
}

func (c *Crontab) run(ctx context.Context, j Job, schedule cron.Schedule) {
	started := c.db.Now()
	failure := ""
	if err := protect(ctx, j); err != nil {
		failure = err.Error()
		c.log.Error("job failed", "job", j.Name, "error", err)
	}
	if !isRare(schedule) {
		return
	}
	// The run is recorded even while the server stops.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := c.db.Write(ctx, func(tx *store.Tx) error { return tx.RecordJob(j.Name, failure, started, c.db.Now()) })
	if err != nil {
		c.log.Warn("the run of a job could not be recorded", "job", j.Name, "error", err)
	}
}

func protect(ctx context.Context, j Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return j.Run(ctx)
}

type logger struct{ log *slog.Logger }

func (l logger) Info(msg string, keysAndValues ...any) {
	l.log.Debug("cron: "+msg, keysAndValues...)
}

func (l logger) Error(err error, msg string, keysAndValues ...any) {
	l.log.Error("cron: "+msg, append(keysAndValues, "error", err)...)
}

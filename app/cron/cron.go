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

// Crontab runs jobs at their times. Runs are recorded in the database. A job that was missed while no server ran is
// run once at start-up, a new one at its next time.
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
	var ids []cron.EntryID
	for _, j := range jobs {
		schedule, err := cron.ParseStandard(j.Schedule)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("job %q: %w", j.Name, err)
		}
		ids = append(ids, c.cron.Schedule(schedule, cron.FuncJob(func() { c.runDue(ctx, j, schedule) })))
	}
	c.wg.Go(func() {
		if err := c.add(ctx, jobs); err != nil && ctx.Err() == nil {
			c.log.Warn("jobs could not be recorded", "error", err)
		}
		for _, id := range ids {
			c.cron.Entry(id).WrappedJob.Run()
		}
	})
	c.cron.Start()
	return c, nil
}

// add records new jobs, so that they run at their next time: what is new was not missed.
func (c *Crontab) add(ctx context.Context, jobs []Job) error {
	return c.db.Write(ctx, func(tx *store.Tx) error {
		for _, j := range jobs {
			if err := tx.AddJob(j.Name, c.db.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Stop starts no more jobs, cancels running ones, and waits for them.
func (c *Crontab) Stop() {
	c.cancel()
	<-c.cron.Stop().Done()
	c.wg.Wait()
}

func (c *Crontab) runDue(ctx context.Context, j Job, schedule cron.Schedule) {
	started := c.db.Now()
	var last store.Job
	err := c.db.Read(ctx, func(r *store.Reader) (err error) {
		last, err = r.Job(j.Name)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		if ctx.Err() == nil {
			c.log.Warn("job could not be started", "job", j.Name, "error", err)
		}
		return
	}
	if !isDue(schedule, last.StartedAt, started) {
		return
	}
	failure := ""
	if err := protect(ctx, j); err != nil {
		failure = err.Error()
		c.log.Error("job failed", "job", j.Name, "error", err)
	}
	// The run is recorded even while the server stops.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = c.db.Write(ctx, func(tx *store.Tx) error { return tx.RecordJob(j.Name, failure, started, c.db.Now()) })
	if err != nil {
		c.log.Warn("the run of a job could not be recorded", "job", j.Name, "error", err)
	}
}

// A start in the future is from before the clock was set back.
func isDue(schedule cron.Schedule, last, now store.Time) bool {
	return last == 0 || last > now || !schedule.Next(last.Go()).After(now.Go())
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

package app

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

// job is work that recurs. run must work from what the tables say, because
// missed times are not made up for one by one.
type job struct {
	name     string
	schedule string // minute hour day month weekday, in UTC
	run      func(ctx context.Context) error
}

const (
	jobLease    = 10 * time.Minute // and the longest a run may take
	pruneChunk  = 200              // rows deleted in one write: others need not wait long
	keepEvents  = 7 * 24 * time.Hour
	keepRevoked = 90 * 24 * time.Hour
)

// houseJobs is the table of recurring jobs.
func houseJobs(db *store.DB) []job {
	return []job{
		{"expired sessions", "7 * * * *", prune(db, (*store.Tx).PruneSessions)},
		{"expired links", "12 * * * *", prune(db, (*store.Tx).PruneLinks)},
		{"expired quotas", "17 * * * *", prune(db, (*store.Tx).PruneQuotas)},
		{"revoked keys", "22 3 * * *", pruneBefore(db, keepRevoked, (*store.Tx).PruneKeys)},
		{"old events", "27 * * * *", pruneBefore(db, keepEvents, (*store.Tx).PruneEvents)},
		{"database upkeep", "37 * * * *", db.Maintain},
	}
}

// prune deletes in small writes until nothing is left to delete.
func prune(db *store.DB, f func(tx *store.Tx, limit int) (int64, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			var n int64
			err := db.Write(ctx, func(tx *store.Tx) (err error) {
				n, err = f(tx, pruneChunk)
				return err
			})
			if err != nil || n < pruneChunk {
				return err
			}
		}
	}
}

// pruneBefore is prune for what is older than an age.
func pruneBefore(db *store.DB, age time.Duration, f func(tx *store.Tx, before store.Time, limit int) (int64, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		before := db.Now().Add(-age)
		return prune(db, func(tx *store.Tx, limit int) (int64, error) { return f(tx, before, limit) })(ctx)
	}
}

// crontab runs jobs at their times. What has run is in the database: a job
// that fell due while no server ran is run once at start-up, and of several
// processes on one file only one runs it.
type crontab struct {
	db     *store.DB
	log    *slog.Logger
	holder string
	cron   *cron.Cron
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// startCron starts the jobs; stop ends them. A bad schedule is an error.
func startCron(db *store.DB, log *slog.Logger, jobs []job) (*crontab, error) {
	c := &crontab{db: db, log: log, holder: store.NewID()}
	l := cronLog{log}
	c.cron = cron.New(cron.WithLocation(time.UTC), cron.WithLogger(l), cron.WithChain(cron.SkipIfStillRunning(l), cron.Recover(l)))
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	var ids []cron.EntryID
	for _, j := range jobs {
		schedule, err := cron.ParseStandard(j.schedule)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("job %q: %w", j.name, err)
		}
		ids = append(ids, c.cron.Schedule(schedule, cron.FuncJob(func() { c.runDue(ctx, j, schedule) })))
	}
	c.wg.Go(func() {
		for _, id := range ids {
			c.cron.Entry(id).WrappedJob.Run()
		}
	})
	c.cron.Start()
	return c, nil
}

// stop lets no job begin, tells those under way to end, and waits for them.
func (c *crontab) stop() {
	c.cancel()
	<-c.cron.Stop().Done()
	c.wg.Wait()
}

// runDue runs j unless it has run since it last fell due, here or elsewhere,
// and notes how it ended.
func (c *crontab) runDue(ctx context.Context, j job, schedule cron.Schedule) {
	ran, err := c.start(ctx, j, schedule)
	if err != nil || !ran {
		if err != nil && ctx.Err() == nil {
			c.log.Warn("job could not be started", "job", j.name, "error", err)
		}
		return
	}
	began := time.Now()
	err = protect(ctx, j)
	failure := ""
	if err != nil {
		failure = err.Error()
		c.log.Error("job failed", "job", j.name, "error", err)
	} else {
		c.log.Debug("job done", "job", j.name, "took", time.Since(began))
	}
	// The end is noted even while the server stops, or the next one would
	// have to wait for the lease to run out.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = c.db.Write(ctx, func(tx *store.Tx) error { return tx.FinishJob(j.name, c.holder, failure, c.db.Now()) })
	if err != nil {
		c.log.Warn("the end of a job could not be noted", "job", j.name, "error", err)
	}
}

// start takes the job's lease if it is due.
func (c *crontab) start(ctx context.Context, j job, schedule cron.Schedule) (got bool, err error) {
	var last store.Job
	err = c.db.Read(ctx, func(r *store.Reader) (err error) {
		last, err = r.Job(j.name)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		return false, err
	}
	now := c.db.Now()
	if !due(schedule, last.StartedAt, now) {
		return false, nil
	}
	err = c.db.Write(ctx, func(tx *store.Tx) (err error) {
		got, err = tx.StartJob(j.name, c.holder, last.StartedAt, now, jobLease)
		return err
	})
	return got, err
}

// due tells whether a job last started at last (0: never) is to run at now. A
// start in the future is from before the clock was set back.
func due(schedule cron.Schedule, last, now store.Time) bool {
	return last == 0 || last > now || !schedule.Next(last.Go()).After(now.Go())
}

// protect runs the job within its lease and turns a panic into an error.
func protect(ctx context.Context, j job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, jobLease)
	defer cancel()
	return j.run(ctx)
}

// cronLog is the scheduler's own log.
type cronLog struct{ log *slog.Logger }

func (l cronLog) Info(msg string, keysAndValues ...any) {
	l.log.Debug("cron: "+msg, keysAndValues...)
}

func (l cronLog) Error(err error, msg string, keysAndValues ...any) {
	l.log.Error("cron: "+msg, append(keysAndValues, "error", err)...)
}

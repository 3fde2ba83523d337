package queue

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"hearth/app/fetch"
	"hearth/store"
)

const (
	// AttemptTime bounds an attempt, from the resolution of the name to the header of the response.
	AttemptTime = 10 * time.Second
	// MaxAttempts is after how many attempts a piece of work is given up.
	MaxAttempts = 8
	// MaxRetryAfter is how long a response can put off the next attempt.
	MaxRetryAfter = 6 * time.Hour

	maxAge = 24 * time.Hour // after it, work that fails again is given up
)

// Delays returns the times between attempts, before jitter: all of them are within 24 hours.
func Delays() []time.Duration {
	return []time.Duration{5 * time.Second, 30 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 15 * time.Hour}
}

// jitter shortens d by up to a fifth, so that deliveries that failed together are not all attempted again at once.
func jitter(d time.Duration) time.Duration { return d - time.Duration(rand.Int64N(int64(d)/5+1)) }

// Result is what came of an attempt to send something.
type Result struct {
	Status     int // 0 without a response
	Err        error
	RetryAfter time.Duration // that the response asks to wait
	Took       time.Duration
}

// ResultOf returns the result of a request that began at a moment by the monotonic clock. now is by the wall clock.
func ResultOf(res *fetch.Response, err error, began, now time.Time) Result {
	r := Result{Err: err, Took: time.Since(began)}
	if err == nil {
		r.Status, r.RetryAfter = res.Status, retryAfter(res.Header, now)
	}
	return r
}

// OK reports whether the attempt succeeded.
func (r Result) OK() bool { return r.Err == nil && r.Status >= 200 && r.Status < 300 }

// Reason says in a sentence why an attempt failed; "" if it succeeded. who is the receiver. A name that is not found and
// one that leads into a private network read the same.
func (r Result) Reason(who string) string {
	switch {
	case r.OK():
		return ""
	case r.Err == nil && r.Status >= 300 && r.Status < 400:
		return fmt.Sprintf("%s answered %d; redirects are not followed.", who, r.Status)
	case r.Err == nil:
		return fmt.Sprintf("%s answered %d.", who, r.Status)
	case fetch.Unreachable(r.Err):
		return "There is no such host on the public internet."
	case errors.Is(r.Err, fetch.ErrURL):
		return "Nothing is delivered to this address."
	case fetch.Timeout(r.Err):
		return who + " did not answer within 10 seconds."
	}
	return "The connection to " + lowerFirst(who) + " failed."
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }

func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	var wait time.Duration
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), MaxRetryAfter)
}

// Next returns when work from the moment at is attempted again, after so many attempts of which r is the last; 0 once it
// is given up.
func (q *Queue) Next(r Result, attempts int, at store.Time) store.Time {
	now := q.DB.Now()
	if attempts >= MaxAttempts || now.Sub(at) >= maxAge {
		return 0
	}
	return now.Add(max(jitter(q.Delays[min(attempts, len(q.Delays))-1]), r.RetryAfter))
}

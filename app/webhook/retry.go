package webhook

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
	maxAttempts   = 8
	maxAge        = 24 * time.Hour // after it, a delivery that fails again is given up
	maxRetryAfter = 6 * time.Hour
	// A webhook is disabled once it has failed for so long, with so many deliveries given up and none that succeeded.
	disableAfter    = 3 * 24 * time.Hour
	disableFailures = 3
)

// delays are the times between the attempts of a delivery, before jitter: all eight are within 24 hours.
func delays() []time.Duration {
	return []time.Duration{5 * time.Second, 30 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 15 * time.Hour}
}

// jitter shortens d by up to a fifth, so that deliveries that failed together are not all attempted again at once.
func jitter(d time.Duration) time.Duration { return d - time.Duration(rand.Int64N(int64(d)/5+1)) }

// result is what came of an attempt.
type result struct {
	status     int // 0 without a response
	err        error
	retryAfter time.Duration
	took       time.Duration
}

func (r result) ok() bool { return r.err == nil && r.status >= 200 && r.status < 300 }

// reason says in a sentence why an attempt failed; "" if it succeeded. A name that is not found and one that leads into a
// private network read the same.
func (r result) reason() string {
	switch {
	case r.ok():
		return ""
	case r.err == nil && r.status >= 300 && r.status < 400:
		return fmt.Sprintf("The receiver answered %d; redirects are not followed.", r.status)
	case r.err == nil:
		return fmt.Sprintf("The receiver answered %d.", r.status)
	case fetch.Unreachable(r.err):
		return "There is no such host on the public internet."
	case errors.Is(r.err, fetch.ErrURL):
		return "Nothing is delivered to this address."
	case fetch.Timeout(r.err):
		return "The receiver did not answer within 10 seconds."
	}
	return "The connection to the receiver failed."
}

// retryAfter returns how long a response asks to wait; 0 if it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	var wait time.Duration
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// settle records in d that its attempt came to r.
func (w *Worker) settle(d *store.Delivery, r result) {
	d.Attempts++
	d.Status, d.Error, d.TookMs, d.NextAt = r.status, r.reason(), int(r.took.Milliseconds()), 0
	now := w.DB.Now()
	last := d.Attempts >= maxAttempts || now.Sub(d.At) >= maxAge || d.MessageID == ""
	switch {
	case r.ok():
		d.Outcome = "delivered"
	case last || r.status == http.StatusGone:
		d.Outcome = "failed"
	default:
		d.NextAt = now.Add(max(jitter(w.Delays[min(d.Attempts, len(w.Delays))-1]), r.retryAfter))
	}
}

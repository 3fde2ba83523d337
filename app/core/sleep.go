package core

import (
	"runtime"
	"time"
)

// SleepUntil returns at a moment, a few microseconds late at most while a
// processor is free. time.Sleep alone is late by up to a millisecond, depending on
// when it is called, so that a response would still tell how long the work before
// it took.
func SleepUntil(t time.Time) {
	const late = 1200 * time.Microsecond
	if d := time.Until(t) - late; d > 0 {
		time.Sleep(d)
	}
	for time.Now().Before(t) {
		runtime.Gosched()
	}
}

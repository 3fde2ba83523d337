package engine

import (
	"maps"
	"time"
)

// Connections go first to those callers that have had them least lately: one that reads or
// writes much waits for those that do little, and not they for it.
const (
	// maxUse is the most that counts of the time for which a caller had connections.
	maxUse = 250 * time.Millisecond
	// useForgotten is how many times as long it takes until a use is forgotten: who has a
	// connection for less than a fiftieth of the time has used none.
	useForgotten = 50
	// lightUse is what all callers may use alike.
	lightUse = maxUse / 5
	// minSweep is among how many callers those are looked for whose use is forgotten.
	minSweep = 256
)

// use is how long a caller has had connections.
type use struct {
	taken time.Duration
	at    time.Time // when it was that much
}

// left returns what is not forgotten at a time.
func (u use) left(now time.Time) time.Duration {
	return max(0, u.taken-now.Sub(u.at)/useForgotten)
}

// uses are those of all callers that have had connections lately.
type uses struct {
	of      map[string]use
	sweepAt int // how many there may be before those that are forgotten are removed
}

// now returns what a caller has used lately; 0 if that was light use.
func (u *uses) now(key string, now time.Time) time.Duration {
	if used := u.of[key].left(now); used > lightUse {
		return used
	}
	return 0
}

// count adds the time for which a caller had a connection. What the server does by itself
// counts as nothing, since all callers wait for it.
func (u *uses) count(key string, took time.Duration, now time.Time) {
	if key == "" {
		return
	}
	if u.of == nil {
		u.of = map[string]use{}
	}
	u.of[key] = use{min(maxUse, u.of[key].left(now)+took), now}
	if len(u.of) >= u.sweepAt {
		maps.DeleteFunc(u.of, func(_ string, u use) bool { return u.left(now) == 0 })
		u.sweepAt = max(minSweep, 2*len(u.of))
	}
}

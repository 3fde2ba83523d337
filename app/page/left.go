package page

import (
	"fmt"
	"time"

	"hearth/store"
)

// ending is when something ends, with how long that is from now in words.
type ending struct {
	At   store.Time // 0 for never
	Left string     // "in 3 days", or ended
}

// ended is said of what is over.
const ended = "ended"

// Ended reports whether it is over.
func (e ending) Ended() bool { return e.Left == ended }

// ending returns at as a page shows it.
func (s *site) ending(at store.Time) ending {
	if at == 0 {
		return ending{}
	}
	return ending{at, leftText(at.Sub(store.TimeOf(s.Now())))}
}

// leftText says a duration from now in the largest unit of which it has two,
// rounded, and at least one minute, or that it is over. The script of the pages says the same (times.js).
func leftText(d time.Duration) string {
	if d <= 0 {
		return ended
	}
	for _, unit := range []struct {
		name         string
		long, within time.Duration
	}{{"day", 24 * time.Hour, time.Hour}, {"hour", time.Hour, time.Minute}, {"minute", time.Minute, time.Second}} {
		if d.Round(unit.within) >= 2*unit.long {
			return fmt.Sprintf("in %d %ss", int(d.Round(unit.long)/unit.long), unit.name)
		}
	}
	return "in a minute"
}

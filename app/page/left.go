package page

import (
	"fmt"
	"time"

	"hearth/store"
)

type ending struct {
	At   store.Time // 0 for never
	Left string     // "in 3 days", or ended
}

const ended = "ended"

// Ended reports whether the end has passed.
func (e ending) Ended() bool { return e.Left == ended }

func (s *site) ending(at store.Time) ending {
	if at == 0 {
		return ending{}
	}
	return ending{at, leftText(at.Sub(store.TimeOf(s.Now())))}
}

// leftText rounds a duration to the largest unit that it has twice, at least one minute. times.js has the
// same rule.
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

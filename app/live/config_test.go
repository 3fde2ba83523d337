package live

import (
	"testing"
	"time"
)

// What a Config leaves out has the default, and what it has is kept.
func TestConfigFill(t *testing.T) {
	for _, tc := range []struct{ in, want Config }{
		{Config{}, Config{MaxStreams: 2000, Reserved: 500, PerIP: 30, PerAccount: 30, Poll: 500 * time.Millisecond, Heartbeat: 15 * time.Second, WriteTimeout: 2 * time.Second}},
		{Config{MaxStreams: 8, PerIP: -1}, Config{MaxStreams: 8, Reserved: 2, PerIP: -1, PerAccount: 30, Poll: 500 * time.Millisecond, Heartbeat: 15 * time.Second, WriteTimeout: 2 * time.Second}},
		{Config{MaxStreams: 8, Reserved: 1, PerIP: 3, PerAccount: 4, Poll: 5, Heartbeat: 6, WriteTimeout: 7}, Config{MaxStreams: 8, Reserved: 1, PerIP: 3, PerAccount: 4, Poll: 5, Heartbeat: 6, WriteTimeout: 7}},
	} {
		c := tc.in
		c.fill()
		settings := func(c Config) [7]any {
			return [7]any{c.MaxStreams, c.Reserved, c.PerIP, c.PerAccount, c.Poll, c.Heartbeat, c.WriteTimeout}
		}
		if got, want := settings(c), settings(tc.want); got != want || c.Watching == nil {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

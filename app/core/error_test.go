package core

import (
	"testing"
	"time"
)

// Who is refused for a while is told how long, in words.
func TestTooManySaysWhen(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "a second", time.Second: "a second", 1500 * time.Millisecond: "2 seconds", 2*time.Second + 1: "2 seconds",
		119 * time.Second: "119 seconds",
		2 * time.Minute:   "2 minutes", 121 * time.Second: "3 minutes", time.Hour: "60 minutes", 2*time.Hour + 1: "2 hours",
		7 * 24 * time.Hour: "7 days",
	} {
		if e := TooManyAfter(d, "code", "Too much."); e.Msg != "Too much. Try again in "+want+"." {
			t.Errorf("%v: %s", d, e.Msg)
		}
	}
}

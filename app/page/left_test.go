package page

import (
	"testing"
	"time"
)

func TestLeftText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "ended", 0: "ended", time.Millisecond: "in a minute", 119 * time.Second: "in a minute", 120 * time.Second: "in 2 minutes",
		10*time.Minute - time.Millisecond: "in 10 minutes", 90 * time.Minute: "in 90 minutes", 2*time.Hour - time.Second: "in 2 hours",
		24 * time.Hour: "in 24 hours", 48*time.Hour - time.Minute: "in 2 days", 60 * time.Hour: "in 3 days",
		30*24*time.Hour - time.Minute: "in 30 days",
	} {
		if got := leftText(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

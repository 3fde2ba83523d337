package list

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// fail reads a page at the moment now and in vain.
func (p *previews) fail(address string, now store.Time, err error) {
	run, _, refused := p.join(address, now)
	if refused == nil {
		run.err = err
		p.leave(address, run, now)
	}
}

// A page that could not be read is not requested for exactly five minutes, and then
// nothing is left of that.
func TestFailureIsKeptForFiveMinutes(t *testing.T) {
	const now = store.Time(1e15)
	p, failed := newPreviews(nil), core.New(core.BadGateway, "upstream_error", "No.")
	p.fail("a", now, failed)
	p.fail("other", now, core.New(core.Unavailable, "busy", "Wait."))
	for at, want := range map[store.Time]error{now: failed, now.Add(5*time.Minute) - 1: failed} {
		if run, first, err := p.join("a", at); !errors.Is(err, want) || first || run != nil {
			t.Errorf("after %v: %v, %v, %v", at.Sub(now), run, first, err)
		}
	}
	for _, address := range []string{"a", "other", "b"} {
		if run, first, err := p.join(address, now.Add(5*time.Minute)); err != nil || !first || run == nil {
			t.Errorf("%q after five minutes: %v, %v, %v", address, run, first, err)
		}
	}
	if len(p.failed) != 0 {
		t.Errorf("%d failures are kept", len(p.failed))
	}
}

// The failures of 10,000 pages are kept, and those of one more in their place.
func TestFailuresAreBounded(t *testing.T) {
	const now = store.Time(1e15)
	p, failed := newPreviews(nil), core.New(core.BadGateway, "upstream_error", "No.")
	for n := range 10_000 {
		p.fail(fmt.Sprint(n), now, failed)
	}
	if _, _, err := p.join("0", now); len(p.failed) != 10_000 || !errors.Is(err, failed) {
		t.Errorf("of 10,000 failures %d are kept, %v", len(p.failed), err)
	}
	p.fail("one more", now, failed)
	if _, _, err := p.join("one more", now); len(p.failed) != 1 || !errors.Is(err, failed) {
		t.Errorf("of one more %d are kept, %v", len(p.failed), err)
	}
}

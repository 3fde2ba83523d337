package middleware

import (
	"time"

	"hearth/app/core"
)

const (
	// maxRefusals is how many refusals of a caller within refusalWindow are
	// answered at once. A client that goes on all the same waits refusalDelay for
	// each further one, so that it does not take the time of the others.
	maxRefusals   = 20
	refusalWindow = 10 * time.Second
	refusalDelay  = time.Second
	// maxPaces bounds how many callers are remembered.
	maxPaces = 10_000
)

// pace is what a caller took in the last seconds.
type pace struct {
	volume   float64 // bytes, less what has been forgotten since
	at       time.Time
	refused  int // since the beginning of the window
	windowed time.Time
}

// paceOf returns the pace of a caller at now. l.mu must be held.
func (l *load) paceOf(key string, now time.Time) *pace {
	p := l.paces[key]
	if p == nil {
		l.forgetPaces(now)
		p = &pace{at: now, windowed: now}
		l.paces[key] = p
	}
	p.advance(now, l.VolumePerSecond)
	return p
}

func (p *pace) advance(now time.Time, perSecond int64) {
	p.volume = max(0, p.volume-now.Sub(p.at).Seconds()*float64(perSecond))
	p.at = now
	if now.Sub(p.windowed) >= refusalWindow {
		p.refused, p.windowed = 0, now
	}
}

// forgetPaces drops those that say nothing any more when there are too many, and
// all if that does not help.
func (l *load) forgetPaces(now time.Time) {
	if len(l.paces) < maxPaces {
		return
	}
	for key, p := range l.paces {
		if p.advance(now, l.VolumePerSecond); p.volume == 0 && p.refused == 0 {
			delete(l.paces, key)
		}
	}
	if len(l.paces) >= maxPaces {
		clear(l.paces)
	}
}

// overspent returns a TooMany error if the requests of a caller took too many
// bytes in the last seconds. l.mu must be held.
func (l *load) overspent(key string) error {
	if l.Unpaced || l.paces[key] == nil {
		return nil
	}
	over := l.paceOf(key, l.now()).volume - float64(l.Volume)
	if over <= 0 {
		return nil
	}
	wait := time.Duration(over / float64(l.VolumePerSecond) * float64(time.Second))
	return core.TooManyAfter(wait, "too_many_requests", "You have sent or requested a lot of data in a short time. Wait a moment, then try again.")
}

// refused counts a refusal of the request, and reports whether its answer is to
// be delayed.
func (p *place) refused() bool {
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Unpaced {
		return false
	}
	pace := l.paceOf(p.payer(), l.now())
	pace.refused++
	return pace.refused > maxRefusals
}

// payer returns the caller to whom the request counts: the account if it is
// known, so that those who share an address do not wait for each other.
func (p *place) payer() string {
	if p.account != "" {
		return p.account
	}
	return p.address
}

// refuse delays the answer to a client that is refused again and again. It takes
// no place meanwhile.
func (rec *Recorder) refuse() {
	if rec.ctx == nil || !rec.place.refused() {
		return
	}
	rec.place.leave()
	delay := time.NewTimer(refusalDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-rec.ctx.Done():
	}
}

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
	// maxPaces bounds how many addresses are remembered.
	maxPaces = 10_000
)

// pace is what a caller took in the last seconds.
type pace struct {
	volume   float64 // bytes, less what has been forgotten since
	at       time.Time
	refused  int // since the beginning of the window
	windowed time.Time
}

// paces are of accounts, all that there are, and of addresses: strangers have many, and
// those that took little are forgotten first.
type paces struct {
	accounts, addresses core.Recent[string, pace]
}

// payer is the caller to whom a request counts.
type payer struct {
	key     string
	account bool
}

// paceOf returns the pace of a caller at now, and a function that keeps a
// changed one. l.mu must be held.
func (l *load) paceOf(who payer, now time.Time) (pace, func(pace)) {
	all, key, address := &l.paces.accounts, who.key, ""
	if !who.account {
		all, address = &l.paces.addresses, who.key
		key = all.Fold(address)
	}
	p, until := all.Get(key)
	if until.IsZero() {
		p = pace{at: now, windowed: now}
	}
	p.volume = max(0, p.volume-now.Sub(p.at).Seconds()*float64(l.VolumePerSecond))
	p.at = now
	if now.Sub(p.windowed) >= refusalWindow {
		p.refused, p.windowed = 0, now
	}
	return p, func(p pace) {
		until := now.Add(time.Duration(p.volume / float64(l.VolumePerSecond) * float64(time.Second)))
		if end := p.windowed.Add(refusalWindow); p.refused > 0 && end.After(until) {
			until = end
		}
		all.Set(key, address, p, until, now)
	}
}

// took counts n bytes that the requests of a caller took. l.mu must be held.
func (l *load) took(who payer, n int64) {
	p, keep := l.paceOf(who, l.now())
	p.volume += float64(n)
	keep(p)
}

// overspent returns a TooMany error if the requests of a caller took too many
// bytes in the last seconds. l.mu must be held.
func (l *load) overspent(who payer) error {
	if l.Unpaced {
		return nil
	}
	p, _ := l.paceOf(who, l.now())
	over := p.volume - float64(l.Volume)
	if over <= 0 {
		return nil
	}
	wait := time.Duration(over / float64(l.VolumePerSecond) * float64(time.Second))
	return core.TooManyAfter(wait, "too_many_requests", "You have sent or requested a lot of data in a short time.")
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
	pace, keep := l.paceOf(p.payer(), l.now())
	pace.refused++
	keep(pace)
	return pace.refused > maxRefusals
}

// payer returns the caller to whom the request counts: the account if it is
// known, so that those who share an address do not wait for each other.
func (p *place) payer() payer {
	if p.account != "" {
		return payer{p.account, true}
	}
	return payer{p.address, false}
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

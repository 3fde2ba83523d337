package mail

import (
	"context"
	"slices"
	"time"

	"golang.org/x/time/rate"
)

const (
	queueLimit = 256 // mails that the mail server did not look at: so many to those with an account, and to strangers
	parallel   = 2   // simultaneous connections to the mail server for first attempts, one of them never to strangers

	// Mails that were refused for now wait apart, so that those to domains that take
	// none hold up no others, nor those for which the mail server cannot be reached or
	// is busy.
	delayedLimit     = 256
	delayedPerDomain = 64
	delayedParallel  = 2

	// Mails to strangers are sent when no others wait: strangersBurst at once, and
	// then one every strangersEvery.
	strangersBurst = 100
	strangersEvery = 2 * time.Second
)

// pending is a mail that was taken and neither sent nor given up. Its fields are guarded
// by Sender.mu, but for Message, ctx and give.
type pending struct {
	Message
	queued bool   // it waits for its first attempt
	turn   int    // of its network's mails
	domain string // to which it is; "" if it was not refused for its recipient
	tries  int    // 1 once the first attempt has ended
	ctx    context.Context
	give   context.CancelFunc // gives it up
}

// add queues m. The mails of a network have turns one after the other, so that those of
// another one need not wait for all of them. s.mu must be held.
func (s *Sender) add(m Message) {
	p := &pending{Message: m, queued: true, turn: s.turns[class(m)] + 1}
	for _, o := range s.mails {
		if o.queued && o.By == m.By && class(o.Message) == class(m) {
			p.turn = max(p.turn, o.turn+1)
		}
	}
	p.ctx, p.give = context.WithCancel(s.ctx)
	s.mails = append(s.mails, p)
	s.wg.Add(1)
	s.bound(queueLimit, func(o *pending) bool { return o.domain == "" && o.Stranger == m.Stranger })
	s.start()
}

func class(m Message) int {
	if m.Stranger {
		return 1
	}
	return 0
}

// full reports whether no more mails of a network are taken: as many wait as may, and no
// other network has more of them. Mails to strangers do not count, so that it depends on
// no address whether a mail to it is taken. s.mu must be held.
func (s *Sender) full(network string) bool {
	n, most, by := 0, 0, map[string]int{}
	for _, p := range s.mails {
		if p.domain == "" && !p.Stranger {
			n++
			by[p.By]++
			most = max(most, by[p.By])
		}
	}
	return n >= queueLimit && by[network]+1 >= most
}

// start begins first attempts while there are connections for them. s.mu must be held.
func (s *Sender) start() {
	for s.running < parallel {
		p := s.next()
		if p == nil {
			return
		}
		s.running++
		go s.deliver(p)
	}
}

// next takes a mail from the queue, or returns nil if none may be sent now. s.mu must be
// held.
func (s *Sender) next() *pending {
	toStrangers := 0
	for _, p := range s.mails {
		if p.Stranger && !p.queued && p.tries == 0 {
			toStrangers++
		}
	}
	var first *pending
	for _, p := range s.mails {
		if p.Stranger && toStrangers >= parallel-1 {
			continue
		}
		if p.queued && (first == nil || class(p.Message) < class(first.Message) || p.Stranger == first.Stranger && p.turn < first.turn) {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	if first.Stranger && !s.strangers.Allow() {
		if s.timer == nil {
			s.timer = time.AfterFunc(strangersEvery, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.timer = nil
				s.start()
			})
		}
		return nil
	}
	first.queued = false
	s.turns[class(first.Message)] = first.turn
	return first
}

// bound gives up one of the mails of a set if more than most of them wait: to a stranger
// if there is one, of the network that asked for most of them, and of its mails the
// newest. One whose first attempt is under way is not given up.
func (s *Sender) bound(most int, in func(*pending) bool) {
	n, by := 0, map[string]int{}
	for _, p := range s.mails {
		if in(p) {
			n++
			by[p.By]++
		}
	}
	if n <= most {
		return
	}
	var last *pending
	for _, p := range s.mails {
		if !in(p) || !p.queued && p.tries == 0 {
			continue
		}
		if last == nil || class(p.Message) > class(last.Message) || p.Stranger == last.Stranger && by[p.By] >= by[last.By] {
			last = p
		}
	}
	if last == nil {
		return
	}
	last.give()
	if !last.queued {
		s.remove(last)
		return
	}
	s.end(last)
	if s.dropped++; time.Since(s.told) < time.Minute {
		return
	}
	s.cfg.Log.Warn("mails are given up: too many of few networks, or to addresses without an account, wait for the mail server", "count", s.dropped)
	s.dropped, s.told = 0, time.Now()
}

// end removes a mail that is not delivered any more. s.mu must be held.
func (s *Sender) end(p *pending) {
	s.remove(p)
	p.give()
	s.wg.Done()
}

// remove removes p from those that wait, if it does. s.mu must be held.
func (s *Sender) remove(p *pending) {
	s.mails = slices.DeleteFunc(s.mails, func(o *pending) bool { return o == p })
}

// endQueued ends the mails that were not tried, once s.ctx has ended.
func (s *Sender) endQueued() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Clone(s.mails) {
		if p.queued {
			s.end(p)
			s.logEnd(p.Message, 0, ErrClosed)
		}
	}
}

func newStrangers() *rate.Limiter { return rate.NewLimiter(rate.Every(strangersEvery), strangersBurst) }

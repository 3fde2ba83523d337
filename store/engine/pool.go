package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// pool is a set of connections that only read.
type pool struct {
	now    func() time.Time
	closed chan struct{}
	once   sync.Once
	spare  int // connections that only callers of light use are given

	mu      sync.Mutex
	size    int // connections that are not closed
	free    []*Conn
	waiting map[string][]chan *Conn
	turns   []string // the callers in waiting, who has waited longest first
	uses    uses
}

// newPool opens a pool of size connections, and spare ones besides.
func newPool(path string, size, spare int, opt Options) (*pool, error) {
	p := &pool{now: opt.Now, spare: spare, closed: make(chan struct{}), waiting: map[string][]chan *Conn{}}
	for range size + spare {
		c, err := openConn(path, readOnly, opt.Synchronous)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		c.onPrepare = opt.OnPrepare
		p.free = append(p.free, c)
		p.size++
	}
	return p, nil
}

// take returns a connection, once one is free and it is the turn of the caller.
func (p *pool) take(ctx context.Context) (*Conn, error) {
	select {
	case <-p.closed:
		return nil, ErrClosed
	default:
	}
	m, _ := ctx.Value(meterKey{}).(*Meter)
	c, turn := p.ask(m)
	if turn != nil {
		var err error
		select {
		case c = <-turn:
		case <-ctx.Done():
			err = ctx.Err()
		case <-p.closed:
			err = ErrClosed
		}
		if err != nil {
			p.withdraw(m, turn)
			return nil, err
		}
	}
	c.broken, c.meter, c.h.copied, c.taken = nil, m, 0, time.Now()
	return c, nil
}

// ask returns a connection, or where it will be sent.
func (p *pool) ask(m *Meter) (*Conn, chan *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := m.caller()
	if p.mayTake(p.uses.now(key, time.Now())) {
		return p.pop(), nil
	}
	turn := make(chan *Conn, 1)
	if len(p.waiting[key]) == 0 {
		p.turns = append(p.turns, key)
	}
	p.waiting[key] = append(p.waiting[key], turn)
	return nil, turn
}

// mayTake reports whether a connection is free for a caller of so much use.
func (p *pool) mayTake(use time.Duration) bool {
	return len(p.free) > p.spare || len(p.free) > 0 && use == 0
}

func (p *pool) pop() *Conn {
	last := len(p.free) - 1
	c := p.free[last]
	p.free = p.free[:last]
	return c
}

// withdraw takes back a question, or what it was answered with.
func (p *pool) withdraw(m *Meter, turn chan *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case c := <-turn:
		p.pass(c)
		return
	default:
	}
	key := m.caller()
	for k, all := range p.waiting { // the key of m may have changed
		if i := slices.Index(all, turn); i >= 0 {
			key = k
			p.waiting[key] = slices.Delete(all, i, i+1)
		}
	}
	if len(p.waiting[key]) == 0 {
		delete(p.waiting, key)
		p.turns = slices.DeleteFunc(p.turns, func(k string) bool { return k == key })
	}
}

// pass gives a connection to the caller who has used least of those who wait, and of
// several to who has waited longest.
func (p *pool) pass(c *Conn) {
	p.free = append(p.free, c)
	now := time.Now()
	next, least := -1, time.Duration(0)
	for i, key := range p.turns {
		if used := p.uses.now(key, now); next < 0 || used < least {
			next, least = i, used
		}
	}
	if next < 0 || !p.mayTake(least) {
		return
	}
	key := p.turns[next]
	p.turns = slices.Delete(p.turns, next, next+1)
	p.waiting[key][0] <- p.pop()
	if p.waiting[key] = p.waiting[key][1:]; len(p.waiting[key]) > 0 {
		p.turns = append(p.turns, key)
	} else {
		delete(p.waiting, key)
	}
}

func (p *pool) give(c *Conn) {
	now, key := time.Now(), c.meter.caller()
	c.meter = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	p.uses.count(key, now.Sub(c.taken), now)
	p.pass(c)
}

// close waits for the connections in use and closes them all.
func (p *pool) close() (err error) {
	p.once.Do(func() { close(p.closed) })
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		for _, c := range p.free {
			c.Close()
			p.size--
		}
		p.free = nil
		left := p.size
		p.mu.Unlock()
		if left <= 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("store: a read is still running")
		}
	}
}

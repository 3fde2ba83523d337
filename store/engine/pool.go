package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// pool is a set of connections that only read. When all are in use, callers get
// them in turn: one that reads much at the same time waits for itself, and not the
// others for it.
type pool struct {
	now    func() time.Time
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	size    int // connections that are not closed
	free    []*Conn
	waiting map[string][]chan *Conn
	turns   []string // the callers in waiting, the next first
}

func newPool(path string, size int, opt Options) (*pool, error) {
	p := &pool{now: opt.Now, size: size, closed: make(chan struct{}), waiting: map[string][]chan *Conn{}}
	for range size {
		c, err := openConn(path, readOnly, opt.Synchronous)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		c.onPrepare = opt.OnPrepare
		p.free = append(p.free, c)
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
	c.broken, c.meter, c.h.copied = nil, m, 0
	return c, nil
}

// ask returns a connection, or where it will be sent.
func (p *pool) ask(m *Meter) (*Conn, chan *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		c := p.free[last]
		p.free = p.free[:last]
		return c, nil
	}
	turn, key := make(chan *Conn, 1), m.caller()
	if len(p.waiting[key]) == 0 {
		p.turns = append(p.turns, key)
	}
	p.waiting[key] = append(p.waiting[key], turn)
	return nil, turn
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

// pass gives a connection to the next caller who waits.
func (p *pool) pass(c *Conn) {
	if len(p.turns) == 0 {
		p.free = append(p.free, c)
		return
	}
	key := p.turns[0]
	p.turns = p.turns[1:]
	p.waiting[key][0] <- c
	if p.waiting[key] = p.waiting[key][1:]; len(p.waiting[key]) > 0 {
		p.turns = append(p.turns, key)
	} else {
		delete(p.waiting, key)
	}
}

func (p *pool) give(c *Conn) {
	c.meter = nil
	p.mu.Lock()
	defer p.mu.Unlock()
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

package engine

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// pool is a set of connections that only read. Callers get them first come, first served.
type pool struct {
	now    func() time.Time
	free   chan *Conn
	size   int // connections that are not closed
	closed chan struct{}
	once   sync.Once

	opening sync.WaitGroup
}

// newPool opens a pool of size connections: one, and the others in the background. One of
// those that cannot be opened is missed.
func newPool(path string, size int, opt Options) (*pool, error) {
	p := &pool{now: opt.Now, free: make(chan *Conn, size), closed: make(chan struct{})}
	add := func() error {
		c, err := openConn(path, readOnly, opt.Synchronous)
		if err == nil {
			c.onPrepare = opt.OnPrepare
			p.free <- c
			p.size++
		}
		return err
	}
	if err := add(); err != nil {
		return nil, err
	}
	p.opening.Go(func() {
		for range size - 1 {
			add()
		}
	})
	return p, nil
}

// take returns a connection once one is free.
func (p *pool) take(ctx context.Context) (*Conn, error) {
	select {
	case <-p.closed:
		return nil, ErrClosed
	default:
	}
	select {
	case c := <-p.free:
		c.broken = nil
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, ErrClosed
	}
}

func (p *pool) give(c *Conn) {
	p.free <- c
}

// close waits for the connections in use and closes them all.
func (p *pool) close() (err error) {
	p.once.Do(func() {
		close(p.closed)
		p.opening.Wait()
		timeout := time.After(5 * time.Second)
		for ; p.size > 0; p.size-- {
			select {
			case c := <-p.free:
				c.Close()
			case <-timeout:
				err = fmt.Errorf("store: a read is still running")
				return
			}
		}
	})
	return err
}

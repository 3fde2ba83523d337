package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// pool is a set of connections that only read. Callers get them first come, first served.
type pool struct {
	now    func() time.Time
	free   chan *Conn
	size   int
	closed chan struct{}
	once   sync.Once
}

// newPool opens size connections: a later one might be to another file.
func newPool(path string, size int, opt Options) (*pool, error) {
	p := &pool{now: opt.Now, free: make(chan *Conn, size), closed: make(chan struct{})}
	for range size {
		c, err := openConn(path, readOnly, opt.Synchronous)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		c.onPrepare = opt.OnPrepare
		p.free <- c
		p.size++
	}
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
		timeout := time.After(5 * time.Second)
		for range p.size {
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

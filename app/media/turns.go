package media

import (
	"context"
	"slices"
	"sync"
)

// placesOfOne bounds how many pictures of one person are decoded at once.
const placesOfOne = 2

// turns shares memory among people. Of those who wait and have a place left, it goes first
// to who has been given least since all of it was free, and of several to who has waited
// longest. While that one's picture does not fit, the others wait, too, so that large
// pictures are not passed over for small ones. It is safe for concurrent use.
type turns struct {
	mu      sync.Mutex
	all     int64
	free    int64
	running map[string]int   // pictures, by person
	waiting []*turn          // who has waited longest first
	given   map[string]int64 // by person, since all was free
	least   int64            // what counts as given to those who were given less
}

// turn is the memory that a person asks for.
type turn struct {
	person string
	size   int64
	ready  chan struct{} // closed once it is theirs
}

func newTurns(all int64) *turns {
	return &turns{all: all, free: all, running: map[string]int{}, given: map[string]int64{}}
}

// take returns once size bytes, which are not more than all, are the person's, or with an
// error when ctx is done. Whoever takes them gives them back.
func (p *turns) take(ctx context.Context, person string, size int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := p.ask(person, size)
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		p.withdraw(t)
		return ctx.Err()
	}
}

// ask has a person wait.
func (p *turns) ask(person string, size int64) *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &turn{person, size, make(chan struct{})}
	p.waiting = append(p.waiting, t)
	p.serve()
	return t
}

// withdraw takes back a question, or what it was answered with.
func (p *turns) withdraw(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, t); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.serve() // it may have been the first, with others behind it that fit
		return
	}
	p.release(t.person, t.size)
}

// give gives back what a person took.
func (p *turns) give(person string, size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(person, size)
}

func (p *turns) release(person string, size int64) {
	p.free += size
	if p.running[person]--; p.running[person] == 0 {
		delete(p.running, person)
	}
	p.serve()
	if p.free == p.all {
		clear(p.given)
		p.least = 0
	}
}

// serve gives what is free to those whose turn it is.
func (p *turns) serve() {
	for {
		i := p.next()
		if i < 0 || p.waiting[i].size > p.free {
			return
		}
		t := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.free -= t.size
		p.running[t.person]++
		p.least = p.used(t.person)
		p.given[t.person] = p.least + t.size
		close(t.ready)
	}
}

// next returns the index of who is first of those that have a place left; -1 if none has.
func (p *turns) next() int {
	next := -1
	for i, t := range p.waiting {
		if p.running[t.person] < placesOfOne && (next < 0 || p.used(t.person) < p.used(p.waiting[next].person)) {
			next = i
		}
	}
	return next
}

// used returns what counts as given to a person: at least as much as the last one who was
// served had before, so that nobody has turns left over from when they did not wait.
func (p *turns) used(person string) int64 { return max(p.least, p.given[person]) }

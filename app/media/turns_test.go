package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// decoding is a decoder whose pictures take no time, but as long as a test lets them.
type decoding struct {
	*testing.T
	*Decoder

	mu      sync.Mutex
	order   []string // of whom a picture was begun
	running []*held
	results chan error
}

func newDecoding(t *testing.T) *decoding {
	return &decoding{T: t, Decoder: NewDecoder(), results: make(chan error, 1000)}
}

// held is the content of a picture, which arrives once it is released.
type held struct {
	d       *decoding
	person  string
	memory  int64
	release chan struct{}
}

// ReadAt is first called when the decoding begins, and ends it.
func (h *held) ReadAt([]byte, int64) (int, error) {
	h.d.mu.Lock()
	h.d.order = append(h.d.order, h.person)
	h.d.running = append(h.d.running, h)
	h.d.mu.Unlock()
	<-h.release
	return 0, io.EOF
}

// add has a picture of a person decoded that takes so many MiB, and waits until it has
// begun or waits for its turn.
func (d *decoding) add(ctx context.Context, person string, mib int64) {
	d.Helper()
	h := &held{d: d, person: person, memory: mib << 20, release: make(chan struct{})}
	f := &File{Type: "image/png", cost: h.memory - scaling, src: h}
	f.keep(0, 1)
	go func() {
		_, err := d.Preview(ctx, person, f)
		d.results <- err
	}()
	synctest.Wait()
}

// end ends the picture that was begun first of those that run.
func (d *decoding) end() {
	d.Helper()
	d.mu.Lock()
	h := d.running[0]
	d.running = d.running[1:]
	d.mu.Unlock()
	close(h.release)
	synctest.Wait()
	if err := <-d.results; !errors.Is(err, ErrBroken) {
		d.Errorf("a picture of %s: %v", h.person, err)
	}
}

// took are whose pictures were begun, in order.
func (d *decoding) took() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.order)
}

func (d *decoding) expect(what string, want ...string) {
	d.Helper()
	if got := d.took(); !slices.Equal(got, want) {
		d.Errorf("%s: the pictures of %q were begun, not of %q", what, got, want)
	}
}

// finish ends all pictures, after which nothing may be left of them.
func (d *decoding) finish() {
	d.Helper()
	for len(d.running) > 0 {
		d.end()
	}
	p := d.memory
	if p.free != decoderMemory || len(p.waiting)+len(p.running)+len(p.given) > 0 || p.least != 0 {
		d.Errorf("%d of %d bytes are free, %d wait, and kept are %v, %v, %d", p.free, p.all, len(p.waiting), p.running, p.given, p.least)
	}
}

// Who sends many large pictures does not delay others by more than the one that runs.
func TestDecoderTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDecoding(t)
		for range 32 {
			d.add(t.Context(), "ada", 57)
		}
		d.add(t.Context(), "ben", 9)
		d.expect("before the first has ended", "ada")
		d.end()
		d.expect("after the first", "ada", "ben")
		d.finish()
	})
}

// Turns go to people, by how much each has been given; of several to who waited longest.
func TestDecoderOrder(t *testing.T) {
	type picture struct {
		person string
		mib    int64
	}
	for name, c := range map[string]struct {
		asked []picture
		want  []string
	}{
		"all as large": {
			[]picture{{"ada", 57}, {"ada", 57}, {"ada", 57}, {"ada", 57}, {"ben", 57}, {"ben", 57}, {"cleo", 57}},
			[]string{"ada", "ben", "cleo", "ada", "ben", "ada", "ada"},
		},
		"some small": {
			[]picture{{"ada", 57}, {"ada", 57}, {"ben", 9}, {"ben", 9}, {"ben", 9}, {"ben", 9}},
			[]string{"ada", "ben", "ben", "ben", "ben", "ada"},
		},
		"the server's own": {
			[]picture{{"", 57}, {"", 57}, {"ada", 57}, {"ada", 57}},
			[]string{"", "ada", "", "ada"},
		},
		"a large one before smaller ones": {
			[]picture{{"ada", 30}, {"ben", 30}, {"cleo", 57}, {"dana", 40}, {"ada", 40}},
			[]string{"ada", "ben", "cleo", "dana", "ada"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDecoding(t)
				for _, p := range c.asked {
					d.add(t.Context(), p.person, p.mib)
				}
				d.finish()
				d.expect("at the end", c.want...)
			})
		})
	}
}

// Who has had much while nobody else waited is not behind for it later: of two who wait
// they take turns.
func TestDecoderForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDecoding(t)
		d.add(t.Context(), "ada", 40)
		for range 9 {
			d.add(t.Context(), "ada", 40)
			d.end()
		}
		d.order = nil
		for _, person := range []string{"ada", "ben"} {
			for range 3 {
				d.add(t.Context(), person, 40)
			}
		}
		d.finish()
		d.expect("after many of ada", "ben", "ada", "ben", "ada", "ben", "ada")
	})
}

// A person has two places, however much memory is free.
func TestDecoderPlacesOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDecoding(t)
		for range 4 {
			d.add(t.Context(), "ada", 9)
		}
		d.expect("of one person", "ada", "ada")
		d.add(t.Context(), "ben", 9)
		d.expect("with another", "ada", "ada", "ben")
		d.end()
		d.expect("after the first", "ada", "ada", "ben", "ada")
		d.finish()
	})
}

// Whatever is asked for and given up, the pictures decoded at once take at most 64 MiB and
// are two of a person, and each has its turn.
func TestDecoderBounds(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			d, r := newDecoding(t), rand.New(rand.NewPCG(seed, 1))
			asked, canceled := 0, 0
			for range 300 {
				if r.IntN(2) == 0 && len(d.running) > 0 {
					d.end()
				} else {
					ctx, cancel := t.Context(), func() {}
					if r.IntN(4) == 0 {
						ctx, cancel = context.WithCancel(ctx)
					}
					before := len(d.took())
					d.add(ctx, fmt.Sprint(r.IntN(5)), 9+r.Int64N(56))
					asked++
					if cancel(); ctx.Err() != nil && len(d.took()) == before {
						canceled++
						if err := <-d.results; !errors.Is(err, context.Canceled) {
							t.Fatal(err)
						}
						synctest.Wait()
					}
				}
				of, memory := map[string]int{}, int64(0)
				for _, h := range d.running {
					of[h.person]++
					memory += h.memory
				}
				if memory > decoderMemory || len(of) > 0 && slices.Max(slices.Collect(maps.Values(of))) > 2 {
					t.Fatalf("%d bytes at once, of %v", memory, of)
				}
			}
			d.finish()
			if got := len(d.took()); got != asked-canceled {
				t.Errorf("%d pictures were begun of %d, of which %d were canceled", got, asked, canceled)
			}
		})
	}
}

// Who waits until their context ends gives their turn to those behind them.
func TestDecoderCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDecoding(t)
		d.add(t.Context(), "ada", 40)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		d.add(ctx, "ben", 57)
		d.add(t.Context(), "cleo", 9)
		d.expect("behind one that does not fit", "ada")
		if err := <-d.results; !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
		d.expect("once it is given up", "ada", "cleo")
		d.add(ctx, "ben", 9)
		if err := <-d.results; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a context that has ended: %v", err)
		}
		d.expect("of it", "ada", "cleo")
		d.finish()
	})
}

// Memory that was given just when the context ended is given back.
func TestTurnsWithdrawn(t *testing.T) {
	p := newTurns(10)
	first, second := p.ask("ada", 10), p.ask("ada", 10)
	p.withdraw(first)
	select {
	case <-second.ready:
	default:
		t.Fatal("the next one waits for what was withdrawn")
	}
	p.give("ada", 10)
	if p.free != 10 || len(p.running)+len(p.waiting)+len(p.given) > 0 {
		t.Errorf("%d are free, and kept are %v, %v", p.free, p.running, p.given)
	}
}

// What never fits is refused at once, so that nobody waits behind it.
func TestDecoderRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f := &File{Type: "image/png", cost: decoderMemory}
		if _, err := NewDecoder().Preview(ctx, "ada", f); err == nil || errors.Is(err, ErrBroken) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
	})
}

package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Who has had readers for long waits for those who have not, and leaves one to them. What
// was used is forgotten.
func TestReadersOfLightUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pool{closed: make(chan struct{}), waiting: map[string][]chan *Conn{}, size: 3, spare: 1}
		for range p.size {
			p.free = append(p.free, &Conn{h: &handle{}})
		}
		got := make(chan string, p.size)
		read := func(who string, d time.Duration) {
			m := &Meter{}
			m.SetCaller(who)
			go func() {
				c, err := p.take(WithMeter(t.Context(), m))
				if err != nil {
					t.Error(err)
					return
				}
				got <- who
				time.Sleep(d)
				p.give(c)
			}()
			synctest.Wait()
		}
		// next waits d and returns who was given readers meanwhile.
		next := func(d time.Duration) string {
			time.Sleep(d)
			synctest.Wait()
			var all []string
			for len(got) > 0 {
				all = append(all, <-got)
			}
			return strings.Join(all, " ")
		}
		read("heavy", time.Second)
		read("heavier", time.Second)
		next(time.Second)
		for _, who := range []string{"heavy", "heavier", "heavy", "heavier"} {
			read(who, time.Second)
		}
		read("light", lightUse)
		if who := next(0); who != "heavy heavier light" {
			t.Errorf("%s read at once", who)
		}
		read("late", 2*time.Second)
		read("later", 2*time.Second)
		if who := next(lightUse); who != "late" {
			t.Errorf("then %s", who)
		}
		if who := next(time.Second - lightUse); who != "later" {
			t.Errorf("then %s", who)
		}
		if who := next(2 * time.Second); who != "heavy heavier" {
			t.Errorf("at the end %s", who)
		}
		next(useForgotten * maxUse)
		for range p.size {
			read("heavy", time.Second)
		}
		if who := next(time.Second); who != "heavy heavy heavy" {
			t.Errorf("%s, once all is forgotten", who)
		}
	})
}

// Callers are remembered only as long as they have used anything.
func TestUseIsForgotten(t *testing.T) {
	u := &uses{}
	now := time.Now()
	for i := range 10 * minSweep {
		u.count(fmt.Sprint(i), time.Millisecond, now)
		now = now.Add(useForgotten * time.Millisecond / 8)
	}
	if len(u.of) > 2*minSweep {
		t.Errorf("%d callers are remembered", len(u.of))
	}
	if u.count("", time.Hour, now); u.now("", now) > 0 {
		t.Error("what the server does counts")
	}
}

// Writes of callers that have had the writer for long wait for those of others, also for
// those that come while they wait. Those of one caller keep their order.
func TestWritesOfLightUse(t *testing.T) {
	db := openTest(t, Options{})
	var order []string
	ended := make(chan error)
	write := func(who string, f func()) {
		m := &Meter{}
		m.SetCaller(who)
		go func() {
			ended <- db.Write(WithMeter(context.Background(), m), func(tx *Tx[string]) error {
				f()
				order = append(order, who)
				return nil
			})
		}()
	}
	queued := func(n int) {
		for len(db.w.queue) != n {
			time.Sleep(time.Millisecond)
		}
	}
	running, goOn := make(chan bool), make(chan bool)
	write("first", func() {
		db.w.uses.count("heavy", time.Second, time.Now())
		running <- true
		<-goOn
	})
	<-running
	slow := func() {
		time.Sleep(maxGroupTime) // ends the group
		db.w.uses.count("heavy", time.Second, time.Now())
	}
	begun := 0
	for i, who := range []string{"heavy", "heavy", "light", ""} {
		write(who, func() {
			if who != "heavy" {
				return
			}
			if begun++; begun == 1 {
				running <- true
				<-goOn
			}
			slow()
		})
		queued(i + 1)
	}
	goOn <- true
	<-running // the first of the heavy ones
	write("late", func() {})
	queued(1)
	goOn <- true
	for range 6 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(order, " "); got != "first light  heavy late heavy" {
		t.Errorf("the writes ran in the order %q", got)
	}
}

// The weight of a write is use as well.
func TestWeightIsUse(t *testing.T) {
	db := openTest(t, Options{})
	db.BeforeCommit(func(*Tx[string], []any) error { return nil })
	m := &Meter{}
	m.SetCaller("ada")
	err := db.Write(WithMeter(t.Context(), m), func(tx *Tx[string]) error {
		tx.Later("words", 20*maxGroupWeight)
		return put(tx, "x")
	})
	if used := db.w.uses.now("ada", time.Now()); err != nil || used < 100*time.Millisecond {
		t.Errorf("%v was used, %v", used, err)
	}
}

// Writes that do not fit in the group that runs are counted among those that wait.
func TestQueuedBehindAGroup(t *testing.T) {
	db := openTest(t, Options{Synchronous: "OFF"})
	const writes = maxGroup + 40
	begun, first, others := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(others)
	write := func(f func()) {
		wg.Go(func() {
			if err := db.Write(t.Context(), func(*Tx[string]) error { f(); return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	reach := func(want int) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Second); db.Queued() != want; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("%d writes wait, not %d", db.Queued(), want)
				return
			}
		}
	}
	write(func() { close(begun); <-first })
	<-begun
	for range writes {
		write(func() { <-others })
	}
	reach(cap(db.w.queue))
	close(first)
	reach(writes - maxGroup)
}

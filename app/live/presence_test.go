package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearth/app/list"
	"hearth/store"
)

// published is one presence event.
type published struct {
	at   time.Duration
	list string
	data string
}

// inBubble runs f with a presence whose clock is the bubble's; got returns
// what was published so far.
func inBubble(t *testing.T, f func(t *testing.T, p *Presence, got func() []published)) {
	synctest.Test(t, func(t *testing.T) {
		p, start := newPresence(), time.Now()
		var (
			mu  sync.Mutex
			out []published
		)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.run(ctx, func(listID string) {
				mu.Lock()
				defer mu.Unlock()
				out = append(out, published{time.Since(start), listID, string(p.encoded(listID))})
			})
		}()
		f(t, p, func() []published {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(out)
		})
		cancel()
		<-done
	})
}

func TestPresenceIsPublishedFourTimesASecond(t *testing.T) {
	inBubble(t, func(t *testing.T, p *Presence, got func() []published) {
		for i := range 200 { // two seconds of changes
			s := &Subscription{list: "l1", viewer: store.Viewer{UserID: fmt.Sprint("u", i)}}
			p.join(s, list.Watcher{UserID: s.viewer.UserID, Known: true, Name: "Ada"})
			if i%2 == 0 {
				p.leave(s)
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		out := got()
		if len(out) < 8 || len(out) > 10 {
			t.Fatalf("%d events in two seconds of changes, want about 8", len(out))
		}
		for i := range out[1:] {
			if gap := out[i+1].at - out[i].at; gap != presencePause {
				t.Errorf("events %v apart, want %v", gap, presencePause)
			}
		}
		if want := string(p.encoded("l1")); out[len(out)-1].data != want || p.Snapshot("l1").Viewers != 100 {
			t.Errorf("the last event is not the last state: %s", out[len(out)-1].data)
		}
		if out[0].at != 0 {
			t.Errorf("the first change was published after %v", out[0].at)
		}
	})
}

func TestTypingExpires(t *testing.T) {
	inBubble(t, func(t *testing.T, p *Presence, got func() []published) {
		ada := list.Person{ID: "a", Name: "Ada"}
		p.SetTyping("l1", ada, "i1", true)
		time.Sleep(10 * time.Second)
		p.SetTyping("l1", ada, "i1", true) // goes on
		time.Sleep(15*time.Second - time.Microsecond)
		if n := len(p.Snapshot("l1").Typing); n != 1 {
			t.Fatalf("%d are typing, want 1", n)
		}
		before := len(got())
		time.Sleep(time.Microsecond)
		if out := got(); len(out) != before+1 || out[before].data != `{"viewers":0,"people":[],"typing":[]}` {
			t.Errorf("the end was not published: %v", out[before:])
		}
		p.mu.Lock()
		if len(p.lists) != 0 {
			t.Errorf("a list in which typing expired stays in memory: %v", p.lists)
		}
		p.mu.Unlock()
		p.SetTyping("l1", ada, "i1", true)
		p.SetTyping("l1", ada, "i1", false)
		if n := len(p.Snapshot("l1").Typing); n != 0 {
			t.Errorf("still typing after saying otherwise")
		}
		time.Sleep(time.Second)
		got()
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.lists) != 0 || len(p.dirty) != 0 {
			t.Errorf("empty lists stay in memory: %v %v", p.lists, p.dirty)
		}
	})
}

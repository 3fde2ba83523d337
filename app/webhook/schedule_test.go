package webhook

import (
	"strings"
	"testing"

	"hearth/store"
)

// A webhook that worked has its turn before those that do not, also when nothing waited
// for it in between; after three failures it has not.
func TestWorkingWebhooksAreRemembered(t *testing.T) {
	s := newSchedule(limits{all: 9, failing: 1, person: 9, each: 1})
	add := func(id string) { s.add([]store.Queue{{WebhookID: id, ConversationID: "c", Person: "ada"}}, false) }
	attempt := func(ok bool) {
		t.Helper()
		q := s.next(1)
		if q == nil {
			t.Fatal("no attempt is made")
		}
		s.attempted(q.hook, ok)
		s.done(q, never, 1)
	}
	add("works")
	attempt(true)
	add("hangs")
	if q := s.next(1); q == nil || q.hook.id != "hangs" {
		t.Fatal("the other webhook is not attempted")
	}
	for range 3 {
		add("works")
		attempt(false)
		if len(s.hooks) != 1 {
			t.Fatal("a webhook without queues is kept")
		}
	}
	add("works")
	if q := s.next(1); q != nil {
		t.Error("a webhook that fails takes the place of those that work")
	}
}

// What is remembered has a bound.
func TestRememberedWebhooksHaveABound(t *testing.T) {
	s := newSchedule(limits{all: 1, failing: 1, person: 1, each: 1})
	for range maxWorked + 1 {
		s.add([]store.Queue{{WebhookID: store.NewID(), ConversationID: "c"}}, false)
		q := s.next(1)
		s.attempted(q.hook, true)
		s.done(q, never, 1)
	}
	if len(s.worked) != 1 {
		t.Errorf("%d webhooks are remembered", len(s.worked))
	}
}

// The webhooks of one person have a part of the places, and a turn when one is free;
// those of others go on. It is half as many for webhooks that do not work, and they
// take none from those that do.
func TestPlacesOfAPerson(t *testing.T) {
	for _, works := range []bool{true, false} {
		s := newSchedule(limits{all: 9, failing: 9, person: 2, each: 4})
		if !works {
			s.limits.person = 4
		}
		add := func(ids ...string) {
			for _, id := range ids {
				s.add([]store.Queue{{WebhookID: id, ConversationID: "c", Person: id[:1]}}, false)
			}
		}
		var started []*queue
		end := func() {
			s.done(started[0], never, 1)
			started = started[1:]
		}
		want := func(ids ...string) {
			t.Helper()
			for _, id := range ids {
				q := s.next(1)
				if q == nil || q.WebhookID != id {
					t.Fatalf("next is %+v, want %s", q, id)
				}
				started = append(started, q)
			}
			if q := s.next(1); q != nil {
				t.Fatalf("%s is attempted as well", q.WebhookID)
			}
		}
		for _, id := range []string{"a1", "a2", "a3", "a4", "b1", "a5"} {
			if works || id == "a5" {
				add(id)
				want(id)
				s.attempted(started[0].hook, true)
				end()
			}
		}
		add("a1", "a2", "a3", "a4", "b1")
		want("a1", "a2", "b1")
		end()
		want("a3")
		end()
		want("a4")
		if !works {
			add("a5")
			want("a5")
		}
		for len(started) > 0 {
			end()
		}
		want()
		if len(s.running) != 0 || len(s.hooks) != 0 || s.total != (count{}) {
			t.Errorf("left are %v, %v, %v", s.running, s.hooks, s.total)
		}
	}
}

// Webhooks that stop working while they wait for a place of their person hold nobody up.
func TestWaitingWebhooksThatStopWorking(t *testing.T) {
	s := newSchedule(limits{all: 20, failing: 9, person: 4, each: 2})
	add := func(id, conversation string) {
		s.add([]store.Queue{{WebhookID: id, ConversationID: conversation, Person: "ada"}}, false)
	}
	ids := strings.Fields("a b c d e f g h i j")
	for _, id := range ids { // each works, and the first four have failed twice
		add(id, "c")
		q := s.next(1)
		s.attempted(q.hook, true)
		for range 2 {
			if id <= "d" {
				s.attempted(q.hook, false)
			}
		}
		s.done(q, never, 1)
	}
	for _, conversation := range []string{"c", "d"} {
		for _, id := range ids {
			add(id, conversation)
		}
	}
	var running []*queue
	attempted := map[string]bool{}
	for range 1000 {
		for q := s.next(1); q != nil; q = s.next(1) {
			running = append(running, q)
		}
		if len(running) == 0 {
			break
		}
		q := running[0]
		running = running[1:]
		attempted[q.WebhookID+q.ConversationID] = true
		s.attempted(q.hook, q.WebhookID > "d")
		s.done(q, never, 1)
	}
	if len(attempted) != 2*len(ids) || len(s.hooks) != 0 || len(s.running) != 0 || s.total != (count{}) {
		t.Errorf("%d of %d deliveries are attempted; left are %v and %v", len(attempted), 2*len(ids), s.hooks, s.running)
	}
}

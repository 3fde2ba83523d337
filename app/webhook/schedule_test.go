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
	add := func(id string) { s.add([]store.Queue{{WebhookID: id, ConversationID: "c"}}, false) }
	attempt := func(ok bool) {
		t.Helper()
		q := s.next(1)
		if q == nil {
			t.Fatal("no attempt is made")
		}
		q.hook.attempted("ada", ok)
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
		q.hook.attempted("ada", true)
		s.done(q, never, 1)
	}
	if len(s.worked) != 1 {
		t.Errorf("%d webhooks are remembered", len(s.worked))
	}
}

// The webhooks of one person have a part of the places, and a turn when one is free;
// those of others go on.
func TestPlacesOfAPerson(t *testing.T) {
	s := newSchedule(limits{all: 9, failing: 9, person: 2, each: 4})
	add := func(id string) { s.add([]store.Queue{{WebhookID: id, ConversationID: "c"}}, false) }
	hooks := map[string]string{"a1": "ada", "a2": "ada", "a3": "ada", "a4": "ada", "b1": "ben"}
	for id, person := range hooks { // each works
		add(id)
		q := s.next(1)
		q.hook.attempted(person, true)
		s.done(q, never, 1)
	}
	for _, id := range []string{"a1", "a2", "a3", "a4", "b1"} {
		add(id)
	}
	var started []*queue
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
	end := func() {
		s.done(started[0], never, 1)
		started = started[1:]
	}
	want("a1", "a2", "b1")
	end()
	want("a3")
	end()
	want("a4")
	for len(started) > 0 {
		end()
	}
	want()
	if len(s.people) != 0 || len(s.hooks) != 0 || s.running != 0 {
		t.Errorf("left are %v, %v, %d", s.people, s.hooks, s.running)
	}
}

// Webhooks that stop working while they wait for a place of their person hold nobody up.
func TestWaitingWebhooksThatStopWorking(t *testing.T) {
	s := newSchedule(limits{all: 20, failing: 9, person: 4, each: 2})
	add := func(id, conversation string) {
		s.add([]store.Queue{{WebhookID: id, ConversationID: conversation}}, false)
	}
	ids := strings.Fields("a b c d e f g h i j")
	for _, id := range ids { // each works, and the first four have failed twice
		add(id, "c")
		q := s.next(1)
		q.hook.attempted("ada", true)
		for range 2 {
			if id <= "d" {
				q.hook.attempted("ada", false)
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
		q.hook.attempted("ada", q.WebhookID > "d")
		s.done(q, never, 1)
	}
	if len(attempted) != 2*len(ids) || len(s.hooks) != 0 || len(s.people) != 0 || s.running != 0 {
		t.Errorf("%d of %d deliveries are attempted; left are %v and %v", len(attempted), 2*len(ids), s.hooks, s.people)
	}
}

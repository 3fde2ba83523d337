package webhook

import (
	"testing"

	"hearth/store"
)

// A webhook that worked has its turn before those that do not, also when nothing waited
// for it in between; after three failures it has not.
func TestWorkingWebhooksAreRemembered(t *testing.T) {
	s := newSchedule(limits{all: 9, failing: 1, each: 1})
	add := func(id string) { s.add([]store.Queue{{WebhookID: id, ConversationID: "c"}}, false) }
	attempt := func(ok bool) {
		t.Helper()
		q := s.next(1)
		if q == nil {
			t.Fatal("no attempt is made")
		}
		q.hook.attempted(ok)
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
	s := newSchedule(limits{all: 1, failing: 1, each: 1})
	for range maxWorked + 1 {
		s.add([]store.Queue{{WebhookID: store.NewID(), ConversationID: "c"}}, false)
		q := s.next(1)
		q.hook.attempted(true)
		s.done(q, never, 1)
	}
	if len(s.worked) != 1 {
		t.Errorf("%d webhooks are remembered", len(s.worked))
	}
}

package webhook

import (
	"container/heap"
	"slices"

	"hearth/store"
)

// limits bound how many attempts are made at the same time. A webhook works once
// an attempt succeeded and until three in a row fail. Those that do not work
// cannot take the places of those that do, and nobody takes the places of all.
type limits struct {
	all     int // attempts
	failing int // of them to webhooks that do not work
	person  int // of them to webhooks that work of one person and their bots
	each    int // to one webhook that works; one to any other
}

// schedule decides which queue is attempted next. A queue has one attempt at a
// time, so that its deliveries stay in order; webhooks take turns, and so do the
// queues of each. It has the queues with deliveries that wait, and no more than
// their names. It is not safe for concurrent use.
type schedule struct {
	limits  limits
	hooks   map[string]*hook
	worked  map[string]worked // webhooks without a queue that work, by their ids; at most maxWorked
	people  map[string]int    // attempts to webhooks that work, by the person
	working []*hook           // with a queue that is ready and below their limit, in turn
	failing []*hook
	waiting queueHeap

	running, runningFailing int
}

// worked is what is remembered of a webhook that works.
type worked struct {
	person string
	failed int
}

// hook is a webhook with queues.
type hook struct {
	id      string
	person  string // the owner, or the owner of a bot; "" before the first attempt
	queues  map[string]*queue
	ready   []*queue
	running int
	works   bool
	failed  int  // attempts since the last that succeeded
	queued  bool // it is in working or failing
}

// queue is the deliveries of a webhook for one conversation.
type queue struct {
	store.Queue
	hook    *hook
	state   queueState
	due     store.Time // while waiting
	again   bool       // while running: there may be more
	failing bool       // while running: it was counted as failing
	person  string     // while running, not failing: for whom it was counted
	index   int        // in the heap, while waiting
}

type queueState uint8

const (
	idle queueState = iota
	ready
	running
	waiting
)

// maxWorked bounds the memory of worked. Beyond it, webhooks show again that they work.
const maxWorked = 10_000

func newSchedule(l limits) *schedule {
	return &schedule{limits: l, hooks: map[string]*hook{}, worked: map[string]worked{}, people: map[string]int{}}
}

// add adds queues with deliveries. One that waits for its next attempt goes on
// waiting unless hastened.
func (s *schedule) add(queues []store.Queue, hastened bool) {
	for _, name := range queues {
		h := s.hooks[name.WebhookID]
		if h == nil {
			h = &hook{id: name.WebhookID, queues: map[string]*queue{}}
			was, works := s.worked[h.id]
			h.person, h.failed, h.works = was.person, was.failed, works
			s.hooks[h.id] = h
			delete(s.worked, h.id)
		}
		q := h.queues[name.ConversationID]
		if q == nil {
			q = &queue{Queue: name, hook: h}
			h.queues[name.ConversationID] = q
		}
		switch {
		case q.state == idle:
			s.makeReady(q)
		case q.state == running:
			q.again = true
		case q.state == waiting && hastened:
			heap.Remove(&s.waiting, q.index)
			s.makeReady(q)
		}
	}
}

func (s *schedule) makeReady(q *queue) {
	q.state = ready
	q.hook.ready = append(q.hook.ready, q)
	s.enqueue(q.hook)
}

// enqueue gives h a turn if it has a queue for it.
func (s *schedule) enqueue(h *hook) {
	limit := 1
	if h.works {
		limit = s.limits.each
	}
	if h.queued || len(h.ready) == 0 || h.running >= limit {
		return
	}
	h.queued = true
	if h.works {
		s.working = append(s.working, h)
	} else {
		s.failing = append(s.failing, h)
	}
}

// next returns the queue to attempt at now, or nil if there is none or no place
// for it.
func (s *schedule) next(now store.Time) *queue {
	for len(s.waiting) > 0 && s.waiting[0].due <= now {
		s.makeReady(heap.Pop(&s.waiting).(*queue))
	}
	if s.running >= s.limits.all {
		return nil
	}
	h := s.nextHook()
	if h == nil {
		return nil
	}
	q := h.ready[0]
	h.ready, h.queued = h.ready[1:], false
	q.state, q.again, q.failing = running, false, !h.works
	h.running++
	s.running++
	if q.failing {
		s.runningFailing++
	} else {
		q.person = h.person
		s.people[q.person]++
	}
	s.enqueue(h)
	return q
}

// nextHook takes the webhook whose turn it is, nil if there is no place for one.
func (s *schedule) nextHook() *hook {
	share := s.limits.failing / 4 // of those that do not work, before those that do
	if len(s.failing) == 0 || s.runningFailing >= share {
		if h := s.nextWorking(); h != nil {
			return h
		}
	}
	if len(s.failing) == 0 || s.runningFailing >= s.limits.failing {
		return nil
	}
	h := s.failing[0]
	s.failing = s.failing[1:]
	return h
}

// nextWorking takes the first webhook of working whose person has a place left, nil if
// there is none. Those that do not work any more are in their turn among the others.
func (s *schedule) nextWorking() *hook {
	for n := 0; n < len(s.working); {
		h := s.working[n]
		if h.works && s.people[h.person] >= s.limits.person {
			n++
			continue
		}
		s.working = slices.Delete(s.working, n, n+1)
		if h.works {
			return h
		}
		s.failing = append(s.failing, h)
	}
	return nil
}

// nextDue returns when the first queue that waits is due; 0 if none waits.
func (s *schedule) nextDue() store.Time {
	if len(s.waiting) == 0 {
		return 0
	}
	return s.waiting[0].due
}

// done ends the attempt of q. It is attempted again from due on: 0 is at once,
// and never not before a delivery is added.
func (s *schedule) done(q *queue, due, now store.Time) {
	h := q.hook
	s.running--
	h.running--
	if q.failing {
		s.runningFailing--
	} else {
		if s.people[q.person]--; s.people[q.person] == 0 {
			delete(s.people, q.person)
		}
	}
	switch {
	case due <= now || q.again:
		s.makeReady(q)
	case due == never:
		q.state = idle
		delete(h.queues, q.ConversationID)
	default:
		q.state, q.due = waiting, due
		heap.Push(&s.waiting, q)
	}
	s.enqueue(h)
	if len(h.queues) == 0 {
		s.forget(h)
	}
}

// forget drops a webhook without queues. That it works is remembered, or each of its
// deliveries would wait among those to webhooks that do not.
func (s *schedule) forget(h *hook) {
	delete(s.hooks, h.id)
	if !h.works {
		return
	}
	if len(s.worked) >= maxWorked {
		clear(s.worked)
	}
	s.worked[h.id] = worked{h.person, h.failed}
}

// never is the due time of a queue without deliveries.
const never = store.Time(1<<63 - 1)

// attempted records whether an attempt of the webhook, which is a person's or their
// bot's, succeeded.
func (h *hook) attempted(person string, ok bool) {
	h.person = person
	if ok {
		h.works, h.failed = true, 0
		return
	}
	h.failed++
	h.works = h.works && h.failed < 3
}

// queueHeap has the queue that is due first on top.
type queueHeap []*queue

func (h queueHeap) Len() int           { return len(h) }
func (h queueHeap) Less(i, j int) bool { return h[i].due < h[j].due }
func (h queueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *queueHeap) Push(x any) {
	q := x.(*queue)
	q.index = len(*h)
	*h = append(*h, q)
}
func (h *queueHeap) Pop() any {
	old := *h
	q := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return q
}

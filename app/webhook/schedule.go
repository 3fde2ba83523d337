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
	person  int // to webhooks that work of one person and their bots; half as many to those that do not
	each    int // to one webhook that works; one to any other
}

// schedule decides which queue is attempted next. A queue has one attempt at a
// time, so that its deliveries stay in order; webhooks take turns, and so do the
// queues of each. It has the queues with deliveries that wait, and no more than
// their names. It is not safe for concurrent use.
type schedule struct {
	limits  limits
	hooks   map[string]*hook
	worked  map[string]int   // of webhooks without a queue that work, by their ids, the attempts that failed since the last success; at most maxWorked
	running map[string]count // attempts, by the person
	working []*hook          // with a queue that is ready and below their limit, in turn
	failing []*hook
	waiting queueHeap

	total count
}

// count is how many attempts are being made.
type count struct {
	working int // to webhooks that work
	failing int
}

// hook is a webhook with queues.
type hook struct {
	id      string
	person  string // the owner, or the owner of a bot
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
	return &schedule{limits: l, hooks: map[string]*hook{}, worked: map[string]int{}, running: map[string]count{}}
}

// add adds queues with deliveries. One that waits for its next attempt goes on
// waiting unless hastened.
func (s *schedule) add(queues []store.Queue, hastened bool) {
	for _, name := range queues {
		h := s.hooks[name.WebhookID]
		if h == nil {
			h = &hook{id: name.WebhookID, person: name.Person, queues: map[string]*queue{}}
			h.failed, h.works = s.worked[h.id]
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
	h := s.nextHook()
	if h == nil {
		return nil
	}
	q := h.ready[0]
	h.ready, h.queued = h.ready[1:], false
	q.state, q.again, q.failing = running, false, !h.works
	h.running++
	s.count(q, 1)
	s.enqueue(h)
	return q
}

// wakeAll makes all queues that wait ready: the clock was set back, and when they are due
// is to be decided again.
func (s *schedule) wakeAll() {
	for len(s.waiting) > 0 {
		s.makeReady(heap.Pop(&s.waiting).(*queue))
	}
}

// count adds n to the attempts that are being made of the kind of q.
func (s *schedule) count(q *queue, n int) {
	person := s.running[q.hook.person]
	if q.failing {
		person.failing += n
		s.total.failing += n
	} else {
		person.working += n
		s.total.working += n
	}
	if person == (count{}) {
		delete(s.running, q.hook.person)
	} else {
		s.running[q.hook.person] = person
	}
}

// nextHook takes the webhook whose turn it is, nil if there is no place for one.
func (s *schedule) nextHook() *hook {
	if s.total.working+s.total.failing >= s.limits.all {
		return nil
	}
	share := s.limits.failing / 4 // of those that do not work, before those that do
	if s.total.failing < share {
		if h := s.take(&s.failing); h != nil {
			return h
		}
	}
	if h := s.take(&s.working); h != nil {
		return h
	}
	if s.total.failing >= s.limits.failing {
		return nil
	}
	return s.take(&s.failing)
}

// take takes the first webhook of working or failing whose person has a place left, nil
// if there is none.
func (s *schedule) take(from *[]*hook) *hook {
	for n, h := range *from {
		person := s.running[h.person]
		if h.works && person.working < s.limits.person || !h.works && person.failing < (s.limits.person+1)/2 {
			*from = slices.Delete(*from, n, n+1)
			return h
		}
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
	h.running--
	s.count(q, -1)
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
	s.worked[h.id] = h.failed
}

// never is the due time of a queue without deliveries.
const never = store.Time(1<<63 - 1)

// attempted records whether an attempt of the webhook succeeded.
func (s *schedule) attempted(h *hook, ok bool) {
	worked := h.works
	if ok {
		h.works, h.failed = true, 0
	} else {
		h.failed++
		h.works = h.works && h.failed < 3
	}
	if h.works == worked || !h.queued {
		return
	}
	is := func(o *hook) bool { return o == h }
	s.working, s.failing = slices.DeleteFunc(s.working, is), slices.DeleteFunc(s.failing, is)
	h.queued = false
	s.enqueue(h)
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

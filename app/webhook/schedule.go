package webhook

import (
	"container/heap"

	"hearth/store"
)

// limits bound how many attempts are made at the same time. A webhook works once
// an attempt succeeded and until three in a row fail. Those that do not work
// cannot take the places of those that do.
type limits struct {
	all     int // attempts
	failing int // of them to webhooks that do not work
	each    int // to one webhook that works; one to any other
}

// schedule decides which lane is attempted next. A lane has one attempt at a
// time, so that its deliveries stay in order; webhooks take turns, and so do the
// lanes of each. It has the lanes with deliveries that wait, and no more than
// their names. It is not safe for concurrent use.
type schedule struct {
	limits  limits
	hooks   map[string]*hook
	working []*hook // with a lane that is ready and below their limit, in turn
	failing []*hook
	waiting laneHeap

	running, runningFailing int
}

// hook is a webhook with lanes.
type hook struct {
	id      string
	lanes   map[string]*lane
	ready   []*lane
	running int
	works   bool
	failed  int  // attempts since the last that succeeded
	queued  bool // it is in working or failing
}

// lane is the deliveries of a webhook for one conversation.
type lane struct {
	store.Lane
	hook    *hook
	state   laneState
	due     store.Time // while waiting
	again   bool       // while running: there may be more
	failing bool       // while running: it was counted as failing
	index   int        // in the heap, while waiting
}

type laneState uint8

const (
	idle laneState = iota
	ready
	running
	waiting
)

func newSchedule(l limits) *schedule { return &schedule{limits: l, hooks: map[string]*hook{}} }

// add adds lanes with deliveries. One that waits for its next attempt goes on
// waiting unless hastened.
func (s *schedule) add(lanes []store.Lane, hastened bool) {
	for _, name := range lanes {
		h := s.hooks[name.WebhookID]
		if h == nil {
			h = &hook{id: name.WebhookID, lanes: map[string]*lane{}}
			s.hooks[h.id] = h
		}
		l := h.lanes[name.ConversationID]
		if l == nil {
			l = &lane{Lane: name, hook: h}
			h.lanes[name.ConversationID] = l
		}
		switch {
		case l.state == idle:
			s.makeReady(l)
		case l.state == running:
			l.again = true
		case l.state == waiting && hastened:
			heap.Remove(&s.waiting, l.index)
			s.makeReady(l)
		}
	}
}

func (s *schedule) makeReady(l *lane) {
	l.state = ready
	l.hook.ready = append(l.hook.ready, l)
	s.enqueue(l.hook)
}

// enqueue gives h a turn if it has a lane for it.
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

// next returns the lane to attempt at now, or nil if there is none or no place
// for it.
func (s *schedule) next(now store.Time) *lane {
	for len(s.waiting) > 0 && s.waiting[0].due <= now {
		s.makeReady(heap.Pop(&s.waiting).(*lane))
	}
	if s.running >= s.limits.all {
		return nil
	}
	var h *hook
	switch {
	case len(s.failing) > 0 && s.runningFailing < s.limits.failing/4: // their share
		h, s.failing = s.failing[0], s.failing[1:]
	case len(s.working) > 0:
		h, s.working = s.working[0], s.working[1:]
	case len(s.failing) > 0 && s.runningFailing < s.limits.failing:
		h, s.failing = s.failing[0], s.failing[1:]
	default:
		return nil
	}
	l := h.ready[0]
	h.ready, h.queued = h.ready[1:], false
	l.state, l.again, l.failing = running, false, !h.works
	h.running++
	s.running++
	if l.failing {
		s.runningFailing++
	}
	s.enqueue(h)
	return l
}

// nextDue returns when the first lane that waits is due; 0 if none waits.
func (s *schedule) nextDue() store.Time {
	if len(s.waiting) == 0 {
		return 0
	}
	return s.waiting[0].due
}

// done ends the attempt of l. It is attempted again from due on: 0 is at once,
// and never not before a delivery is added.
func (s *schedule) done(l *lane, due, now store.Time) {
	h := l.hook
	s.running--
	h.running--
	if l.failing {
		s.runningFailing--
	}
	switch {
	case due <= now || l.again:
		s.makeReady(l)
	case due == never:
		l.state = idle
		delete(h.lanes, l.ConversationID)
	default:
		l.state, l.due = waiting, due
		heap.Push(&s.waiting, l)
	}
	s.enqueue(h)
	if len(h.lanes) == 0 {
		delete(s.hooks, h.id)
	}
}

// never is the due time of a lane without deliveries.
const never = store.Time(1<<63 - 1)

// attempted records whether an attempt of the webhook succeeded.
func (h *hook) attempted(ok bool) {
	if ok {
		h.works, h.failed = true, 0
		return
	}
	h.failed++
	h.works = h.works && h.failed < 3
}

// laneHeap has the lane that is due first on top.
type laneHeap []*lane

func (h laneHeap) Len() int           { return len(h) }
func (h laneHeap) Less(i, j int) bool { return h[i].due < h[j].due }
func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *laneHeap) Push(x any) {
	l := x.(*lane)
	l.index = len(*h)
	*h = append(*h, l)
}
func (h *laneHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return l
}

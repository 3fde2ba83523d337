package store

import (
	"cmp"
	"slices"
	"sync"
)

const (
	markGap   = 64  // positions from one mark of a list to the next, at least
	maxMarked = 128 // lists with marks in each half of itemMarks
)

// itemMark is the rank of the item at a position of its list.
type itemMark struct {
	position int
	rank     int64
}

// itemMarks remembers where pages of lists began and ended, so that the next page
// is not found by counting from the first item. What is remembered of a list counts
// for one state of it, which is recognised by its time of change: every addition,
// move and deletion changes that. It is safe for concurrent use.
type itemMarks struct {
	mu           sync.Mutex
	newer, older map[string]listMarks // when the newer half is full it replaces the older one
}

// listMarks is the marks of a list that had changed last at a time, in order.
type listMarks struct {
	listAt Time
	marks  []itemMark
}

func newItemMarks() *itemMarks { return &itemMarks{newer: map[string]listMarks{}} }

// before returns the last mark of a list that is at the position or before it, and
// the state of the list that it counts for; 0 without one.
func (m *itemMarks) before(listID string, position int) (itemMark, Time) {
	if m == nil {
		return itemMark{}, 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.list(listID)
	n, found := l.search(position)
	switch {
	case found:
		return l.marks[n], l.listAt
	case n > 0:
		return l.marks[n-1], l.listAt
	}
	return itemMark{}, 0
}

// put remembers a mark of a list that had changed last at listAt. Those of an
// earlier state are forgotten.
func (m *itemMarks) put(listID string, listAt Time, at itemMark) {
	if m == nil || at.position < markGap {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.list(listID)
	switch {
	case listAt < l.listAt:
		return
	case listAt > l.listAt:
		l = listMarks{listAt: listAt}
	}
	n, _ := l.search(at.position)
	if n > 0 && at.position-l.marks[n-1].position < markGap || n < len(l.marks) && l.marks[n].position-at.position < markGap {
		return
	}
	l.marks = slices.Insert(l.marks, n, at)
	if len(m.newer) >= maxMarked {
		m.older, m.newer = m.newer, map[string]listMarks{}
	}
	m.newer[listID] = l
}

func (m *itemMarks) list(id string) listMarks {
	if l, ok := m.newer[id]; ok {
		return l
	}
	return m.older[id]
}

func (l listMarks) search(position int) (n int, found bool) {
	return slices.BinarySearchFunc(l.marks, position, func(m itemMark, p int) int { return cmp.Compare(m.position, p) })
}

package engine

import (
	"runtime"
	"testing"
)

// Callers that are ready to write when the writer takes a group are in it.
func TestYield(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that none of them runs beside the writer
	const callers = 20
	w := &writer[string]{queue: make(chan *write[string], maxGroup)}
	for range callers {
		go func() { w.queue <- nil }()
	}
	for range 5 { // the scheduler takes up the one that yields first now and then
		w.yield()
	}
	if n := len(w.queue); n != callers {
		t.Errorf("%d of %d callers have queued their writes", n, callers)
	}
}

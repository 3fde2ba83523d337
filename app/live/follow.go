package live

import (
	"context"
	"time"

	"hearth/store"
)

// eventBatch is how many events are delivered from one snapshot; few, because
// the database has few readers.
const eventBatch = 100

// follow reads the log whenever it is notified and, for what other processes
// write, at every poll.
func (h *Hub) follow(ctx context.Context) {
	tick := time.NewTicker(h.cfg.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		case <-tick.C:
			h.endExpired()
		}
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = h.step(ctx); err != nil && ctx.Err() == nil {
				h.cfg.Log.Warn("live: the event log could not be read; trying again", "error", err)
				break
			}
		}
	}
}

// step delivers the next events of the log, in order, and reports whether
// there may be more. Rights, audiences and content are all read from one
// snapshot: nothing that was written after a revocation can reach the streams
// that it ends.
func (h *Hub) step(ctx context.Context) (more bool, err error) {
	err = h.cfg.DB.Read(ctx, func(r *store.Reader) error {
		if h.skipUnwatched(r) {
			return nil
		}
		events, err := r.EventsAfter(h.last, eventBatch)
		if err != nil || len(events) == 0 {
			return err
		}
		// From here on new streams read these events from the log.
		h.mu.Lock()
		h.mark = max(h.mark, events[len(events)-1].ID)
		h.mu.Unlock()
		if err := h.recheck(r, events); err != nil {
			return err
		}
		h.deliver(r, events)
		more = len(events) == eventBatch
		return nil
	})
	return more, err
}

// skipUnwatched moves to the end of the log if no stream is open, and nobody is typing.
func (h *Hub) skipUnwatched(r *store.Reader) bool {
	if h.Streams() > 0 || h.presence.inUse() {
		return false
	}
	_, newest, err := r.EventRange()
	if err != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) > 0 { // a stream was opened meanwhile: it begins at the old mark
		return false
	}
	h.last = max(h.last, newest)
	h.mark = max(h.mark, h.last)
	return true
}

// endExpired ends the streams whose credential has expired.
func (h *Hub) endExpired() {
	now := h.cfg.DB.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		if s.viewer.Until != 0 && s.viewer.Until <= now {
			h.end(s, errRevoked)
		}
	}
}

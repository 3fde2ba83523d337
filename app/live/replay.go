package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

const (
	replayPage  = 500       // events read from one snapshot
	replayBatch = 100       // events rendered together
	replayBytes = 256 << 10 // rendered from one snapshot; the rest is read again
	replayRead  = 512 << 10 // read for several events that are rendered together
)

// replay sends what the log has after the given number and up to where the
// live events begin. It holds no reader while it writes.
func (s *stream) replay(ctx context.Context, after int64) error {
	var oldest, newest int64
	var owns bool // since after, before which they may not have seen the list
	var lost bool
	err := s.hub.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		if oldest, newest, err = r.EventRange(); err == nil && s.sub.list != "" {
			owns, err = r.BecameOwner(s.sub.viewer, s.sub.list, after)
		}
		if err == nil && after >= oldest {
			lost, err = r.LostEvent(after)
		}
		return err
	})
	if err != nil {
		return err
	}
	if after == FromOldest {
		after = max(oldest-1, 0)
	}
	if after > newest || after < oldest-1 || owns || lost {
		return s.resync(newest)
	}
	p := page{batch: replayBatch}
	for after < s.sub.start {
		select {
		case <-s.sub.done:
			return s.sub.reason
		default:
		}
		p.wire = nil // it takes no memory while others read
		if err := s.hub.cfg.DB.ReadLong(p.metered(ctx, s), func(r *store.Reader) error { return p.load(r, s, after) }); err != nil {
			if !core.IsKind(err, core.Unauthenticated) && !core.IsKind(err, core.NotFound) && !core.IsKind(err, core.Forbidden) {
				s.hub.cfg.Log.Warn("live: missed events could not be read", "error", err)
			}
			return err
		}
		if err := s.sendHeld(p.wire); err != nil {
			return err
		}
		after = p.next
	}
	return nil
}

// resync sends that the client has to load everything again, and where to
// resume then.
func (s *stream) resync(newest int64) error {
	s.known = newest
	id := s.hub.ids.SealPosition(newest)
	return s.send(fmt.Appendf(nil, "id: %s\nevent: %s\ndata: {\"id\":\"%s\"}\n\n", id, Resync, id))
}

// Holder is implemented by responses that count the memory of what waits to be sent.
type Holder interface {
	// Hold takes memory for n bytes until release is called. It fails if there is not
	// enough.
	Hold(n int) (release func(), err error)
}

// sendHeld is send for what takes memory until the client has taken it.
func (s *stream) sendHeld(b []byte) error {
	if h, ok := s.w.(Holder); ok {
		release, err := h.Hold(len(b))
		if err != nil {
			return err // the client reconnects and resumes
		}
		defer release()
	}
	return s.send(b)
}

// page is a part of the missed events, rendered for one viewer.
type page struct {
	wire  []byte
	next  int64 // the number to continue after
	batch int   // how many events are rendered together

	read int // bytes, for a batch
	most int // of read; 0 is no limit
}

// errLarge ends reading for a batch of large events.
var errLarge = errors.New("live: the events are too large to be rendered together")

// metered returns a context for reading the page: what is read for several events at
// once is bounded.
func (p *page) metered(ctx context.Context, s *stream) context.Context {
	m := &store.Meter{Read: func(n int) error {
		if p.read += n; p.most > 0 && p.read > p.most {
			return errLarge
		}
		return nil
	}}
	m.SetCaller(cmp.Or(s.sub.viewer.PersonID(), s.sub.viewer.IP))
	return store.WithMeter(ctx, m)
}

// load fails if the viewer's rights have ended in the state of r, whether or
// not the hub has noticed.
func (p *page) load(r *store.Reader, s *stream, after int64) error {
	if _, err := s.hub.check(r, s.sub); err != nil {
		return err
	}
	events, next, err := s.missed(r, after)
	if err != nil {
		return err
	}
	if s.sub.list == "" {
		events = newestStates(events)
	}
	for len(events) > 0 && len(p.wire) < replayBytes {
		batch := events[:min(len(events), p.batch)]
		if p.read, p.most = 0, 0; len(batch) > 1 {
			p.most = replayRead
		}
		before := len(p.wire)
		sent, err := p.render(r, s, batch)
		large := p.most > 0 && p.read > p.most // whatever became of the error
		p.most = 0
		switch {
		case large:
			p.wire, p.batch = p.wire[:before], max(1, len(batch)/4)
			continue
		case err != nil:
			return err
		}
		events = events[sent:]
		p.next = batch[sent-1].ID
		p.batch = min(2*p.batch, replayBatch)
		runtime.Gosched() // a replay takes long, and requests do not
	}
	if len(events) == 0 {
		p.next = next
	}
	return nil
}

// newestStates returns the events without those after which there is another of
// the same kind about the same object: an event is rendered as the object is now,
// so they would all be equal. Those of a list are all sent: they are small, and
// whoever counts them gets each.
func newestStates(events []store.Event) []store.Event {
	type state struct {
		kind          store.EventKind
		topic, object string
	}
	last := make(map[state]int64, len(events))
	for _, ev := range events {
		last[state{ev.Kind, ev.Topic, ev.ObjectID}] = ev.ID
	}
	return slices.DeleteFunc(events, func(ev store.Event) bool { return last[state{ev.Kind, ev.Topic, ev.ObjectID}] != ev.ID })
}

// render appends a batch to the page: all events of one kind are rendered
// together, and written in their order. It returns how many there was room for.
func (p *page) render(r *store.Reader, s *stream, batch []store.Event) (sent int, err error) {
	byKind := map[store.EventKind][]int{}
	for i, ev := range batch {
		e, ok := s.hub.events.byKind[ev.Kind]
		if ok && e.Render != nil && (e.Scope == core.ToList) == (s.sub.list != "") && (e.Scope == core.ToLane) == (s.sub.lane != "") {
			byKind[ev.Kind] = append(byKind[ev.Kind], i)
		}
	}
	data := make([][]byte, len(batch))
	for kind, places := range byKind {
		evs := make([]store.Event, len(places))
		for i, at := range places {
			evs[i] = batch[at]
		}
		out, err := s.hub.render(r, s.hub.events.byKind[kind], s.sub.viewer, evs)
		if err != nil {
			return 0, err
		}
		for i, at := range places {
			data[at] = out[i]
		}
	}
	for sent < len(batch) && (sent == 0 || len(p.wire) < replayBytes) {
		if ev := batch[sent]; data[sent] != nil {
			p.wire = s.hub.ids.appendEvent(p.wire, ev.ID, s.hub.events.byKind[ev.Kind].ClientName(), data[sent])
		}
		sent++
	}
	return sent, nil
}

// missed returns some of the missed events after a number, in order, and the
// number that they are complete up to.
func (s *stream) missed(r *store.Reader, after int64) (events []store.Event, next int64, err error) {
	if s.sub.lane != "" {
		events, err = r.LaneEvents(s.sub.viewer, s.sub.lane, after, s.sub.start, replayPage)
		return events, s.nextOf(events), err
	}
	if s.sub.list == "" {
		return r.FeedEvents(s.sub.viewer, after, s.sub.start, replayPage)
	}
	events, err = r.ListEvents(s.sub.viewer, s.sub.list, after, s.sub.start, replayPage)
	return events, s.nextOf(events), err
}

// nextOf returns the number that a page of missed events is complete up to.
func (s *stream) nextOf(events []store.Event) int64 {
	if len(events) == replayPage {
		return events[replayPage-1].ID
	}
	return s.sub.start
}

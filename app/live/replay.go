package live

import (
	"context"
	"fmt"

	"hearth/store"
)

const (
	replayPage  = 500       // events read at once
	replayBytes = 256 << 10 // rendered at once; the rest is read again
)

// replay sends what the log has after the given number and up to where the
// live events begin. It holds no reader while it writes.
func (s *stream) replay(ctx context.Context, after int64) error {
	var oldest, newest int64
	err := s.hub.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		oldest, newest, err = r.EventRange()
		return err
	})
	if err != nil {
		return err
	}
	if after == FromOldest {
		after = max(oldest-1, 0)
	}
	if after > newest || after < oldest-1 {
		s.seen = newest
		id := s.hub.numbers.SealPosition(newest)
		return s.send(fmt.Appendf(nil, "id: %s\nevent: resync\ndata: {\"id\":\"%s\"}\n\n", id, id))
	}
	for after < s.sub.start {
		select {
		case <-s.sub.done:
			return s.sub.reason
		default:
		}
		p := page{next: s.sub.start}
		if err := s.hub.cfg.DB.Snapshot(ctx, func(r *store.Reader) error { return p.load(ctx, r, s, after) }); err != nil {
			s.hub.cfg.Log.Warn("live: missed events could not be read", "error", err)
			return err
		}
		if len(p.wire) > 0 {
			if err := s.send(p.wire); err != nil {
				return err
			}
		}
		after = p.next
	}
	s.seen = max(s.seen, s.sub.start)
	return nil
}

// page is a part of the missed events, rendered for one viewer.
type page struct {
	wire []byte
	next int64 // the number to go on after
}

func (p *page) load(ctx context.Context, r *store.Reader, s *stream, after int64) error {
	events, err := s.missed(r, after)
	if err != nil {
		return err
	}
	for i, ev := range events {
		route, ok := s.hub.cfg.Routes[ev.Kind]
		if ok && (route.Scope == ToList) == (s.sub.list != "") {
			f, err := s.hub.render(ctx, r, route, ev, s.sub.viewer)
			if err != nil {
				return err
			}
			if f != nil {
				p.wire = append(p.wire, f.wire...)
			}
		}
		if i == replayPage-1 || len(p.wire) > replayBytes {
			p.next = ev.ID
			return nil
		}
	}
	return nil
}

func (s *stream) missed(r *store.Reader, after int64) ([]store.Event, error) {
	if s.sub.list != "" {
		return r.ListEvents(s.sub.viewer, s.sub.list, after, s.sub.start, replayPage)
	}
	return r.UserEvents(s.sub.viewer, after, s.sub.start, replayPage)
}

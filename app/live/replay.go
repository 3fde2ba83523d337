package live

import (
	"context"
	"fmt"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// replayPage is how many events are read and sent at a time.
const replayPage = 100

// replay sends what the log has after the given number and up to where the
// live events begin. It holds no reader while it writes.
func (s *stream) replay(ctx context.Context, after int64) error {
	after, known, err := s.resumesFrom(ctx, after)
	if err != nil {
		return err
	}
	if !known {
		id := s.hub.ids.SealPosition(s.sub.start)
		return s.send(fmt.Appendf(nil, "id: %s\nevent: %s\ndata: {\"id\":\"%s\"}\n\n", id, Resync, id))
	}
	for after < s.sub.start {
		select {
		case <-s.sub.done:
			return s.sub.reason
		default:
		}
		var wire []byte
		err := s.hub.cfg.DB.ReadLong(ctx, func(r *store.Reader) (err error) {
			wire, after, err = s.page(r, after)
			return err
		})
		if err != nil {
			if !core.Known(err) && ctx.Err() == nil {
				s.hub.cfg.Log.Warn("live: missed events could not be read", "error", err)
			}
			return err
		}
		if len(wire) == 0 {
			continue
		}
		if err := s.send(wire); err != nil {
			return err
		}
	}
	return nil
}

// resumesFrom returns the number of the event that the stream continues after. known
// is false if the client has to load everything: the log does not have the event, a
// restore has replaced what followed it, or the viewer has become the list's owner
// since and may not have seen what came before.
func (s *stream) resumesFrom(ctx context.Context, after int64) (from int64, known bool, err error) {
	err = s.hub.cfg.DB.Read(ctx, func(r *store.Reader) error {
		oldest, _, err := r.EventRange()
		if err != nil {
			return err
		}
		var owns, lost bool
		if s.sub.list != "" {
			if owns, err = r.BecameOwner(s.sub.viewer, s.sub.list, after); err != nil {
				return err
			}
		}
		if after == FromOldest {
			after = max(oldest-1, 0)
		}
		if after >= oldest {
			lost, err = r.LostEvent(after)
		}
		known = after >= oldest-1 && after <= s.sub.start && !owns && !lost
		return err
	})
	return after, known, err
}

// page returns missed events after a number, and the number that they are complete up
// to. It fails if the viewer's rights have ended in the state of r, whether or not the
// hub has noticed.
func (s *stream) page(r *store.Reader, after int64) (wire []byte, next int64, err error) {
	if _, err := s.hub.admit(r, s.sub); err != nil {
		return nil, after, err
	}
	events, next, err := s.missed(r, after)
	if err != nil {
		return nil, after, err
	}
	data := make(map[int64][]byte, len(events))
	byKind := map[store.EventKind][]store.Event{}
	for _, ev := range events {
		byKind[ev.Kind] = append(byKind[ev.Kind], ev)
	}
	for kind, evs := range byKind {
		e, ok := s.hub.events.byKind[kind]
		if !ok || e.Render == nil || (e.Scope == core.ToList) != (s.sub.list != "") || (e.Scope == core.ToLane) != (s.sub.lane != "") {
			continue
		}
		out, err := s.hub.render(r, e, s.sub.viewer, evs)
		if err != nil {
			return nil, after, err
		}
		for i, ev := range evs {
			data[ev.ID] = out[i]
		}
	}
	for _, ev := range events {
		if b := data[ev.ID]; b != nil {
			wire = s.hub.ids.appendEvent(wire, ev.ID, s.hub.events.byKind[ev.Kind].ClientName(), b)
		}
	}
	return wire, next, nil
}

// missed returns up to a page of events after a number, in order, and the number that
// they are complete up to.
func (s *stream) missed(r *store.Reader, after int64) (events []store.Event, next int64, err error) {
	if s.sub.lane == "" && s.sub.list == "" {
		events, next, err = r.FeedEvents(s.sub.viewer, after, s.sub.start, replayPage)
		return newestStates(events), next, err
	}
	if s.sub.lane != "" {
		events, err = r.LaneEvents(s.sub.viewer, s.sub.lane, after, s.sub.start, replayPage)
	} else {
		events, err = r.ListEvents(s.sub.viewer, s.sub.list, after, s.sub.start, replayPage)
	}
	if len(events) == replayPage {
		return events, events[replayPage-1].ID, err
	}
	return events, s.sub.start, err
}

// newestStates leaves out the events that are followed by another of the same kind
// about the same object: an event is rendered as the object is now, so they would be
// equal. A list sends each change.
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

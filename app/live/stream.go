package live

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// replayPage is how many missed events are read and sent at a time.
const replayPage = 100

// Resync is the name of the one event that is not of a table: the position that a client resumes from is no
// longer in the log, so it has to load what it shows again.
const Resync = "resync"

// frame is one event as it is sent, shared by all who receive it.
type frame struct {
	stored   bool // clients can resume after it
	presence bool // it is who watches a list
	wire     []byte
}

func appendEvent(b []byte, name string, data []byte) []byte {
	b = append(append(append(b, "event: "...), name...), '\n')
	// A line break inside data would end it: each line is a field of its own.
	if !bytes.ContainsAny(data, "\r\n") {
		return append(append(append(b, "data: "...), data...), "\n\n"...)
	}
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return append(b, '\n')
}

// stream is the writing side of one connection.
type stream struct {
	w        http.ResponseWriter
	rc       *http.ResponseController
	hub      *Hub
	sub      *Subscription
	presence []byte // the presence last sent
}

// Serve writes the stream to w until the client disconnects or the stream is ended, then closes it. A client
// can name the last event it received, in the header Last-Event-ID or else in the parameter lastEventId. It
// then first receives what it missed, from the log, without gap or repetition; with "0" all that the log
// has. If the log does not reach back that far, or the server does not know the id, it receives a single
// Resync with the id to continue after.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, sub *Subscription) {
	defer sub.Close()
	s := &stream{w: w, rc: http.NewResponseController(w), hub: h, sub: sub}
	// The server's limit on reading a request would end the stream.
	s.rc.SetReadDeadline(time.Time{})
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Accel-Buffering", "no")
	// Middleware limits the response as it begins; the stream's own limits follow.
	w.WriteHeader(http.StatusOK)
	if s.begin(r) == nil {
		s.loop(r.Context())
	}
	s.limit() // for the end of the body
}

// begin sends what comes before the live events: when to reconnect, the position, who is watching, what was
// missed.
func (s *stream) begin(r *http.Request) error {
	last := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("lastEventId"))
	first := []byte("retry: 2000\n")
	if last == "" {
		first = fmt.Appendf(first, "id: %s\n", s.hub.ids.SealPosition(s.sub.start))
	}
	if s.sub.scope != core.ToList {
		// Without data this is no event, but the client has a position.
		first = append(first, '\n')
	} else {
		// In the same block: some clients take a position only with data.
		s.presence = s.hub.presenceOf(s.sub).wire
		first = append(first, s.presence...)
	}
	if err := s.send(first); err != nil || last == "" {
		return err
	}
	err := s.replay(r.Context(), last)
	if err != nil && !core.Known(err) && r.Context().Err() == nil {
		s.hub.cfg.Log.Warn("live: missed events could not be read or sent", "error", err)
	}
	return err
}

// replay sends what the log has after the event with the id, up to where the live events begin. It holds no
// reader while it writes.
func (s *stream) replay(ctx context.Context, last string) error {
	after, known := s.hub.ids.Open(last)
	err := s.hub.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		after, known, err = s.resumesFrom(r, after, known, last == "0")
		return err
	})
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
		if err == nil && len(wire) > 0 {
			err = s.send(wire)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resumesFrom returns the number of the event that the stream continues after. known is false if the client has
// to load everything: the log does not have the event, or a restore has replaced what followed it. Or the
// viewer has become the list's owner since and may not have seen what came before.
func (s *stream) resumesFrom(r *store.Reader, after int64, opened, all bool) (from int64, known bool, err error) {
	oldest, _, err := r.EventRange()
	if all {
		after, opened = max(oldest-1, 0), true
	}
	if err != nil || !opened || after < oldest-1 || after > s.sub.start {
		return after, false, err
	}
	var lost, owns bool
	if after >= oldest {
		lost, err = r.LostEvent(after)
	}
	if err == nil && s.sub.scope == core.ToList {
		owns, err = r.BecameOwner(s.sub.viewer, s.sub.topic, after)
	}
	return after, !lost && !owns, err
}

// page returns missed events after a number, and the number that they are complete up to. It fails if the
// viewer's rights have ended in the state of r, whether or not the hub has noticed.
func (s *stream) page(r *store.Reader, after int64) (wire []byte, next int64, err error) {
	if _, err := s.hub.admit(r, s.sub); err != nil {
		return nil, after, err
	}
	events, next, err := s.missed(r, after)
	if err != nil {
		return nil, after, err
	}
	for _, ev := range events {
		e := s.sub.tableOf(ev.Kind)
		if e.Render == nil || e.Scope != s.sub.scope && (e.Scope != core.ToConversation || s.sub.scope != core.ToUser) {
			continue
		}
		b, err := s.hub.render(r, e, s.sub.viewer, ev)
		if err != nil {
			return nil, after, err
		}
		wire = append(wire, b...)
	}
	return wire, next, nil
}

// missed returns up to a page of events after a number, in order, and the number that they are complete up to.
func (s *stream) missed(r *store.Reader, after int64) (events []store.Event, next int64, err error) {
	switch s.sub.scope {
	case core.ToLane:
		events, err = r.LaneEvents(s.sub.viewer, s.sub.topic, after, s.sub.start, replayPage)
	case core.ToList:
		events, err = r.ListEvents(s.sub.viewer, s.sub.topic, after, s.sub.start, replayPage)
	default:
		events, next, err = r.FeedEvents(s.sub.viewer, after, s.sub.start, replayPage)
		return newestStates(events), next, err
	}
	if len(events) == replayPage {
		return events, events[replayPage-1].ID, err
	}
	return events, s.sub.start, err
}

// newestStates leaves out the events that are followed by another of the same kind about the same object: an
// event is rendered as the object is now, so they would be equal. A list sends each change.
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

func (s *stream) loop(ctx context.Context) {
	beat := time.NewTicker(s.hub.cfg.Heartbeat)
	defer beat.Stop()
	var expires <-chan time.Time
	if until := s.sub.viewer.Until; until != 0 {
		expires = time.After(until.Sub(s.hub.cfg.DB.Now()))
	}
	for {
		var err error
		select {
		case f := <-s.sub.frames:
			err = s.sendQueued(f)
		case <-beat.C:
			if err = s.expired(); err == nil {
				err = s.send([]byte(": heartbeat\n\n"))
			}
		case <-expires:
			err = s.expired()
		case <-s.sub.done:
			s.last()
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// expired returns an error if the credential of the stream has expired.
func (s *stream) expired() error {
	if until := s.sub.viewer.Until; until != 0 && until <= s.hub.cfg.DB.Now() {
		return errRevoked
	}
	return nil
}

// last sends what a client receives when its stream has ended.
func (s *stream) last() {
	switch s.sub.reason {
	case errOver:
		select {
		case f := <-s.sub.frames:
			s.sendQueued(f)
		default:
		}
	case errShutdown: // a random delay, so that clients do not all reconnect at the same moment
		s.send(fmt.Appendf(nil, "retry: %d\n\n", 1000+rand.IntN(4000)))
	}
}

// sendQueued writes f and the other waiting events with one flush. A presence that is the one sent last is left
// out: it would show that somebody came or left who is hidden from the viewer.
func (s *stream) sendQueued(f *frame) error {
	s.limit()
	for n := len(s.sub.frames); ; n-- {
		if !f.presence || !bytes.Equal(f.wire, s.presence) {
			if _, err := s.w.Write(f.wire); err != nil {
				return err
			}
		}
		if f.presence {
			s.presence = f.wire
		}
		if n == 0 {
			return s.rc.Flush()
		}
		f = <-s.sub.frames
	}
}

func (s *stream) send(b []byte) error {
	s.limit()
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.rc.Flush()
}

// limit sets the deadline for the client to accept the next write.
func (s *stream) limit() { s.rc.SetWriteDeadline(time.Now().Add(s.hub.cfg.WriteTimeout)) }

package live

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// Serve writes the stream to w until the client disconnects or the stream is
// ended, then closes it. A client that names the last event it received
// (ResumeAfter) first receives what it missed, from the log, without gap or
// repetition; pass NoResume for one that does not. If the log does not reach
// back that far it receives a single Resync with the id to continue after.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, sub *Subscription, after int64) {
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
	if s.begin(r, after) == nil {
		s.loop(r)
	}
	s.limit() // for the end of the body
}

// stream is the writing side of one connection.
type stream struct {
	w        http.ResponseWriter
	rc       *http.ResponseController
	hub      *Hub
	sub      *Subscription
	presence []byte // the presence last sent
}

// begin sends what comes before the live events: when to reconnect, the
// position, who is watching, what was missed.
func (s *stream) begin(r *http.Request, after int64) error {
	first := []byte("retry: 2000\n")
	if after == NoResume {
		first = fmt.Appendf(first, "id: %s\n", s.hub.ids.SealPosition(s.sub.start))
	}
	if s.sub.list == "" {
		// Without data this is no event, but the client has a position.
		first = append(first, '\n')
	} else {
		// In the same block: some clients take a position only with data.
		s.presence = s.hub.firstPresence(s.sub).wire
		first = append(first, s.presence...)
	}
	if err := s.send(first); err != nil || after == NoResume {
		return err
	}
	return s.replay(r.Context(), after)
}

func (s *stream) loop(r *http.Request) {
	beat := time.NewTicker(s.hub.cfg.Heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case f := <-s.sub.frames:
			err = s.sendQueued(f)
		case <-beat.C:
			err = s.send([]byte(": heartbeat\n\n"))
		case <-s.sub.done:
			s.last()
			return
		case <-r.Context().Done():
			return
		}
		if err != nil {
			return
		}
	}
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

// sendQueued writes f and the other waiting events with one flush.
func (s *stream) sendQueued(f *frame) error {
	s.limit()
	for n := len(s.sub.frames); ; n-- {
		if err := s.put(f); err != nil {
			return err
		}
		if n == 0 {
			return s.rc.Flush()
		}
		f = <-s.sub.frames
	}
}

// put writes f, unless it is the presence that was sent last: that would show that
// somebody came or left who is hidden from the viewer.
func (s *stream) put(f *frame) error {
	if f.presence {
		if bytes.Equal(f.wire, s.presence) {
			return nil
		}
		s.presence = f.wire
	}
	_, err := s.w.Write(f.wire)
	return err
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

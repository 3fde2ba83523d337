package account

import (
	"context"
	"errors"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/store"
)

const (
	// onlineFor is how long a person is online after a request or the end of a
	// stream. It covers the time in which a page is loaded again.
	onlineFor = time.Minute
	// sweepChunk is how many people go in one write.
	sweepChunk = 100
)

// online has the people who are online: those with an open stream and those who
// made a request a short time ago. Their rows are marked when they come and go.
type online struct {
	mu     sync.Mutex
	people map[string]*visit
}

type visit struct {
	streams int
	last    store.Time // of the last request or end of a stream
	gone    bool       // the row says so, or is about to
	out     bool       // gone, and the row says so
}

// note records a request or, with n, that streams were opened or closed. It
// reports whether the person was not online before; who closes a stream does not come.
func (o *online) note(userID string, n int, at store.Time) (came bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.people[userID]
	if v == nil {
		v = &visit{gone: true}
		o.people[userID] = v
	}
	came = v.gone && n >= 0
	if v.streams += n; n >= 0 {
		v.gone, v.out = false, false
	}
	v.last = max(v.last, at)
	return came
}

// signedOut marks a person who ended their last session as gone.
func (o *online) signedOut(userID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v := o.people[userID]; v != nil {
		v.gone, v.out = true, true
	}
}

// left returns up to limit people who had no stream and no request since a
// moment, with when they were last here.
func (o *online) left(since store.Time, limit int) map[string]store.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := map[string]store.Time{}
	for id, v := range o.people {
		if len(out) == limit {
			break
		}
		switch {
		case v.streams > 0 || v.last >= since:
		case v.out:
			delete(o.people, id)
		default:
			out[id] = v.last
		}
	}
	return out
}

// leave marks those of the people as gone who have not come back. It may run
// again.
func (o *online) leave(people map[string]store.Time) map[string]store.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make(map[string]store.Time, len(people))
	for id, at := range people {
		if v := o.people[id]; v != nil && v.streams == 0 && v.last == at {
			v.gone = true
			out[id] = at
		}
	}
	return out
}

// forget drops those who are gone.
func (o *online) forget(people map[string]store.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range people {
		if v := o.people[id]; v != nil && v.gone && v.streams == 0 {
			delete(o.people, id)
		}
	}
}

// loadOnline begins with the people who were online when the server ended: most
// of them are about to connect again.
func (s *Service) loadOnline() error {
	s.online.people = map[string]*visit{}
	return s.db.Read(context.Background(), func(r *store.Reader) error {
		ids, err := r.OnlineUsers()
		for _, id := range ids {
			s.online.people[id] = &visit{last: s.db.Now()}
		}
		return err
	})
}

// isPerson reports whether v is a person, whose presence others see, and not a
// key that acts for one.
func isPerson(v store.Viewer) bool { return v.Kind == store.Human || v.Kind == store.Embedded }

// here records a request of v.
func (s *Service) here(ctx context.Context, v store.Viewer) {
	if isPerson(v) && s.online.note(v.UserID, 0, s.db.Now()) {
		s.came(ctx, v.UserID)
	}
}

// Watching records that v opened (1) or closed (-1) a stream. It does not block.
func (s *Service) Watching(v store.Viewer, n int) {
	if isPerson(v) {
		s.online.note(v.UserID, n, s.db.Now())
	}
}

// came stores that a person is online and notifies those who see them. The
// request that they came with is not worth a long wait.
func (s *Service) came(ctx context.Context, userID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	var changed bool
	err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
		changed, err = tx.SetOnline(userID)
		return err
	})
	if err == nil && changed {
		err = s.notifyOthers(ctx, userID)
	}
	if err != nil && !store.Unavailable(err) {
		s.log.Warn("coming not stored", "user", userID, "error", err)
	}
}

// signedOut stores that a person is no longer online if they have just ended their
// last session, and notifies those who see them. Others then see them as one who
// has become invisible at that moment. The next sweep finds those for whom it
// fails.
func (s *Service) signedOut(ctx context.Context, userID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	var left bool
	err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
		left, err = tx.SetSignedOut(userID)
		return err
	})
	if err == nil && left {
		s.online.signedOut(userID)
		err = s.notifyOthers(ctx, userID)
	}
	if err != nil && !store.Unavailable(err) {
		s.log.Warn("leaving not stored", "user", userID, "error", err)
	}
}

// SweepPresence stores who is no longer online, with when they were last here,
// and notifies those who see them.
func (s *Service) SweepPresence(ctx context.Context) error {
	for {
		n, err := s.sweep(ctx)
		if err != nil || n < sweepChunk {
			return err
		}
	}
}

func (s *Service) sweep(ctx context.Context) (n int, err error) {
	left := s.online.left(s.db.Now().Add(-onlineFor), sweepChunk)
	if len(left) == 0 {
		return 0, nil
	}
	var gone map[string]store.Time
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		gone = s.online.leave(left) // who comes back now is stored in a later write
		return tx.SetOffline(gone)
	})
	if err != nil {
		return 0, err
	}
	s.online.forget(gone)
	for id := range gone {
		err = errors.Join(err, s.notifyOthers(ctx, id))
	}
	return len(left), err
}

// notifyOthers sends an account to those who see it come and go, unless it hides
// its presence or was deleted meanwhile.
func (s *Service) notifyOthers(ctx context.Context, userID string) error {
	s.notifying.Lock()
	defer s.notifying.Unlock()
	var u store.User
	var audience []string
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		if u, err = r.User(userID); err == nil && !core.HidesPresence(u.PresenceStatus) {
			audience, err = r.UserAudience(userID)
		}
		return err
	})
	if errors.Is(err, store.ErrNoRow) {
		return nil
	}
	if err != nil || len(audience) == 0 {
		return err
	}
	return s.publishPresence(audience, core.PublicUserOf(u))
}

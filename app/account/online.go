package account

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/store"
)

const (
	// onlineFor is how long a person is online after a request or the end of a stream. It covers reloading a page.
	onlineFor     = time.Minute
	presenceChunk = 100 // people per write
)

// online has the people with an open stream or a recent request. Their rows are updated in the background.
type online struct {
	mu      sync.Mutex
	people  map[string]*visit
	storing chan struct{} // closed when who came is stored; nil while nobody is being stored
	again   bool          // somebody came meanwhile
}

type visit struct {
	streams int
	last    store.Time // of the last request or end of a stream
	here    bool
	stored  bool // the row says that the person is online
}

func (o *online) note(userID string, n int, at store.Time) (came bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.people[userID]
	if v == nil {
		v = &visit{}
		o.people[userID] = v
	}
	came = !v.here && n >= 0
	v.here = v.here || came
	v.streams += n
	v.last = max(v.last, at)
	return came
}

func (o *online) signedOut(userID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v := o.people[userID]; v != nil {
		v.here, v.stored = false, false
	}
}

func (o *online) changes(since store.Time, limit int) (came []string, left map[string]store.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	left = map[string]store.Time{}
	for id, v := range o.people {
		if len(came)+len(left) == limit {
			break
		}
		if v.streams <= 0 && v.last < since {
			v.here = false
		}
		switch {
		case v.here && !v.stored:
			came = append(came, id)
		case !v.here && v.stored:
			left[id] = v.last
		case !v.here && v.streams == 0:
			delete(o.people, id)
		}
	}
	return came, left
}

func (o *online) stored(came []string, left map[string]store.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range came {
		if v := o.people[id]; v != nil {
			v.stored = true
		}
	}
	for id := range left {
		v := o.people[id]
		if v == nil {
			continue
		}
		if v.stored = false; !v.here && v.streams == 0 {
			delete(o.people, id)
		}
	}
}

// Most people who were online when the server stopped are about to connect again.
func (s *Service) loadOnline() error {
	s.online.people = map[string]*visit{}
	return s.db.Read(context.Background(), func(r *store.Reader) error {
		ids, err := r.OnlineUsers()
		for _, id := range ids {
			s.online.people[id] = &visit{last: s.db.Now(), here: true, stored: true}
		}
		return err
	})
}

func isPerson(v store.Viewer) bool { return v.Kind == store.Human || v.Kind == store.Embedded }

func (s *Service) here(v store.Viewer) { s.Watching(v, 0) }

// Watching records that v opened (n = 1) or closed (n = -1) a stream. It does not block.
func (s *Service) Watching(v store.Viewer, n int) {
	if isPerson(v) && s.online.note(v.UserID, n, s.db.Now()) {
		s.storeSoon()
	}
}

func (s *Service) storeSoon() {
	o := &s.online
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.storing != nil {
		o.again = true
		return
	}
	done := make(chan struct{})
	o.storing = done
	go func() {
		defer close(done)
		for more := true; more; {
			if err := s.SweepPresence(context.Background()); err != nil && !store.Unavailable(err) {
				s.log.Warn("presence not stored", "error", err)
			}
			o.mu.Lock()
			if more, o.again = o.again, false; !more {
				o.storing = nil
			}
			o.mu.Unlock()
		}
	}()
}

// AwaitPresence waits until the background goroutine has stored who is online.
func (s *Service) AwaitPresence() {
	s.online.mu.Lock()
	done := s.online.storing
	s.online.mu.Unlock()
	if done != nil {
		<-done
	}
}

// After signing out, others see the person as invisible from that moment. The next sweep repeats a failed write.
func (s *Service) signedOut(ctx context.Context, userID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
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

// SweepPresence stores who came online, and who left with the time they were last here. It notifies the accounts that
// see them.
func (s *Service) SweepPresence(ctx context.Context) error {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	for {
		n, err := s.sweep(ctx)
		if err != nil || n < presenceChunk {
			return err
		}
	}
}

func (s *Service) sweep(ctx context.Context) (n int, err error) {
	came, left := s.online.changes(s.db.Now().Add(-onlineFor), presenceChunk)
	if len(came)+len(left) == 0 {
		return 0, nil
	}
	var arrived []string
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		if arrived, err = tx.SetOnline(came); err == nil && len(left) > 0 {
			err = tx.SetOffline(left)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	s.online.stored(came, left)
	for _, id := range slices.AppendSeq(arrived, maps.Keys(left)) {
		err = errors.Join(err, s.notifyOthers(ctx, id))
	}
	return len(came) + len(left), err
}

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

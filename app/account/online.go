package account

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// onlineFor is how long a person is online after a request or the end of a stream. It covers reloading a page.
const onlineFor = time.Minute

// online has the people with an open stream or a recent request. Their rows are updated in the background.
type online struct {
	mu      sync.Mutex
	people  map[string]*visit
	storing sync.WaitGroup
}

type visit struct {
	streams int
	last    store.Time // of the last request or end of a stream
	stored  bool       // the row says that the person is online
}

func (o *online) note(userID string, n int, at store.Time) (came bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if came = o.people[userID] == nil && n >= 0; came {
		o.people[userID] = &visit{}
	}
	if v := o.people[userID]; v != nil {
		v.streams += n
		v.last = max(v.last, at)
	}
	return came
}

func (o *online) signedOut(userID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.people, userID)
}

func (o *online) changes(since store.Time) (came []string, left map[string]store.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	left = map[string]store.Time{}
	for id, v := range o.people {
		switch {
		case !v.stored:
			came = append(came, id)
		case v.streams <= 0 && v.last < since:
			left[id] = v.last
		}
	}
	return came, left
}

// stored records what the rows say. Whoever left and came back meanwhile comes with the next sweep.
func (o *online) stored(came []string, left map[string]store.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, v := range o.people {
		last, gone := left[id]
		v.stored = !gone && (v.stored || slices.Contains(came, id))
		if gone && v.last == last && v.streams <= 0 {
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
			s.online.people[id] = &visit{last: s.db.Now(), stored: true}
		}
		return err
	})
}

func isPerson(v store.Viewer) bool { return v.Kind == store.Human || v.Kind == store.Embedded }

// Watching records that v opened (n = 1) or closed (n = -1) a stream, or made a request (0). It does not block.
func (s *Service) Watching(v store.Viewer, n int) {
	if !isPerson(v) || !s.online.note(v.UserID, n, s.db.Now()) {
		return
	}
	s.online.storing.Go(func() {
		if err := s.SweepPresence(context.Background()); err != nil && !store.Unavailable(err) {
			s.log.Warn("presence not stored", "error", err)
		}
	})
}

// AwaitPresence waits until it is stored who is online.
func (s *Service) AwaitPresence() { s.online.storing.Wait() }

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
		err = s.show(ctx, userID, false, isShown)
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
	came, left := s.online.changes(s.db.Now().Add(-onlineFor))
	if len(came)+len(left) == 0 {
		return nil
	}
	var arrived []string
	err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
		arrived, err = tx.SetOnline(came)
		return cmp.Or(err, tx.SetOffline(left))
	})
	if err != nil {
		return err
	}
	s.online.stored(came, left)
	for _, id := range slices.AppendSeq(arrived, maps.Keys(left)) {
		err = errors.Join(err, s.show(ctx, id, false, isShown))
	}
	return err
}

func isShown(u store.User) bool { return !core.HidesPresence(u.PresenceStatus) }

package account

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// PresenceEvent is the data of the event presence: an account as its receiver sees it.
type PresenceEvent struct {
	User core.PublicUser `json:"user"`
}

// notifyChange sends a change to the account's own clients, and to others unless it is hidden from them. Presence
// changes of an invisible person are hidden.
func (s *Service) notifyChange(ctx context.Context, was, u store.User) {
	own, err := isDifferent(core.UserFor(was, u.ID), core.UserFor(u, u.ID))
	if err == nil && own {
		var others bool
		if others, err = isDifferent(core.PublicUserOf(was), core.PublicUserOf(u)); err == nil {
			err = s.notifyPresence(ctx, u.ID, others)
		}
	}
	if err != nil {
		s.log.Warn("profile change not published", "user", u.ID, "error", err)
	}
}

func (s *Service) notifyPresence(ctx context.Context, userID string, others bool) error {
	// The change is committed: publish it even if the caller disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	// Reading and publishing are one step, so that the later of two concurrent changes is published last.
	s.notifying.Lock()
	defer s.notifying.Unlock()
	var u store.User
	var audience []string
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		if u, err = r.User(userID); err == nil && others {
			audience, err = r.UserAudience(userID)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.publishPresence([]string{userID}, core.UserFor(u, userID)); err != nil {
		return err
	}
	return s.publishPresence(audience, core.PublicUserOf(u))
}

// Reshow sends each of two accounts how it sees the other, after a block between them began or ended. It does nothing
// unless they share a conversation, and only logs failures.
func (s *Service) Reshow(ctx context.Context, a, b string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	s.notifying.Lock()
	defer s.notifying.Unlock()
	err := s.db.Read(ctx, func(r *store.Reader) error {
		if ok, err := r.AreTogether(a, b); err != nil || !ok {
			return err
		}
		return errors.Join(s.showTo(r, a, b), s.showTo(r, b, a))
	})
	if err != nil {
		s.log.Warn("change of a block not published", "error", err)
	}
}

func (s *Service) showTo(r *store.Reader, viewerID, userID string) error {
	found, err := r.Profiles(store.Viewer{UserID: viewerID}, []string{userID})
	if err != nil || len(found) == 0 {
		return err
	}
	return s.publishPresence([]string{viewerID}, core.PublicUserOf(found[0]))
}

func (s *Service) publishPresence(userIDs []string, u core.PublicUser) error {
	data, err := json.Marshal(PresenceEvent{User: u}, json.Deterministic(true))
	if err != nil {
		return err
	}
	return s.publish(userIDs, presenceChanged, data)
}

func isDifferent(a, b core.PublicUser) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(b)
	return !bytes.Equal(x, y), err
}

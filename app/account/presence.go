package account

import (
	"context"
	"reflect"
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
	if reflect.DeepEqual(core.UserFor(was, u.ID), core.UserFor(u, u.ID)) {
		return
	}
	// The change is committed: publish it even if the caller disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	others := !reflect.DeepEqual(core.PublicUserOf(was), core.PublicUserOf(u))
	if err := s.show(ctx, u.ID, true, func(store.User) bool { return others }); err != nil {
		s.log.Warn("profile change not published", "user", u.ID, "error", err)
	}
}

// show sends an account as it is: to its own clients if own is set, and to those who see it if others returns true.
func (s *Service) show(ctx context.Context, userID string, own bool, others func(store.User) bool) error {
	// Reading and publishing are one step, so that the later of two concurrent changes is published last.
	s.notifying.Lock()
	defer s.notifying.Unlock()
	var u store.User
	var audience []string
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		if u, err = r.User(userID); err == nil && others(u) {
			audience, err = r.UserAudience(userID)
		}
		return err
	})
	if err == nil && own {
		err = s.publishPresence([]string{userID}, core.UserFor(u, userID))
	}
	if err == nil && len(audience) > 0 {
		err = s.publishPresence(audience, core.PublicUserOf(u))
	}
	return store.Optional(err)
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
		for viewer, other := range map[string]string{a: b, b: a} {
			found, err := r.Profiles(store.Viewer{UserID: viewer}, []string{other})
			if err == nil && len(found) > 0 {
				err = s.publishPresence([]string{viewer}, core.PublicUserOf(found[0]))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.log.Warn("change of a block not published", "error", err)
	}
}

func (s *Service) publishPresence(userIDs []string, u core.PublicUser) error {
	data, err := json.Marshal(PresenceEvent{User: u}, json.Deterministic(true))
	if err != nil {
		return err
	}
	return s.cfg.Publish(userIDs, presenceChanged, data)
}

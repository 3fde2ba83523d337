package account

import (
	"bytes"
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// PresenceEvent is the data of the event presence: an account as the one who
// is told sees it now.
type PresenceEvent struct {
	User core.PublicUser `json:"user"`
}

// tellChange tells those who are connected how u looks now that it is no
// longer was: its own devices, and who shares a conversation with it if they
// see any difference, so that nobody notices somebody invisible. The change
// stands already, so that a failure is only noted.
func (s *Service) tellChange(ctx context.Context, was, u store.User) {
	own, err := differ(core.UserFor(was, u.ID), core.UserFor(u, u.ID))
	if err == nil && own {
		var others bool
		if others, err = differ(core.PublicUserOf(was), core.PublicUserOf(u)); err == nil {
			err = s.tellPresence(ctx, u.ID, others)
		}
	}
	if err != nil {
		s.log.Warn("who is connected was not told of a changed profile", "user", u.ID, "error", err)
	}
}

func (s *Service) tellPresence(ctx context.Context, userID string, others bool) error {
	// The caller may leave as soon as the change is written.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	// Of two changes at once the later must be told last: what is told is read
	// and passed on in one piece.
	s.telling.Lock()
	defer s.telling.Unlock()
	var u store.User
	var audience []string
	err := s.db.Snapshot(ctx, func(r *store.Reader) (err error) {
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

func (s *Service) publishPresence(userIDs []string, u core.PublicUser) error {
	data, err := json.Marshal(PresenceEvent{User: u}, json.Deterministic(true))
	if err != nil {
		return err
	}
	s.publish(userIDs, "presence", data)
	return nil
}

func differ(a, b core.PublicUser) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(b)
	return !bytes.Equal(x, y), err
}

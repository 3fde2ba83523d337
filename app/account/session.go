package account

import (
	"context"
	"errors"
	"time"

	"hearth/app/core"
	"hearth/store"
)

const maxSessions = 200

// Session is a session of the caller's account.
type Session struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind" enum:"browser|token|bridge" doc:"A browser, a user token, or a token issued through the identity bridge."`
	Device    string     `json:"device" doc:"The program's User-Agent. May be empty."`
	CreatedAt store.Time `json:"createdAt"`
	ExpiresAt store.Time `json:"expiresAt"`
	Current   bool       `json:"current" doc:"Whether this request was made with it."`
}

// ListSessionsOut has the sessions, newest first.
type ListSessionsOut struct {
	Sessions []Session `json:"sessions"`
}

func (s *Service) listSessions(ctx context.Context, by store.Viewer, _ core.None) (out ListSessionsOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		rows, err := r.Sessions(by)
		for _, row := range rows {
			out.Sessions = append(out.Sessions, Session{
				ID: row.ID, Kind: row.Kind, Device: row.UserAgent, CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, Current: row.ID == by.SessionID,
			})
		}
		return err
	})
	return out, err
}

// EndSessionIn identifies one of the caller's sessions.
type EndSessionIn struct {
	ID string `path:"id" json:"-"`
}

func (s *Service) endSession(ctx context.Context, by store.Viewer, in EndSessionIn) (out core.None, err error) {
	return out, core.Found(s.end(ctx, by, func(tx *store.Tx) error {
		u, err := tx.SessionUser(in.ID)
		if err != nil {
			return err
		}
		if u.UserID != by.UserID {
			return store.ErrNoRow
		}
		return endSession(tx, by.UserID, in.ID)
	}))
}

func (s *Service) endAllSessions(ctx context.Context, by store.Viewer, _ core.None) (out core.None, err error) {
	return out, s.end(ctx, by, func(tx *store.Tx) error {
		u, err := tx.User(by.UserID)
		if err != nil {
			return err
		}
		_, err = revokeSessions(tx, u)
		return err
	})
}

func (s *Service) end(ctx context.Context, by store.Viewer, write func(*store.Tx) error) error {
	err := s.db.Write(ctx, write)
	if err == nil {
		s.signedOut(ctx, by.UserID)
	}
	return err
}

func (s *Service) logout(ctx context.Context, by store.Viewer, _ core.None) (out core.None, err error) {
	return out, s.end(ctx, by, func(tx *store.Tx) error { return endSession(tx, by.UserID, by.SessionID) })
}

// GetSessionOut has the signed-in account, or null.
type GetSessionOut struct {
	User *Me `json:"user"`
}

func (s *Service) getSession(ctx context.Context, by store.Viewer, _ core.None) (out GetSessionOut, err error) {
	switch by.Kind {
	case store.Human, store.Embedded:
		me, err := s.getMe(ctx, by, core.None{})
		return GetSessionOut{User: &me}, err
	}
	return out, nil
}

func startSession(tx *store.Tx, s store.Session) (store.Session, error) {
	s, err := tx.InsertSession(s)
	if err != nil {
		return s, err
	}
	old, err := tx.OldSessions(s.UserID, maxSessions)
	for _, id := range old {
		if err == nil {
			err = endSession(tx, s.UserID, id)
		}
	}
	return s, err
}

func endSession(tx *store.Tx, userID, id string) error {
	family, err := tx.SessionFamily(userID, id)
	if err != nil {
		return err
	}
	if err := tx.DeleteSession(userID, id); err != nil {
		return err
	}
	for _, id := range family {
		if err := emitAuthChanged(tx, userID, id); err != nil {
			return err
		}
	}
	return nil
}

func revokeSessions(tx *store.Tx, u store.User) (store.User, error) {
	u.Epoch++
	u, err := tx.UpdateUser(u)
	if err != nil {
		return u, err
	}
	if err := tx.DeleteSessions(u.ID); err != nil {
		return u, err
	}
	// Bots act only while their owner's account is active.
	bots, err := tx.BotIDs(u.ID)
	for _, id := range bots {
		if err == nil {
			err = emitAuthChanged(tx, id, id)
		}
	}
	if err != nil {
		return u, err
	}
	return u, emitAuthChanged(tx, u.ID, u.ID)
}

// checkSession keeps a session that has just ended from creating something that outlives it.
func checkSession(r *store.Reader, by store.Viewer) error {
	if by.SessionID == "" {
		return nil
	}
	u, err := r.SessionUser(by.SessionID)
	if errors.Is(err, store.ErrNoRow) || err == nil && (u.UserID != by.UserID || u.Epoch != u.UserEpoch || u.SuspendedAt != 0) {
		return core.ErrUnauthenticated
	}
	return err
}

func emitAuthChanged(tx *store.Tx, userID, objectID string) error {
	return tx.Emit(store.Event{Topic: userID, Kind: authChanged, ObjectID: objectID, ActorID: userID})
}

func seconds(from, t store.Time) int { return int(t.Sub(from).Round(time.Second) / time.Second) }

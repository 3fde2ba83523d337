package account

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

const maxSessions = 200

// Session is a session of the caller's account.
type Session struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind" enum:"browser|token|bridge" doc:"bridge: a token issued through the identity bridge."`
	Device    string     `json:"device" doc:"The program's User-Agent. May be empty."`
	CreatedAt store.Time `json:"createdAt"`
	ExpiresAt store.Time `json:"expiresAt"`
	Current   bool       `json:"current" doc:"Whether this request was made with it."`
}

// ListSessionsOut has the sessions, newest first.
type ListSessionsOut struct {
	Sessions []Session `json:"sessions"`
}

func (s *Service) listSessions(r *store.Reader, by store.Viewer, _ core.None) (out ListSessionsOut, err error) {
	rows, err := r.Sessions(by)
	out.Sessions = core.Map(rows, func(row store.Session) Session {
		return Session{ID: row.ID, Kind: row.Kind, Device: row.UserAgent, CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt,
			Current: row.ID == by.SessionID}
	})
	return out, err
}

func (s *Service) endSession(ctx context.Context, by store.Viewer, in core.ByID) (out core.None, err error) {
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

func (s *Service) getSession(r *store.Reader, by store.Viewer, _ core.None) (out GetSessionOut, err error) {
	if isPerson(by) {
		me, err := s.getMe(r, by, core.None{})
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
	err = tx.DeleteSession(userID, id)
	for _, id := range family {
		err = cmp.Or(err, emitAuthChanged(tx, userID, id))
	}
	return err
}

func revokeSessions(tx *store.Tx, u store.User) (store.User, error) {
	u.Epoch++
	u, err := tx.UpdateUser(u)
	if err != nil {
		return u, err
	}
	bots, err := tx.BotIDs(u.ID) // they act only while their owner's account is active
	err = cmp.Or(err, tx.DeleteSessions(u.ID))
	for _, id := range append(bots, u.ID) {
		err = cmp.Or(err, emitAuthChanged(tx, id, id))
	}
	return u, err
}

func emitAuthChanged(tx *store.Tx, userID, objectID string) error {
	return tx.Emit(store.Event{Topic: userID, Kind: authChanged, ObjectID: objectID, ActorID: userID})
}

package account

import (
	"context"
	"errors"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// maxSessions is how many sign-ins an account keeps; a further one ends the
// oldest.
const maxSessions = 200

// Session is one sign-in of the caller's account, as it is listed.
type Session struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind" enum:"browser|token|bridge" doc:"A browser, a user token, or a token the identity bridge asked for."`
	Device    string     `json:"device" doc:"What the program called itself; may be empty."`
	CreatedAt store.Time `json:"createdAt"`
	ExpiresAt store.Time `json:"expiresAt"`
	Current   bool       `json:"current" doc:"Whether this call came with it."`
}

// ListSessionsOut has the sign-ins, newest first.
type ListSessionsOut struct {
	Sessions []Session `json:"sessions"`
}

// listSessions returns where the caller's account is signed in.
func (s *Service) listSessions(ctx context.Context, by store.Viewer, _ core.None) (out ListSessionsOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		rows, err := r.Sessions(by.UserID)
		for _, row := range rows {
			out.Sessions = append(out.Sessions, Session{
				ID: row.ID, Kind: row.Kind, Device: row.UserAgent, CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, Current: row.ID == by.SessionID,
			})
		}
		return err
	})
	return out, err
}

// EndSessionIn names one of the caller's sign-ins.
type EndSessionIn struct {
	ID string `path:"id" json:"-"`
}

// endSession signs one device out at once, with the tokens it asked for.
// Somebody else's session is NotFound.
func (s *Service) endSession(ctx context.Context, by store.Viewer, in EndSessionIn) (out core.None, err error) {
	return out, core.Found(s.db.Write(ctx, func(tx *store.Tx) error {
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

// endAllSessions signs the caller's account out everywhere at once, tokens and
// the calling session included. Keys stay.
func (s *Service) endAllSessions(ctx context.Context, by store.Viewer, _ core.None) (out core.None, err error) {
	return out, s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.User(by.UserID)
		if err != nil {
			return err
		}
		_, err = endEverything(tx, u)
		return err
	})
}

// logout ends the session or token the call came with.
func (s *Service) logout(ctx context.Context, by store.Viewer, _ core.None) (out core.None, err error) {
	return out, s.db.Write(ctx, func(tx *store.Tx) error { return endSession(tx, by.UserID, by.SessionID) })
}

// GetSessionOut says who is signed in; null is nobody.
type GetSessionOut struct {
	User *Me `json:"user"`
}

// getSession returns the person the call comes from, or null without one. A
// key is no session; its owner is at GET /api/auth/me.
func (s *Service) getSession(ctx context.Context, by store.Viewer, _ core.None) (out GetSessionOut, err error) {
	switch by.Kind {
	case store.Human, store.Embedded:
		me, err := s.getMe(ctx, by, core.None{})
		return GetSessionOut{User: &me}, err
	}
	return out, nil
}

// startSession adds a sign-in and ends those that are too many.
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

// endSession ends a session of the account and the tokens it asked for, and
// tells their live streams. One that is gone already is no error.
func endSession(tx *store.Tx, userID, id string) error {
	family, err := tx.SessionFamily(userID, id)
	if err != nil || len(family) == 0 {
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

// endEverything ends all sessions and tokens of u at once, and tells their
// live streams.
func endEverything(tx *store.Tx, u store.User) (store.User, error) {
	u.Epoch++
	u, err := tx.UpdateUser(u)
	if err != nil {
		return u, err
	}
	if err := tx.DeleteSessions(u.ID); err != nil {
		return u, err
	}
	return u, emitAuthChanged(tx, u.ID, u.ID)
}

// stillSignedIn refuses a caller whose session has ended since the call came
// in: what outlives sessions must not be made after their end. A caller
// without a session is of this process itself.
func stillSignedIn(tx *store.Tx, by store.Viewer) error {
	if by.SessionID == "" {
		return nil
	}
	u, err := tx.SessionUser(by.SessionID)
	if errors.Is(err, store.ErrNoRow) || err == nil && (u.UserID != by.UserID || u.Epoch != u.UserEpoch || u.SuspendedAt != 0) {
		return core.ErrUnauthenticated
	}
	return err
}

// emitAuthChanged records that a credential of the account may not be valid any
// more: the session, the key, or, if it is the account's id, any.
func emitAuthChanged(tx *store.Tx, userID, objectID string) error {
	return tx.Emit(store.Event{Topic: userID, Kind: authChanged, ObjectID: objectID, ActorID: userID})
}

// seconds returns how long until t, as clients are told.
func seconds(from, t store.Time) int { return int(t.Sub(from).Round(time.Second) / time.Second) }

package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// credentialKey identifies a bearer token or a cookie by its hash. With the kind in it, neither is accepted as the
// other.
type credentialKey struct {
	cookie bool
	hash   [sha256.Size]byte
}

func (s *Service) identified(ctx context.Context, key credentialKey,
	read func(*store.Reader) (store.Viewer, error)) (v store.Viewer, err error) {
	if v, ok := s.credentials.Get(key); ok && (v.Until == 0 || v.Until > s.db.Now()) {
		return v, nil
	}
	generation := s.credentials.Generation()
	err = s.db.Read(ctx, func(r *store.Reader) error {
		v, err = read(r)
		return err
	})
	if err == nil {
		v.Generation = generation + 1
		s.credentials.Put(key, v.UserID, v, generation)
	}
	return v, err
}

// tokenViewer returns the viewer of a user token.
func (s *Service) tokenViewer(r *store.Reader, token string) (store.Viewer, error) {
	c, err := s.jwt.parse(token)
	if err != nil {
		return store.Viewer{}, core.ErrUnauthenticated
	}
	u, err := r.SessionUser(c.ID)
	if err == nil && (u.UserID != c.Subject || u.Epoch != *c.Epoch || u.Kind == "browser" || c.Embedded != (u.Kind == "embedded")) {
		err = store.ErrNoRow
	}
	return sessionViewer(r, u, err)
}

// keyViewer returns the viewer of a key, or core.ErrUnauthenticated if it was not found or is not valid.
func keyViewer(r *store.Reader, k store.KeyUser, err error) (v store.Viewer, _ error) {
	c := store.Credential{SuspendedAt: k.SuspendedAt, RevokedAt: k.RevokedAt, ExpiresAt: k.ExpiresAt}
	if err := checkFound(r, c, err); err != nil {
		return v, err
	}
	v = store.Viewer{Kind: store.Agent, UserID: k.UserID, Name: k.UserName, Email: k.UserEmail, KeyID: k.ID, OwnerID: k.OwnerID,
		CanRead: k.CanRead, CanWrite: k.CanWrite, Until: k.ExpiresAt}
	if k.Kind == "list" {
		v.Kind = store.ListKey
		return v, nil
	}
	v.AgentName = cmp.Or(k.AgentName, k.Name)
	return v, nil
}

// sessionViewer is keyViewer for a session.
func sessionViewer(r *store.Reader, u store.SessionUser, err error) (v store.Viewer, _ error) {
	c := store.Credential{SuspendedAt: u.SuspendedAt, Epoch: u.Epoch, UserEpoch: u.UserEpoch, ExpiresAt: u.ExpiresAt}
	if err := checkFound(r, c, err); err != nil {
		return v, err
	}
	v = store.Viewer{Kind: store.Human, UserID: u.UserID, Name: u.UserName, Email: u.UserEmail, SessionID: u.ID, CanRead: true, CanWrite: true,
		Admin: u.IsAdmin, Until: u.ExpiresAt}
	if u.Kind == "embedded" {
		v.Kind, v.Admin = store.Embedded, false
	}
	return v, nil
}

func checkFound(r *store.Reader, c store.Credential, err error) error {
	if errors.Is(err, store.ErrNoRow) || err == nil && !valid(c, r.Now()) {
		return core.ErrUnauthenticated
	}
	return err
}

func valid(c store.Credential, now store.Time) bool {
	return c.SuspendedAt == 0 && c.RevokedAt == 0 && c.Epoch == c.UserEpoch && (c.ExpiresAt == 0 || c.ExpiresAt > now)
}

// ValidViewers reports for each of vs whether its credential is still valid. A key with changed scopes is not valid,
// so that the next call is checked against the new ones.
func ValidViewers(r *store.Reader, vs []store.Viewer) ([]bool, error) {
	ids := make([]string, len(vs))
	for i, v := range vs {
		ids[i] = credentialID(v)
	}
	found, err := r.Credentials(ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]store.Credential, len(found))
	for _, c := range found {
		byID[c.ID] = c
	}
	now, out := r.Now(), make([]bool, len(vs))
	for i, v := range vs {
		c, ok := byID[ids[i]]
		out[i] = !v.SignedIn() || ok && valid(c, now) && c.CanRead == v.CanRead && c.CanWrite == v.CanWrite
	}
	return out, nil
}

// stillValid returns core.ErrUnauthenticated if the credential of by has ended or lost rights since authentication.
// In the returned context the first write fails in the same way if that happens later.
func (s *Service) stillValid(ctx context.Context, by store.Viewer) (context.Context, error) {
	if credentialID(by) == "" {
		return ctx, nil
	}
	check := func(r *store.Reader) error { return checkStanding(r, by) }
	judged := s.db.WithCredential(ctx, check)
	if by.Generation > 0 && s.credentials.Unchanged(by.UserID, by.Generation-1) && (by.Until == 0 || by.Until > s.db.Now()) {
		return judged, nil
	}
	return judged, s.db.Read(ctx, check)
}

// checkStanding returns core.ErrUnauthenticated if the credential of by has ended or lost rights.
func checkStanding(r *store.Reader, by store.Viewer) (err error) {
	var now store.Viewer
	switch {
	case by.KeyID != "":
		k, e := r.KeyUser(by.KeyID)
		now, err = keyViewer(r, k, e)
	case by.SessionID != "":
		u, e := r.SessionUser(by.SessionID)
		now, err = sessionViewer(r, u, e)
	default:
		return nil
	}
	lost := by.Admin && !now.Admin || by.CanRead && !now.CanRead
	lost = lost || by.CanWrite && !now.CanWrite
	if err == nil && (lost || now.UserID != by.UserID || now.Kind != by.Kind) {
		err = core.ErrUnauthenticated
	}
	return err
}

func credentialID(v store.Viewer) string {
	if v.KeyID != "" {
		return v.KeyID
	}
	return v.SessionID
}

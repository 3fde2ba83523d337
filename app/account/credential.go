package account

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

// valid reports whether a credential may be used at now.
func valid(c store.Credential, now store.Time) bool {
	return c.SuspendedAt == 0 && c.RevokedAt == 0 && c.Epoch == c.UserEpoch && (c.ExpiresAt == 0 || c.ExpiresAt > now)
}

// ValidViewers reports, for each of vs, whether the credential it was
// authenticated with is still valid. It runs one query. A key whose scopes have
// changed is not valid, so that the next call is checked against the new ones.
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

// stillValid returns core.ErrUnauthenticated if the credential of by has ended
// since the request was authenticated, or has fewer rights than it had, and a context
// of which the first write is refused with it if that happens later. Callers without a
// session or a key are internal.
func (s *Service) stillValid(ctx context.Context, by store.Viewer) (context.Context, error) {
	id := credentialID(by)
	if id == "" {
		return ctx, nil
	}
	check := func(r *store.Reader) error {
		now, err := standingOf(r, by)
		return cmp.Or(err, sameRights(by, now))
	}
	judged := s.db.WithCredential(ctx, check)
	if by.Generation > 0 && s.credentials.Unchanged(by.UserID, by.Generation-1) && (by.Until == 0 || by.Until > s.db.Now()) {
		return judged, nil
	}
	return judged, s.db.Read(ctx, check)
}

// standingOf returns the viewer that the session or key of by identifies now.
func standingOf(r *store.Reader, by store.Viewer) (store.Viewer, error) {
	if by.KeyID != "" {
		return keyViewer(r, func(r *store.Reader) (store.KeyUser, error) { return r.KeyUser(by.KeyID) })
	}
	return sessionViewer(r, func(r *store.Reader) (store.SessionUser, error) { return r.SessionUser(by.SessionID) })
}

// sameRights returns core.ErrUnauthenticated if now is another viewer than by or may
// do less.
func sameRights(by, now store.Viewer) error {
	if now.UserID != by.UserID || now.Kind != by.Kind || by.Admin && !now.Admin || by.CanRead && !now.CanRead || by.CanWrite && !now.CanWrite {
		return core.ErrUnauthenticated
	}
	return nil
}

// credentialID returns the id of the session or key that v was authenticated
// with.
func credentialID(v store.Viewer) string {
	if v.KeyID != "" {
		return v.KeyID
	}
	return v.SessionID
}

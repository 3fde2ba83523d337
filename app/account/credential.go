package account

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

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

func standingOf(r *store.Reader, by store.Viewer) (store.Viewer, error) {
	if by.KeyID != "" {
		return keyViewer(r, func(r *store.Reader) (store.KeyUser, error) { return r.KeyUser(by.KeyID) })
	}
	return sessionViewer(r, func(r *store.Reader) (store.SessionUser, error) { return r.SessionUser(by.SessionID) })
}

func sameRights(by, now store.Viewer) error {
	lost := by.Admin && !now.Admin || by.CanRead && !now.CanRead
	if now.UserID != by.UserID || now.Kind != by.Kind || lost || by.CanWrite && !now.CanWrite {
		return core.ErrUnauthenticated
	}
	return nil
}

func credentialID(v store.Viewer) string {
	if v.KeyID != "" {
		return v.KeyID
	}
	return v.SessionID
}

package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"unicode"

	"hearth/app/core"
	"hearth/store"
)

// PageHeader is the request header with the id of the account that a page was made for. It detects that somebody else
// has signed in since, in the same browser.
const PageHeader = "X-Hearth-Me"

// Caller returns the viewer of the request's bearer token, else of its session cookie, else Anonymous. A bearer token
// that is not valid is core.ErrUnauthenticated. A cookie that is not valid is ignored, so that its owner can still
// read public pages. A cookie of another account than in PageHeader is core.ErrOtherAccount. With an error the Viewer
// is Anonymous and has only its device.
//
// Viewers are cached until their account, session or key changes. An acknowledged revocation applies to every later
// request.
func (s *Service) Caller(r *http.Request) (store.Viewer, error) {
	v, err := s.caller(r)
	v.Device = device(r.UserAgent())
	if err == nil && v.SignedIn() {
		s.used.note(v, s.db.Now())
		s.here(v)
	}
	return v, err
}

// TokenCaller returns the viewer of a bearer token that did not come in the header of a request. A token that is not
// valid is core.ErrUnauthenticated.
func (s *Service) TokenCaller(ctx context.Context, token string) (v store.Viewer, err error) {
	if len(token) > maxBearer {
		return v, core.ErrUnauthenticated
	}
	v, err = s.bearerCaller(ctx, strings.TrimSpace(token))
	if err == nil && v.SignedIn() {
		s.used.note(v, s.db.Now())
		s.here(v)
	}
	return v, err
}

func (s *Service) caller(r *http.Request) (store.Viewer, error) {
	switch h := r.Header.Values("Authorization"); len(h) {
	case 0:
		v, err := s.cookieCaller(r)
		if page := r.Header.Get(PageHeader); err == nil && page != "" && v.SignedIn() && page != v.UserID {
			return store.Viewer{}, core.ErrOtherAccount
		}
		return v, err
	case 1:
		scheme, token, _ := strings.Cut(h[0], " ")
		if !strings.EqualFold(scheme, "Bearer") || len(token) > maxBearer {
			return store.Viewer{}, core.ErrUnauthenticated
		}
		return s.bearerCaller(r.Context(), strings.TrimSpace(token))
	}
	return store.Viewer{}, core.ErrUnauthenticated
}

func (s *Service) bearerCaller(ctx context.Context, token string) (store.Viewer, error) {
	hash := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(hash[:], s.publicHash[:]) == 1 {
		return store.Viewer{Kind: store.PublicKey, CanRead: true, CanWrite: true}, nil
	}
	return s.identified(credentialKey{hash: hash}, func() (store.Viewer, error) {
		if validKey(token, agentPrefix) || validKey(token, listPrefix) {
			return s.keyCaller(ctx, func(r *store.Reader) (store.KeyUser, error) { return r.KeyUserByHash(hex.EncodeToString(hash[:])) })
		}
		return s.tokenCaller(ctx, token)
	})
}

func (s *Service) tokenCaller(ctx context.Context, token string) (store.Viewer, error) {
	c, err := s.jwt.parse(token)
	if err != nil {
		return store.Viewer{}, core.ErrUnauthenticated
	}
	return s.sessionCaller(ctx, func(r *store.Reader) (store.SessionUser, error) {
		u, err := r.SessionUser(c.ID)
		if err == nil && (u.UserID != c.UserID || u.Epoch != c.Epoch || u.Kind == "browser" || c.Embedded != (u.Kind == "embedded")) {
			err = store.ErrNoRow
		}
		return u, err
	})
}

func (s *Service) keyCaller(ctx context.Context, find func(*store.Reader) (store.KeyUser, error)) (v store.Viewer, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		v, err = keyViewer(r, find)
		return err
	})
	return v, err
}

func keyViewer(r *store.Reader, find func(*store.Reader) (store.KeyUser, error)) (v store.Viewer, err error) {
	k, err := find(r)
	if errors.Is(err, store.ErrNoRow) {
		return v, core.ErrUnauthenticated
	}
	if err != nil {
		return v, err
	}
	if !valid(store.Credential{SuspendedAt: k.SuspendedAt, RevokedAt: k.RevokedAt, ExpiresAt: k.ExpiresAt}, r.Now()) {
		return v, core.ErrUnauthenticated
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

func (s *Service) sessionCaller(ctx context.Context, find func(*store.Reader) (store.SessionUser, error)) (v store.Viewer, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		v, err = sessionViewer(r, find)
		return err
	})
	return v, err
}

func sessionViewer(r *store.Reader, find func(*store.Reader) (store.SessionUser, error)) (v store.Viewer, err error) {
	u, err := find(r)
	if errors.Is(err, store.ErrNoRow) {
		return v, core.ErrUnauthenticated
	}
	if err != nil {
		return v, err
	}
	if !valid(store.Credential{SuspendedAt: u.SuspendedAt, Epoch: u.Epoch, UserEpoch: u.UserEpoch, ExpiresAt: u.ExpiresAt}, r.Now()) {
		return v, core.ErrUnauthenticated
	}
	v = store.Viewer{Kind: store.Human, UserID: u.UserID, Name: u.UserName, Email: u.UserEmail, SessionID: u.ID, CanRead: true, CanWrite: true,
		Admin: u.IsAdmin, Until: u.ExpiresAt}
	if u.Kind == "embedded" {
		v.Kind, v.Admin = store.Embedded, false
	}
	return v, nil
}

func (s *Service) cookieCaller(r *http.Request) (store.Viewer, error) {
	token := s.cookieToken(r)
	if token == "" {
		return store.Viewer{}, nil
	}
	v, err := s.identified(credentialKey{cookie: true, hash: sha256.Sum256([]byte(token))}, func() (store.Viewer, error) {
		return s.sessionCaller(r.Context(), func(r *store.Reader) (store.SessionUser, error) {
			return r.SessionUserByHash(cookieHash(token))
		})
	})
	if core.IsKind(err, core.Unauthenticated) {
		return store.Viewer{}, nil
	}
	return v, err
}

// BridgeCaller authenticates the peer service by the shared secret. It returns Unavailable without a bridge and
// Unauthenticated for a wrong secret.
func (s *Service) BridgeCaller(secret string) (store.Viewer, error) {
	if s.bridgeSecret == "" {
		return store.Viewer{}, core.New(core.Unavailable, "bridge_not_configured",
			"The identity bridge is not configured on this server. An administrator can enable it with --bridge-secret.")
	}
	if !same(secret, s.bridgeSecret) {
		return store.Viewer{}, core.New(core.Unauthenticated, "invalid_bridge_credentials",
			"The bridge secret is missing or wrong. Send it as Authorization: Bearer <secret>.")
	}
	return store.Viewer{Kind: store.Bridge}, nil
}

func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func device(agent string) string {
	out := []rune{}
	for _, r := range agent {
		if len(out) == 200 {
			break
		}
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			out = append(out, r)
		}
	}
	return string(out)
}

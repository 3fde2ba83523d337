package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
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
	v, err := s.noted(s.caller(r))
	v.Device = device(r.UserAgent())
	return v, err
}

// TokenCaller returns the viewer of a bearer token that did not come in the header of a request. A token that is not
// valid is core.ErrUnauthenticated.
func (s *Service) TokenCaller(ctx context.Context, token string) (store.Viewer, error) {
	return s.noted(s.bearerCaller(ctx, token))
}

func (s *Service) noted(v store.Viewer, err error) (store.Viewer, error) {
	if err == nil && v.SignedIn() {
		s.used.note(v, s.db.Now())
		s.Watching(v, 0)
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
		if strings.EqualFold(scheme, "Bearer") {
			return s.bearerCaller(r.Context(), token)
		}
	}
	return store.Viewer{}, core.ErrUnauthenticated
}

func (s *Service) bearerCaller(ctx context.Context, token string) (store.Viewer, error) {
	if len(token) > maxBearer {
		return store.Viewer{}, core.ErrUnauthenticated
	}
	token = strings.TrimSpace(token)
	hash := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(hash[:], s.publicHash[:]) == 1 {
		return store.Viewer{Kind: store.PublicKey, CanRead: true, CanWrite: true}, nil
	}
	return s.identified(ctx, credentialKey{hash: hash}, func(r *store.Reader) (store.Viewer, error) {
		if validKey(token, agentPrefix) || validKey(token, listPrefix) {
			k, err := r.KeyUserByHash(hex.EncodeToString(hash[:]))
			return keyViewer(r, k, err)
		}
		return s.tokenViewer(r, token)
	})
}

func (s *Service) cookieCaller(r *http.Request) (store.Viewer, error) {
	token := s.cookieToken(r)
	if token == "" {
		return store.Viewer{}, nil
	}
	key := credentialKey{cookie: true, hash: sha256.Sum256([]byte(token))}
	v, err := s.identified(r.Context(), key, func(r *store.Reader) (store.Viewer, error) {
		u, err := r.SessionUserByHash(cookieHash(token))
		return sessionViewer(r, u, err)
	})
	if core.IsKind(err, core.Unauthenticated) {
		return store.Viewer{}, nil
	}
	return v, err
}

// BridgeCaller authenticates the peer service by the shared secret. It returns Unavailable without a bridge and
// Unauthenticated for a wrong secret.
func (s *Service) BridgeCaller(secret string) (store.Viewer, error) {
	if s.cfg.BridgeSecret == "" {
		return store.Viewer{}, core.New(core.Unavailable, "bridge_not_configured",
			"The identity bridge is not configured on this server. An administrator can enable it with --bridge-secret.")
	}
	if !same(secret, s.cfg.BridgeSecret) {
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
	return core.FirstRunes(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, agent), 200)
}

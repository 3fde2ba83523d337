package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-json-experiment/json"

	"hearth/store"
)

const maxCookie = 128

// newCookies returns the manager that creates and renews browser sessions. Its middleware is not used: it hides
// http.Flusher, which streams need.
func newCookies(db *store.DB, secure bool) *scs.SessionManager {
	m := scs.New()
	m.Store = cookieStore{db}
	m.Codec = cookieCodec{}
	m.HashTokenInStore = true
	m.Lifetime = browserLife
	m.Cookie.Name = "hearth"
	m.Cookie.SameSite = http.SameSiteLaxMode
	if secure {
		m.Cookie.Name = "__Host-hearth"
		m.Cookie.Secure = true
	}
	return m
}

func (s *Service) cookieToken(r *http.Request) string {
	c, err := r.Cookie(s.cookies.Cookie.Name)
	if err != nil || len(c.Value) > maxCookie {
		return ""
	}
	return c.Value
}

func cookieHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// SignIn starts a browser session for the account and sets its cookie on w. It ends the session of r, whoever owns
// it.
func (s *Service) SignIn(w http.ResponseWriter, r *http.Request, userID string) error {
	ctx, err := s.cookies.Load(r.Context(), s.cookieToken(r))
	if err != nil {
		return err
	}
	if err := s.cookies.RenewToken(ctx); err != nil {
		return err
	}
	s.cookies.Put(ctx, "user", userID)
	s.cookies.Put(ctx, "agent", device(r.UserAgent()))
	token, expires, err := s.cookies.Commit(ctx)
	if err != nil {
		return err
	}
	s.cookies.WriteSessionCookie(ctx, w, token, expires)
	return nil
}

// SignOut ends the browser session r came with, if any, and clears its cookie.
func (s *Service) SignOut(w http.ResponseWriter, r *http.Request) error {
	ctx, err := s.cookies.Load(r.Context(), s.cookieToken(r))
	if err != nil {
		return err
	}
	userID := s.cookies.GetString(ctx, "user")
	if err := s.cookies.Destroy(ctx); err != nil {
		return err
	}
	s.cookies.WriteSessionCookie(ctx, w, "", time.Time{})
	if userID != "" {
		s.signedOut(r.Context(), userID)
	}
	return nil
}

type cookieCodec struct{}

type cookieData struct {
	Deadline store.Time `json:"deadline"`
	User     string     `json:"user"`
	Agent    string     `json:"agent"`
}

func (cookieCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	user, _ := values["user"].(string)
	agent, _ := values["agent"].(string)
	return json.Marshal(cookieData{Deadline: store.TimeOf(deadline), User: user, Agent: agent})
}

func (cookieCodec) Decode(b []byte) (time.Time, map[string]any, error) {
	var d cookieData
	err := json.Unmarshal(b, &d)
	return d.Deadline.Go(), map[string]any{"user": d.User, "agent": d.Agent}, err
}

// cookieStore stores browser sessions in the session table. It ignores the manager's deadlines: sessions expire by
// the database's clock.
type cookieStore struct{ db *store.DB }

func (c cookieStore) FindCtx(ctx context.Context, hash string) (b []byte, found bool, err error) {
	err = c.db.Read(ctx, func(r *store.Reader) error {
		u, err := r.SessionUserByHash(hash)
		if errors.Is(err, store.ErrNoRow) || err == nil && u.ExpiresAt <= r.Now() {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		b, err = json.Marshal(cookieData{Deadline: u.ExpiresAt, User: u.UserID, Agent: u.UserAgent})
		return err
	})
	return b, found, err
}

func (c cookieStore) CommitCtx(ctx context.Context, hash string, b []byte, _ time.Time) error {
	var d cookieData
	if err := json.Unmarshal(b, &d); err != nil {
		return err
	}
	return c.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.User(d.User)
		if err != nil {
			return err
		}
		if u.SuspendedAt != 0 {
			return errSuspended
		}
		_, err = startSession(tx, store.Session{
			UserID: u.ID, Kind: "browser", TokenHash: hash, Epoch: u.Epoch, UserAgent: d.Agent, ExpiresAt: tx.In(browserLife),
		})
		return err
	})
}

func (c cookieStore) DeleteCtx(ctx context.Context, hash string) error {
	return c.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.SessionUserByHash(hash)
		if errors.Is(err, store.ErrNoRow) {
			return nil
		}
		if err != nil {
			return err
		}
		return endSession(tx, u.UserID, u.ID)
	})
}

func (c cookieStore) Find(hash string) ([]byte, bool, error) {
	return c.FindCtx(context.Background(), hash)
}

func (c cookieStore) Commit(hash string, b []byte, expires time.Time) error {
	return c.CommitCtx(context.Background(), hash, b, expires)
}

func (c cookieStore) Delete(hash string) error { return c.DeleteCtx(context.Background(), hash) }

package account

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/store"
)

const maxCookie = 128

// cookie returns the cookie of a browser session, or one that removes it if token is "".
func (s *Service) cookie(token string) *http.Cookie {
	c := &http.Cookie{Name: "hearth", Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		MaxAge: int(browserLife.Seconds())}
	if strings.HasPrefix(s.base, "https:") {
		c.Name, c.Secure = "__Host-hearth", true
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}

func (s *Service) cookieToken(r *http.Request) string {
	c, err := r.Cookie(s.cookie("").Name)
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
	token := core.NewSecret(32)
	err := s.db.Write(r.Context(), func(tx *store.Tx) error {
		_, err := endBrowser(tx, s.cookieToken(r))
		u, e := tx.User(userID)
		if err = cmp.Or(err, e); err == nil && u.SuspendedAt != 0 {
			err = errSuspended
		}
		if err != nil {
			return err
		}
		_, err = startSession(tx, store.Session{UserID: u.ID, Kind: "browser", TokenHash: cookieHash(token), Epoch: u.Epoch,
			UserAgent: device(r.UserAgent()), ExpiresAt: tx.In(browserLife)})
		return err
	})
	if err == nil {
		http.SetCookie(w, s.cookie(token))
	}
	return err
}

// Renew has the browser session of r, with the viewer by, last as long as a new one, at most once a day: people who come
// back stay signed in, also where no mail can sign them in again.
func (s *Service) Renew(w http.ResponseWriter, r *http.Request, by store.Viewer) {
	token := s.cookieToken(r)
	if token == "" || by.SessionID == "" || by.Until.Sub(s.db.Now()) > browserLife-24*time.Hour || r.Header.Get("Authorization") != "" {
		return
	}
	err := s.db.Write(r.Context(), func(tx *store.Tx) error { return tx.ExtendSession(by.UserID, by.SessionID, tx.In(browserLife)) })
	if err == nil {
		http.SetCookie(w, s.cookie(token))
	} else if !store.Unavailable(err) {
		s.log.Warn("session not renewed", "user", by.UserID, "error", err)
	}
}

// SignOut ends the browser session r came with, if any, and clears its cookie.
func (s *Service) SignOut(w http.ResponseWriter, r *http.Request) error {
	var userID string
	err := s.db.Write(r.Context(), func(tx *store.Tx) (err error) {
		userID, err = endBrowser(tx, s.cookieToken(r))
		return err
	})
	if err != nil {
		return err
	}
	http.SetCookie(w, s.cookie(""))
	if userID != "" {
		s.signedOut(r.Context(), userID)
	}
	return nil
}

// endBrowser ends the session of a cookie. It returns its account, or "" if there is none.
func endBrowser(tx *store.Tx, token string) (userID string, err error) {
	u, err := tx.SessionUserByHash(cookieHash(token))
	if err != nil {
		return "", store.Optional(err)
	}
	return u.UserID, endSession(tx, u.UserID, u.ID)
}

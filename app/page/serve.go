package page

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/store"
)

// maxForm bounds what a form may send.
const maxForm = 256 << 10

// policy lets a page load what this server gives and nothing else; no script or style stands in the page itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// visit is one request for a page, by somebody.
type visit struct {
	w  http.ResponseWriter
	r  *http.Request
	by store.Viewer
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// id returns a path parameter that must be an identifier: what cannot be
// one is nowhere, exactly as an unknown one.
func (v *visit) id(name string) (string, error) {
	id := v.r.PathValue(name)
	if !store.ValidID(id) {
		return "", core.ErrNotFound
	}
	return id, nil
}

// form returns a field of the posted form.
func (v *visit) form(name string) string { return v.r.PostForm.Get(name) }

// query returns a parameter of the address.
func (v *visit) query(name string) string { return v.r.URL.Query().Get(name) }

// seeOther ends a form: the browser asks for the page at path.
func (v *visit) seeOther(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// page is a handler: it answers, or returns why not.
type page func(s *site, v *visit) error

// open makes a handler anybody may use; others need a person.
func (s *site) open(p page) http.Handler { return s.handle(p, false) }

func (s *site) person(p page) http.Handler { return s.handle(p, true) }

func (s *site) handle(p page, needsPerson bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r}
		setHeaders(w.Header(), r.URL.Path)
		by, err := s.Account.Caller(r)
		if err == nil && by.Direct() {
			v.by = by // keys and embedded sessions have no pages
		}
		v.by.IP, v.by.Device = s.Stack.Client(r), by.Device
		middleware.RecorderOf(w).Viewer = v.by
		if err == nil && r.Method == http.MethodPost {
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			err = parseForm(r)
		}
		switch {
		case err != nil:
		case needsPerson && !v.by.SignedIn():
			err = core.ErrUnauthenticated
		default:
			err = p(s, v)
		}
		if err != nil {
			s.fail(v, err)
		}
	})
}

func setHeaders(h http.Header, path string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	if strings.HasPrefix(path, "/login") || strings.HasPrefix(path, "/claim") || strings.HasPrefix(path, "/chat/invite/") {
		h.Set("Referrer-Policy", "no-referrer") // their addresses are secrets
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Cookie")
}

// show answers with a page.
func (s *site) show(v *visit, status int, name string, data any) error {
	b, err := s.views.render(name, data)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	v.w.WriteHeader(status)
	_, _ = bytes.NewReader(b).WriteTo(v.w)
	return nil
}

// frame returns what surrounds a page: who reads it, what waits for them.
func (s *site) frame(v *visit, title, here, layout string) (Frame, error) {
	f := Frame{Title: title, Here: here, Layout: layout, Done: doneWords(v.query("done"))}
	if !v.by.SignedIn() {
		if v.r.Method == http.MethodGet && here != "login" {
			f.Path = v.r.URL.RequestURI()
		}
		return f, nil
	}
	err := s.fillFrame(v, &f)
	return f, err
}

// doneWords turns the word a redirect carries into the sentence that is
// shown: fixed ones, so that no link can put words into our mouth.
func doneWords(word string) string {
	return map[string]string{
		"saved":   "Saved.",
		"set":     "Your status is set.",
		"seen":    "Others see you so from now on.",
		"cleared": "Your status is cleared.",
		"ended":   "That device is signed out.",
		"revoked": "The key is revoked. It stops working at once.",
		"deleted": "Deleted.",
		"left":    "You left the group.",
		"added":   "Added.",
		"removed": "Removed.",
		"moved":   "Moved.",
		"shared":  "Shared.",
		"unmuted": "You hear it again.",
		"muted":   "It is quiet now.",
		"unlist":  "The list is no longer shared with you.",
		"out":     "You are signed out.",
		"in":      "Welcome. You are signed in.",
		"claimed": "This server is yours. Make it warm.",
	}[word]
}

// status is how pages answer each kind of error. A form that was not right
// is 422, so that it is not taken for a page that could not be read.
func status(k core.Kind) int {
	return map[core.Kind]int{
		core.Invalid: http.StatusUnprocessableEntity, core.Unauthenticated: http.StatusUnauthorized,
		core.Forbidden: http.StatusForbidden, core.NotFound: http.StatusNotFound, core.Conflict: http.StatusConflict,
		core.Gone: http.StatusGone, core.TooLarge: http.StatusRequestEntityTooLarge,
		core.Unsupported: http.StatusUnsupportedMediaType, core.TooMany: http.StatusTooManyRequests,
		core.Unavailable: http.StatusServiceUnavailable, core.BadGateway: http.StatusBadGateway,
		core.Internal: http.StatusInternalServerError,
	}[k]
}

// typed tells whether an error is about what somebody entered, so that the
// form is shown again with it; everything else is a page of its own.
func typed(err error) bool {
	switch core.As(err).Kind {
	case core.Invalid, core.Conflict, core.TooLarge, core.TooMany, core.Gone:
		return true
	}
	return false
}

// fail answers with the page for err. Who is not signed in is sent to the
// sign-in page first, and comes back to where they wanted to go.
func (s *site) fail(v *visit, err error) {
	e := core.As(err)
	if e.Kind == core.Unauthenticated && v.r.Header.Get("Authorization") == "" {
		http.Redirect(v.w, v.r, loginAddress(v), http.StatusSeeOther)
		return
	}
	view := errorView{Heading: heading(e.Kind), Message: e.Msg}
	if e.Kind == core.Internal {
		view.RequestID = uuid.NewString()[:8]
		s.Log.Error("page failed", "page", v.r.Pattern, "viewer", v.by.UserID, "request", view.RequestID, slog.Any("error", err))
	}
	if e.RetryAfter > 0 {
		v.w.Header().Set("Retry-After", strconv.Itoa(max(1, int((e.RetryAfter+time.Second-1)/time.Second))))
	}
	// The frame is read from the database, which may be what has failed.
	if e.Kind != core.Internal && e.Kind != core.Unavailable {
		if f, ferr := s.frame(v, "", "", "narrow"); ferr == nil {
			view.Frame = f
		}
	}
	view.Frame.Title, view.Frame.Layout = view.Heading, "narrow"
	view.OfferLogin = !v.by.SignedIn() && (e.Kind == core.NotFound || e.Kind == core.Forbidden)
	if serr := s.show(v, status(e.Kind), "error", view); serr != nil {
		s.Log.Error("the error page failed", slog.Any("error", serr))
		http.Error(v.w, e.Msg, status(e.Kind))
	}
}

func heading(k core.Kind) string {
	switch k {
	case core.NotFound:
		return "Nothing burns here"
	case core.Forbidden, core.Unauthenticated:
		return "This door stays closed"
	case core.Gone:
		return "This is over"
	case core.Unavailable, core.TooMany:
		return "One moment, please"
	case core.Internal, core.BadGateway:
		return "The fire went out for a moment"
	}
	return "That did not work"
}

// parseForm reads a posted form. Browsers send line breaks as CR LF; here
// they are LF, as everywhere else.
func parseForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return core.New(core.TooLarge, "too_large", "That is more than a form can take: at most 256 KiB. Go back and shorten it.")
		}
		return core.New(core.Invalid, "bad_form", "This form could not be read. Go back, reload the page and send it again.")
	}
	for _, values := range r.PostForm {
		for i, value := range values {
			if !utf8.ValidString(value) {
				return core.New(core.Invalid, "bad_utf8", "This form has text that is not UTF-8. Go back, type it again and send it.")
			}
			values[i] = strings.ReplaceAll(value, "\r\n", "\n")
		}
	}
	return nil
}

// fillFrame adds who is signed in and what waits for them.
func (s *site) fillFrame(v *visit, f *Frame) error {
	me, err := s.Account.GetMe.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	unread, err := s.Chat.UnreadTotal.Call(v.ctx(), v.by, core.None{})
	f.Me = &Person{ID: me.ID, Name: me.Name}
	f.Unread = int(unread.UnreadTotal)
	return err
}

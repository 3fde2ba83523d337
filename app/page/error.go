package page

import (
	"net/http"
	"net/url"
	"strings"

	"hearth/app/core"
	"hearth/app/middleware"
)

const errorPage = "error"

type errorView struct {
	Frame
	Heading    string
	Message    string
	RequestID  string // only for internal errors
	OfferLogin bool
	Typed      []string // texts of a failed form, to copy
}

// typedFields are the fields whose text somebody may want to keep.
var typedFields = []string{"title", "description", "items", "content", "link", "reporter", "note", "message", "text", "terms", "goal",
	"seeks", "brings", "details", "question", "answer", "tags", "freeform", "reason", "welcome", "headline", "emoji", "source_note", "data",
	"name", "address", "email", "code", "url", "avatarUrl", "agentName", "bot.name", "communityName", "securityContact", "otherAccent",
	"position"}

// typed returns what the person wrote in a failed form, at most maxForm bytes.
func (v *visit) typed() (out []string) {
	if v.r.Method != http.MethodPost {
		return nil
	}
	for _, name := range typedFields {
		if text := v.form(name); strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
	}
	for _, p := range chosenIn(v.r.PostForm) {
		if p.Name != "" {
			out = append(out, p.Name)
		}
	}
	left := maxForm
	for i, text := range out {
		if len(text) > left {
			return append(out[:i], strings.ToValidUTF8(text[:left], "")+"…")
		}
		left -= len(text)
	}
	return out
}

// fail shows the page for err. A guest who must sign in is redirected to the sign-in page. The page of a form
// has the typed text.
func (s *site) fail(v *visit, err error) {
	e := middleware.ErrorOf(v.w, err)
	if v.wants != "" && v.wants != formHTML {
		v.failProgram(e)
		return
	}
	signedOut := e.Kind == core.Unauthenticated && v.r.Header.Get("Authorization") == ""
	view := errorView{Heading: heading(e), Message: message(e), Typed: v.typed()}
	if signedOut && len(view.Typed) == 0 {
		to := "/login"
		if v.r.Method == http.MethodGet {
			to += "?next=" + url.QueryEscape(v.r.URL.RequestURI())
		}
		http.Redirect(v.w, v.r, to, http.StatusSeeOther)
		return
	}
	if signedOut {
		view.Heading, view.Message = "You are not signed in", "Nothing was sent. Copy what you wrote, sign in, and send it again."
	}
	if e.Kind == core.Internal {
		view.RequestID = middleware.RecorderOf(v.w).ID
	}
	// The frame is read from the database, which may be what failed.
	if e.Kind != core.Internal && e.Kind != core.Unavailable {
		view.Frame = s.frame(v, "", "", "")
	}
	view.Frame.Title, view.Frame.Layout = view.Heading, "narrow"
	view.OfferLogin = !v.by.SignedIn() && (signedOut || e.Kind == core.NotFound || e.Kind == core.Forbidden)
	v.template, v.status, v.data = errorPage, status(e.Kind), view
	if err = s.render(v); err != nil {
		s.Log.Error("the error page could not be rendered", "error", err)
		http.Error(v.w, view.Message, v.status)
	}
}

// status returns the HTTP status of a kind of error. Invalid input is 422, apart from a request that could
// not be read.
func status(k core.Kind) int {
	if k == core.Invalid {
		return http.StatusUnprocessableEntity
	}
	return middleware.Status(k)
}

func heading(e *core.Error) string {
	if e.Code == core.ErrOtherAccount.Code {
		return "You are signed in as another account"
	}
	switch e.Kind {
	case core.NotFound:
		return "Page not found"
	case core.Forbidden, core.Unauthenticated:
		return "You don’t have access"
	case core.Gone:
		return "No longer available"
	case core.TooMany:
		return "Too many attempts"
	case core.Unavailable:
		return "Temporarily unavailable"
	case core.Internal, core.BadGateway:
		return "Something went wrong"
	}
	return "That didn’t work"
}

// message returns the text of the error page. Some texts of operations mention tokens; the pages have their
// own.
func message(e *core.Error) string {
	switch e.Code {
	case core.ErrNotFound.Code:
		return "This page doesn’t exist, or you don’t have access to it."
	case core.ErrUnauthenticated.Code, core.ErrHumanOnly.Code:
		return "Sign in with your own account to open this page."
	case core.ErrOtherAccount.Code:
		return "Nothing was sent, because the page was made for another account, or for none. Reload the page."
	}
	if e.Kind == core.Internal {
		return "The error is on our side, and nothing was lost. Try again."
	}
	return e.Msg
}

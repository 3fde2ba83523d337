package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
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
	Typed      []string // texts of a failed form, to copy or to send again
	Again      *againView
}

type againView struct {
	Action string
	Sender string // the account that the page was made for; "" for none
	Fields []fieldView
	Parts  bool // sent as multipart/form-data
}

type fieldView struct{ Name, Value string }

// typedFields are the fields whose text somebody may want to keep.
var typedFields = []string{"title", "description", "items", "content", "link", "reporter", "note", "message", "text", "terms", "goal", "seeks", "brings", "details",
	"question", "answer", "tags", "freeform", "reason", "welcome", "headline", "emoji", "source_note", "data", "name", "address", "email", "code", "url", "avatarUrl",
	"agentName", "bot.name", "communityName", "securityContact", "otherAccent", "position"}

// maxTyped is the limit of shown bytes of a field if the form can be sent again. All fields together are
// limited to maxForm.
const maxTyped = 20_000

func (v *visit) typed() (out []string) {
	if v.r.Method != http.MethodPost {
		return nil
	}
	for _, name := range typedFields {
		if text := v.form(name); strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
	}
	for _, to := range v.r.PostForm["to"] {
		if p, ok := chosen(to); ok && p.Name != "" {
			out = append(out, p.Name)
		}
	}
	return out
}

// fail shows the page for err. A guest who must sign in is redirected to the sign-in page. The page of a form
// has the typed text. It offers to send the form again if all of it was read.
func (s *site) fail(v *visit, err error) {
	e := middleware.ErrorOf(v.w, err)
	if v.wants != "" && v.wants != formHTML {
		v.failProgram(e)
		return
	}
	signedOut := e.Kind == core.Unauthenticated && v.r.Header.Get("Authorization") == ""
	view := errorView{Heading: heading(e.Kind), Message: message(e), Typed: v.typed()}
	if len(view.Typed) > 0 {
		view.offerAgain(v)
	} else if signedOut {
		http.Redirect(v.w, v.r, loginAddress(v), http.StatusSeeOther)
		return
	}
	view.explain(v, e, signedOut)
	if v.files && view.Again != nil {
		view.Message += " Files have to be chosen again on the page where you wrote it."
	}
	if e.Kind == core.Internal {
		view.RequestID = middleware.RecorderOf(v.w).ID
	}
	// The frame is read from the database, which may be what failed.
	if e.Kind != core.Internal && e.Kind != core.Unavailable {
		view.Frame, _ = s.frame(v, "", "", "")
	}
	view.Frame.Title, view.Frame.Layout = view.Heading, "narrow"
	view.OfferLogin = !v.by.SignedIn() && (signedOut || e.Kind == core.NotFound || e.Kind == core.Forbidden)
	v.template, v.status, v.data = errorPage, status(e.Kind), view
	if err = s.render(v); err != nil {
		s.Log.Error("the error page could not be rendered", "error", err)
		http.Error(v.w, view.Message, v.status)
	}
}

func (view *errorView) offerAgain(v *visit) {
	most, left := maxForm, maxForm
	if view.Again = v.again(); view.Again != nil {
		most = maxTyped
	}
	for i, text := range view.Typed {
		if left == 0 {
			view.Typed = view.Typed[:i]
			return
		}
		if n := min(most, left); len(text) > n {
			text = strings.ToValidUTF8(text[:n], "") + "…"
			view.Typed[i] = text
		}
		left = max(0, left-len(text))
	}
}

// explain describes what to do with the form after a sign-out, a sign-in or a change of account.
func (view *errorView) explain(v *visit, e *core.Error, signedOut bool) {
	next := "come back to this page, and send it again."
	if view.Again == nil {
		next = "and write it again."
	}
	switch {
	case signedOut:
		view.Heading, view.Message = "You are not signed in", "Nothing was sent. Sign in in another tab, "+next
	case e.Code == core.ErrOtherAccount.Code && v.r.Form.Get(senderField) == guestSender:
		view.Heading, view.Message = "You are signed in now", "Nothing was sent, because this was written without an account. Reload the page."
		if view.Again != nil {
			view.Again.Sender = v.by.UserID
			view.Message = "Nothing was sent, because this was written without an account. Send it again to send it with yours, or sign out in another tab first."
		}
	case e.Code == core.ErrOtherAccount.Code:
		view.Heading = "You are signed in as another account"
		if len(view.Typed) > 0 {
			view.Message = "Nothing was sent, because this was written with another account. Sign in with that one in another tab, " + next
		}
	}
}

// again returns the sent form, or nil if part of it was not read: sending it would clear the missing fields.
// The text of an import may be too long for a page.
func (v *visit) again() *againView {
	if formSize(v.r.PostForm) > maxForm || !v.r.Form.Has(senderField) {
		return nil
	}
	a := &againView{Action: v.r.URL.RequestURI(), Sender: v.r.Form.Get(senderField), Parts: isMultipart(v.r)}
	for _, name := range slices.Sorted(maps.Keys(v.r.PostForm)) {
		for _, value := range v.r.PostForm[name] {
			a.Fields = append(a.Fields, fieldView{name, value})
		}
	}
	return a
}

// status returns the HTTP status of a kind of error. Invalid input is 422, apart from a request that could
// not be read.
func status(k core.Kind) int {
	if k == core.Invalid {
		return http.StatusUnprocessableEntity
	}
	return middleware.Status(k)
}

func heading(k core.Kind) string {
	switch k {
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
	}
	if e.Kind == core.Internal {
		return "The error is on our side, and nothing was lost. Try again."
	}
	return e.Msg
}

func loginAddress(v *visit) string {
	if v.r.Method != http.MethodGet {
		return "/login"
	}
	return "/login?next=" + url.QueryEscape(v.r.URL.RequestURI())
}

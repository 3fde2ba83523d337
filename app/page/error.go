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

// errorPage is the template of everything that has no page of its own.
const errorPage = "error"

type errorView struct {
	Frame
	Heading    string
	Message    string
	RequestID  string // only of internal errors
	OfferLogin bool
	Typed      []string // in a form that failed, to copy or to send again
	Again      *againView
}

// againView is a form that failed, to send it again.
type againView struct {
	Action string
	Sender string // the account for which the page was made; "" for none
	Fields []fieldView
	Parts  bool // it was sent as multipart/form-data, in which all of it has room
}

type fieldView struct{ Name, Value string }

// typedFields are the fields of forms whose words somebody may want to keep.
var typedFields = []string{"title", "description", "items", "content", "link", "reporter", "note", "message", "text", "terms", "goal", "seeks", "brings", "details",
	"question", "answer", "tags", "freeform", "reason", "welcome", "headline", "emoji", "source_note", "data", "name", "address", "email", "code", "url", "avatarUrl",
	"agentName", "bot.name", "communityName", "securityContact", "otherAccent", "position"}

// maxTyped is how many bytes of a field are shown if the form can be sent again
// as a whole. Of all fields together, maxForm bytes are shown.
const maxTyped = 20_000

// typed returns what somebody typed in a form, and whom they chose.
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

// fail answers with the page for err. A guest who needs to sign in is sent to
// the sign-in page, which leads back. Whatever the error is, the page of a form has
// what was typed, and the form to send it again if all of it was read.
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

// offerAgain offers to send a form again, if all of it was read. What is too long to be
// shown is cut.
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

// explain says what to do with a form of somebody who is not signed in any more, or is by
// now, or as another account.
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

// again returns the form that was sent, or nil if it was not read as a whole: sent
// again, it would replace with nothing what was not read. A text of an import may be too
// long for a page.
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

// status returns the HTTP status of a kind of error. A form with wrong input
// is 422, which sets it apart from a request that could not be read.
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

// message returns the text of the error page. The sentences of the operations
// are for programs, too; where those mention tokens the page has its own.
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

// loginAddress returns the address of the sign-in page that leads back to
// the page that v requested.
func loginAddress(v *visit) string {
	if v.r.Method != http.MethodGet {
		return "/login"
	}
	return "/login?next=" + url.QueryEscape(v.r.URL.RequestURI())
}

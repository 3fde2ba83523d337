package page

import (
	"regexp"

	"hearth/store"
)

// doneAct is an offer after an action: a link, or a form of one button, such as an undo.
type doneAct struct {
	Label, URL string
	Post       bool
	Fields     []hiddenField
}

// doneAct returns the offer for the word and the "at" of a redirect, or nil.
func (v *visit) doneAct() *doneAct {
	at := v.query("at")
	if !store.ValidID(at) {
		return nil
	}
	var back []hiddenField
	if v.r.URL.Path == "/review" {
		back = []hiddenField{{"back", "review"}}
	}
	undo := func(url string, fields ...hiddenField) *doneAct {
		return &doneAct{Label: "Undo", URL: url, Post: true, Fields: append(fields, back...)}
	}
	switch v.query("done") {
	case "dismissed":
		return undo("/drafts/" + at + "/restore")
	case "paused", "paused-search":
		return undo("/stories/"+at, hiddenField{"act", "resume"})
	case "resumed":
		return undo("/stories/"+at, hiddenField{"act", "pause"})
	case "extended", "extended-wait":
		if was, err := store.ParseTime(v.query("was")); err == nil {
			return undo("/stories/"+at, hiddenField{"act", "until"}, hiddenField{"expiresAt", was.String()})
		}
	case "withdrawn":
		return &doneAct{Label: "Publish it again", URL: "/asks/new?again=" + at}
	case "connected", "request-sent":
		return &doneAct{Label: "Open the conversation", URL: "/chat/" + at}
	}
	return nil
}

func queryBack(back string) string {
	if back == "review" {
		return "?back=review"
	}
	return ""
}

var rowID = regexp.MustCompile(`^(review|[ri]-[0-9a-z_-]{1,80})$`)

// back returns to path with a word for the action and the id of its object. A form of the review inbox
// returns to the next item of the inbox.
func (v *visit) back(path, done, at string) error { return v.seeOther(v.backTo(path, done, at)) }

func (v *visit) backTo(path, done, at string) string {
	review := v.form("back") == "review"
	if review {
		path = "/review"
	}
	path += "?done=" + done
	if at != "" {
		path += "&at=" + at
	}
	if next := v.form("next"); review && rowID.MatchString(next) {
		path += "#" + next
	}
	return path
}

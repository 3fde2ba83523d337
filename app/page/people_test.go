package page_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hearth/store"
)

// The forms of the people pages, without scripts: ask, accept, message, remove,
// report, block and unblock.
func TestPeoplePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	toBen, toAda := "/people/"+w.cast.Ben.ID, "/people/"+w.cast.Ada.ID
	ada.get("/people?q=ben").want(t, 200, toBen)
	ada.get(toBen).want(t, 200, "Add as friend", "Message")
	ada.post(toBen+"/friend", url.Values{"act": {"request"}}).leads(t, toBen+`\?done=asked`)
	ada.get(toBen).want(t, 200, "You asked", "Cancel request")
	ben.get("/people").want(t, 200, "Requests to you", "Accept", toAda)
	ben.post(toAda+"/friend", url.Values{"act": {"accept"}, "back": {"people"}}).leads(t, `/people\?done=friends`)
	ben.post(toAda+"/friend", url.Values{"act": {"accept"}}).want(t, 422, "There is no request of this person")
	ada.get("/people").want(t, 200, "Friends", toBen)
	ada.post(toBen+"/message", nil).leads(t, `/chat/[0-9a-f-]{36}`)
	ada.get("/report?user="+w.cast.Ben.ID).want(t, 200, "Send report", "Ben")
	ada.post("/report", url.Values{"type": {"user"}, "id": {w.cast.Ben.ID}, "person": {w.cast.Ben.ID}, "reason": {"spam"},
		"freeform": {strings.Repeat("x", 2001)}}).
		want(t, 422, "Details must be text of at most 2000 characters")
	ada.post("/report", url.Values{"type": {"user"}, "id": {w.cast.Ben.ID}, "person": {w.cast.Ben.ID}, "reason": {"spam"}, "block": {"yes"}}).
		leads(t, `/settings/blocks\?done=reported`)
	ada.get("/settings/blocks").want(t, 200, "Ben", "Unblock")
	ada.get(toBen).want(t, 404)
	ben.get(toAda).want(t, 404)
	ben.get("/people").lacks(t, toAda)
	ada.post("/settings/blocks/"+w.cast.Ben.ID+"/end", nil).leads(t, `/settings/blocks\?done=unblocked`)
	ada.post(toBen+"/block", nil).leads(t, toBen)
	ada.post(toBen+"/block", url.Values{"sure": {"yes"}}).leads(t, `/settings/blocks\?done=blocked`)
	ada.get("/people/"+store.NewID()).want(t, 404)
}

// A card is open to guests, with a code; a new link ends the old one.
func TestCardPages(t *testing.T) {
	w := newWorld(t)
	ada, ben, guest := w.as(w.cast.Ada), w.as(w.cast.Ben), w.guest()
	ada.get("/settings/card").want(t, 200, "Others can open it")
	ada.post("/settings/card", url.Values{"headline": {"Bread & boats"}, "enabled": {"yes"}}).leads(t, `/settings/card\?done=saved`)
	link := func() string {
		return regexp.MustCompile(`/c/[\w-]{22}`).FindString(ada.get("/settings/card").body)
	}
	card := link()
	guest.get(card).want(t, 200, "Ada", "Bread &amp; boats", card+"/qr.svg", "Sign in to add as friend").lacks(t, w.cast.Ada.ID,
		"ada@example.org")
	guest.get(card+"/qr.svg").want(t, 200, `viewBox="0 0 `, `<path fill="#fff"`)
	guest.post(card, nil).leads(t, "/login")
	ben.post(card, nil).leads(t, regexp.QuoteMeta(card)+`\?done=asked`)
	ben.get(card).want(t, 200, "You asked to be friends")
	ada.get(card).want(t, 200, "This is your card")
	ada.post(card, nil).want(t, 422, "your own card")
	ada.post("/settings/card/rotate", nil).leads(t, `/settings/card\?done=rotated`)
	guest.get(card).want(t, 404)
	guest.get(card+"/qr.svg").want(t, 404)
	if next := link(); next == card || next == "" {
		t.Errorf("the new link is %q", next)
	}
}

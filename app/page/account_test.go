package page_test

import (
	"net/url"
	"strings"
	"testing"
)

// An account is deleted when its address is typed, and not otherwise; that signs
// its owner out.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ben, other := w.as(w.cast.Ben), w.as(w.cast.Ben)
	const page = "/settings/delete"
	ben.get(page).want(t, 200, w.cast.Ben.Email, "Delete my account")
	w.guest().post(page, url.Values{"address": {w.cast.Ben.Email}}).want(t, 401, "You are not signed in")
	for _, typed := range []string{"", "yes", w.cast.Ada.Email, w.cast.Ben.Email + "x"} {
		ben.post(page, url.Values{"address": {typed}}).want(t, 422, "Type "+w.cast.Ben.Email+" to delete your account.")
	}
	ben.get("/settings").want(t, 200)
	ben.post(page, url.Values{"address": {" " + strings.ToUpper(w.cast.Ben.Email) + " "}}).leads(t, "/deleted")
	ben.get("/deleted").want(t, 200, "Account deleted")
	for _, b := range []*browser{ben, other} {
		b.get("/settings").leads(t, "/login.*")
	}
	w.as(w.cast.Ada).get("/people?q="+url.QueryEscape(w.cast.Ben.Name)).want(t, 200).lacks(t, w.cast.Ben.ID)
}

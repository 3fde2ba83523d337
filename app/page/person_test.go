package page_test

import (
	"net/url"
	"testing"
)

// The names of those who wrote comments, items and Stories lead to their pages,
// for those who are signed in; nothing else of an account is told to others.
func TestNamesLeadToPeople(t *testing.T) {
	w := newWorld(t)
	ada, ben, guest := w.as(w.cast.Ada), w.as(w.cast.Ben), w.guest()
	at := ada.newList("public")
	item := at + "/item/" + found(t, `id="item-([0-9a-f-]{36})"`, ada.get(at).body)
	ada.post(item+"/comments", url.Values{"content": {"With cumin"}})
	page := "/people/" + w.cast.Ada.ID
	ben.get(item).want(t, 200, "With cumin", `Added by</dt><dd><a class="profile" href="`+page+`">`, `<b><a class="profile" href="`+page+`">`)
	guest.get(item).want(t, 200, "With cumin").lacks(t, "/people/", w.cast.Ada.ID)
	ada.get(at+"/people").want(t, 200, `<a class="profile" href="`+page+`">`)
	ben.get(page).want(t, 200, w.cast.Ada.Name)
}

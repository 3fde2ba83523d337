package page_test

import (
	"net/url"
	"testing"
)

// The names of those who wrote comments, items and Stories lead to their pages,
// for those who are signed in; nothing else of an account is told to others. So do
// names and pictures where people are listed, and at the head of a conversation.
func TestNamesLeadToPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, guest := w.as(w.cast.Ada), w.as(w.cast.Ben), w.guest()
	at := ada.newList("public")
	item := at + "/item/" + found(t, `id="item-([0-9a-f-]{36})"`, ada.get(at).body)
	ada.post(item+"/comments", url.Values{"content": {"With cumin"}})
	page := "/people/" + w.cast.Ada.ID
	ben.get(item).want(t, 200, "With cumin", `Added by</dt><dd><a class="profile" href="`+page+`">`, `<b><a class="profile" href="`+page+`">`)
	guest.get(item).want(t, 200, "With cumin").lacks(t, "/people/", w.cast.Ada.ID)
	ben.get(at).want(t, 200, `by <a class="profile" href="`+page+`"><bdi>`)
	guest.get(at).want(t, 200, w.cast.Ada.Name).lacks(t, "/people/", w.cast.Ada.ID)
	face, name := `<a class="face" href="`+page+`"`, ` href="`+page+`"><bdi>`+w.cast.Ada.Name
	ada.get(at+"/people").want(t, 200, face, name)
	ben.get("/people").want(t, 200, face, name)
	ben.get("/search?q=ada").want(t, 200, face, name)
	supper := ada.converse("Supper", w.cast.Ben)
	ben.get(supper+"/people").want(t, 200, face, name)
	ada.post(supper+"/stream", url.Values{"text": {"#decision We meet at six"}, "share": {"yes"}})
	ben.get(supper+"/stream").want(t, 200, "at six", `<bdi class="entry-who"><a class="profile" href="`+page+`">`)
	entry := found(t, `action="(/chat/[^"]*)/collapsed"`, ben.get(supper+"/stream").body)
	ben.post(entry+"/collapsed", url.Values{"collapsed": {"true"}}).leads(t, supper+"/stream#e-.*")
	ben.get(supper+"/stream").want(t, 200, `aria-expanded="false"`)
	direct := ada.converse("", w.cast.Ben)
	w.send(w.cast.Ada, direct, "Soup?")
	title := `<a class="profile" href="` + page + `">` + w.cast.Ada.Name
	ben.get(direct).want(t, 200, face+` tabindex="-1" aria-hidden="true"><span class="avatar hue`, `<h1 class="one-line" dir="auto">`+title,
		face+` tabindex="-1" aria-hidden="true"><span class="avatar avatar-s`, `<bdi class="who">`+title)
	ben.get(page).want(t, 200, w.cast.Ada.Name)
}

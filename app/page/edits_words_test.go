package page_test

import (
	"net/url"
	"testing"

	"hearth/app/chat"
	"hearth/app/list"
	"hearth/store"
	"hearth/store/storetest"
)

// What was written about something that may not be changed any more is shown.
func TestWordsOfFormsThatAreRefused(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)

	at := ada.converse("", w.cast.Ben)
	m := w.send(w.cast.Ada, at, "first")
	form := ada.get(at+"?edit="+m).want(t, 200, `name="shown"`)
	if _, err := w.chat.DeleteMessage.Call(t.Context(), storetest.Human(w.cast.Ada), chat.DeleteMessageIn{ID: m}); err != nil {
		t.Fatal(err)
	}
	shown := found(t, `name="shown" value="([^"]*)"`, form.body)
	ada.post(at+"/message/"+m, url.Values{"content": {"my new words"}, "shown": {shown}}).want(t, 404, "my new words")

	page := ada.newList("private")
	id := page[len("/list/"):]
	role := func(r string) {
		t.Helper()
		if _, err := w.list.PutMember.Call(t.Context(), storetest.Human(w.cast.Ada), list.PutMemberIn{ListID: id, UserID: w.cast.Ben.ID, Role: r}); err != nil {
			t.Fatal(err)
		}
	}
	role("editor")
	ben.get(page+"/edit").want(t, 200)
	role("viewer")
	ben.post(page+"/edit", url.Values{"title": {"better words"}, "description": {""}}).want(t, 403, "better words")

	guest := w.guest()
	guest.post("/list/import", url.Values{"data": {"- soup\n- bread"}, "step": {"plan"}}).want(t, 401, "- soup\n- bread")
	guest.post("/settings/card", url.Values{"headline": {"I bake"}}).want(t, 401, "I bake")
	guest.post("/list/"+store.NewID()+"/item/"+store.NewID(), url.Values{"source_note": {"from the market"}}).want(t, 401, "from the market")
}

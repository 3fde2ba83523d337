package page_test

import (
	"net/url"
	"strings"
	"testing"

	"hearth/app/list"
	"hearth/store"
	"hearth/store/storetest"
)

// All that waits for a person is in the inbox, with its two buttons, and the badge counts just that.
func TestInboxHasEverything(t *testing.T) {
	w := newWorld(t)
	ada, ben, guest := w.as(w.cast.Ada), w.as(w.cast.Ben), store.Viewer{Kind: store.PublicKey, CanRead: true, CanWrite: true}
	made, err := w.list.CreateList.Call(t.Context(), storetest.Human(w.cast.Ada),
		list.CreateListIn{Title: "Jams", Visibility: "public-edit", Moderated: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Quince", "Plum"} {
		in := list.AddItemIn{ListID: made.List.ID, NewItem: list.NewItem{Content: text}, Reporter: "Bea"}
		if _, err := w.list.AddItem.Call(t.Context(), guest, in); err != nil {
			t.Fatal(err)
		}
	}
	ben.post("/people/"+w.cast.Ada.ID+"/friend", url.Values{"act": {"request"}})
	story := url.Values{"text": {"Soup on Sunday"}, "until": {"7d"}, "to": {w.cast.Ada.ID + " Ada"}}
	ben.post("/stories/new", ben.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	ben.post("/feedback", url.Values{"message": {"More soup"}})

	ada.get("/inbox").want(t, 200).lacks(t, "More soup")
	page := ada.get("/inbox").want(t, 200, `data-count="4"`, "Friend request", "Waits on", ">Jams<", "Quince", "Plum",
		"Story of <bdi>Ben</bdi>", "Soup on Sunday")
	if n := strings.Count(page.body, `class="card inbox-item"`); n != 4 {
		t.Errorf("%d entries are listed", n)
	}
	back := url.Values{"back": {"inbox"}, "next": {"inbox"}}
	approve := found(t, `(/list/[^"]+/approve)`, page.body)
	ada.post(approve, back).leads(t, `/inbox\?done=approved-item#inbox`)
	ada.post(approve, back).want(t, 422, "<h1>Inbox</h1>", "no longer waits")
	ada.post(found(t, `(/list/[^"]+/reject)`, ada.get("/inbox").body), back).leads(t, `/inbox\?done=rejected-item#inbox`)
	ada.post("/people/"+w.cast.Ben.ID+"/friend", with(back, "act", "accept")).leads(t, `/inbox\?done=friends#inbox`)
	seen := found(t, `(/stories/[^"]+/seen)`, ada.get("/inbox").want(t, 200, `data-count="1"`).body)
	ada.get("/stories").want(t, 200, ">new<")
	ada.get("/stories").want(t, 200).lacks(t, ">new<")
	ada.get("/inbox").want(t, 200, "All done", `data-count="0" hidden`)
	ada.post(seen, back).leads(t, `/inbox\?done=seen#inbox`)

	report := w.report(w.cast.Cleo)
	ada = w.administrator()
	page = ada.get("/inbox").want(t, 200, "Feedback of <bdi>Ben</bdi>", "More soup", "Report about <bdi>"+w.cast.Cleo.Name, "As it was",
		`data-count="2"`, `<span>2</span><span class="sr"> open reports and feedback`)
	ada.post(found(t, `(/admin/feedback/[^"]+/done)`, page.body), back).leads(t, `/inbox\?done=finished#inbox`)
	ada.post("/admin/reports/"+report, with(back, "outcome", "dismissed")).leads(t, `/inbox\?done=decided#inbox`)
	ada.get("/inbox/count").want(t, 200, `data-count="0" hidden`, `id="admin-count" hidden`)
}

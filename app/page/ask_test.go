package page_test

import (
	"net/url"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A search that was paused and has expired meanwhile has ended, and can be published
// again.
func TestPausedAskThatEnded(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	ada.post("/asks/new", url.Values{"step": {"draft"}, "kind": {"ask"}, "terms": {"a ladder to borrow"}, "id": {store.NewID()}}).leads(t, `/drafts\?done=kept`)
	draft := found(t, `/drafts/([0-9a-f-]{36})/publish`, ada.get("/drafts").body)
	form := url.Values{"search": {"yes"}, "who": {"everybody"}, "until": {"7d"}}
	ada.post("/drafts/"+draft+"/publish", ada.post("/drafts/"+draft+"/preview", form).want(t, 200).hidden(t)).leads(t, `/asks\?done=published-ask`)
	own, err := w.social.ListStories.Call(t.Context(), storetest.Human(w.cast.Ada), core.None{})
	if err != nil {
		t.Fatal(err)
	}
	ada.post("/stories/"+own.Stories[0].ID, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused.*`)
	ada.get("/asks").want(t, 200, "Paused", `value="resume"`, "/withdraw").lacks(t, "1 ended")
	w.db.Clock.Advance(8 * 24 * time.Hour)
	ada = w.as(w.cast.Ada)
	ada.get("/asks").want(t, 200, "1 ended", "nobody is matched with it any more", ">Publish again<").lacks(t, "Paused", `value="resume"`, "/withdraw")
	again := "/asks/new?again=" + found(t, `href="/asks/new\?again=([0-9a-f-]{36})`, ada.get("/asks").body)
	ada.get(again).want(t, 200, "a ladder to borrow").lacks(t, "takes the place")
}

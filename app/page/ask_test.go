package page_test

import (
	"net/url"
	"testing"
	"time"

	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// pausedSearch publishes a search alone for Ada, for a week, pauses it, and returns where
// it is changed.
func (b *browser) pausedSearch() string {
	b.w.t.Helper()
	b.post("/asks/new", url.Values{"step": {"draft"}, "kind": {"ask"}, "terms": {"a ladder to borrow"}, "id": {store.NewID()}}).leads(b.w.t,
		`/drafts\?done=kept`)
	draft := found(b.w.t, `/drafts/([0-9a-f-]{36})/publish`, b.get("/drafts").body)
	form := url.Values{"search": {"yes"}, "who": {"everybody"}, "until": {"7d"}}
	b.post("/drafts/"+draft+"/publish", b.post("/drafts/"+draft+"/preview", form).want(b.w.t, 200).hidden(b.w.t)).leads(b.w.t,
		`/asks\?done=published-ask`)
	own, err := b.w.social.ListStories.Call(b.w.t.Context(), storetest.Human(b.w.cast.Ada), social.ListStoriesIn{})
	if err != nil {
		b.w.t.Fatal(err)
	}
	at := "/stories/" + own.Stories[0].ID
	b.post(at, url.Values{"act": {"pause"}}).leads(b.w.t, `/stories\?done=paused.*`)
	return at
}

// A search that was paused and has expired meanwhile has ended, and can be published
// again.
func TestPausedAskThatEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	ada.pausedSearch()
	ada.get("/asks").want(t, 200, "Paused", `value="resume"`, "/withdraw").lacks(t, "1 ended")
	w.db.Clock.Advance(8 * 24 * time.Hour)
	ada = w.as(w.cast.Ada)
	ada.get("/asks").want(t, 200, "1 ended", "nobody is matched with it any more", ">Publish again<").lacks(t, "Paused", `value="resume"`,
		"/withdraw")
	again := "/asks/new?again=" + found(t, `href="/asks/new\?again=([0-9a-f-]{36})`, ada.get("/asks").body)
	ada.get(again).want(t, 200, "a ladder to borrow").lacks(t, "takes the place")
}

// A search that ended meanwhile cannot be resumed, which the page says that has it.
func TestResumeOfAnAskThatEnded(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.pausedSearch()
	w.db.Clock.Advance(8 * 24 * time.Hour)
	ada = w.as(w.cast.Ada)
	ada.post(at, url.Values{"act": {"resume"}, "back": {"asks"}}).want(t, 422, "<h1>Asks &amp; offers</h1>", `role="alert"`,
		"It has ended meanwhile, so it cannot be resumed. Publish it again instead.").lacks(t, "storyExpiresAt")
}

// The answer to a match that does not exist any more leads back to where it was given.
func TestMatchIsGone(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	gone := "/matches/" + store.NewID()
	for _, decision := range []string{"approve", "decline"} {
		ada.post(gone, url.Values{"decision": {decision}}).want(t, 422, "<h1>Asks &amp; offers</h1>", `role="alert"`, "This match is gone.")
		ada.post(gone, url.Values{"decision": {decision}, "back": {"inbox"}}).want(t, 422, "<h1>Inbox</h1>", `id="inbox-error"`,
			"This match is gone.")
	}
	ada.post("/matches/x", url.Values{"decision": {"approve"}}).want(t, 404)
}

// Two asks can fit each other, if one of them brings what the other seeks: the pages do not
// say of either that it offers something.
func TestMatchOfTwoAsks(t *testing.T) {
	t.Parallel()
	for kind, in := range map[string][2]social.CreateIntentIn{
		"ask":   {{Terms: "somebody to walk my dog", Brings: []string{"a ladder to borrow"}}, {Terms: "a ladder to borrow"}},
		"offer": {{Terms: "walks for a dog", Seeks: []string{"a ladder to borrow"}}, {Terms: "a ladder to borrow"}},
	} {
		w := newWorld(t)
		for n, u := range []store.User{w.cast.Ada, w.cast.Ben} {
			in[n].Kind, in[n].Confirm = kind, new(true)
			if _, err := w.social.CreateIntent.Call(t.Context(), storetest.Human(u), in[n]); err != nil {
				t.Fatal(err)
			}
		}
		ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
		const why = "One of you has what the other looks for."
		page := ada.get("/asks").want(t, 200, "You "+kind, "Someone "+kind+"s", why)
		ben.get("/inbox").want(t, 200, why)
		approve, match := url.Values{"decision": {"approve"}}, found(t, `action="(/matches/[0-9a-f-]{36})"`, page.body)
		ada.post(match, approve).leads(t, `/asks\?done=approved`)
		to := ben.post(match, approve).leads(t, "/chat/[0-9a-f-]{36}")
		ben.get(to).want(t, 200, `"side-label">One of you<`, in[0].Terms, `"side-label">The other<`, in[1].Terms).lacks(t, "One of you asks",
			"The other offers")
	}
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	ada.publish("ask", "a ladder to borrow")
	ben.publish("offer", "a ladder to borrow")
	ada.get("/asks").want(t, 200, "Someone offers").lacks(t, "has what the other looks for")
}

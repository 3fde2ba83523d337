package page_test

import (
	"html"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// hidden returns the fields of the form of a preview, with the button that does
// it.
func (a answer) hidden(t *testing.T) url.Values {
	t.Helper()
	_, rest, ok := strings.Cut(mainPart(a.body), `<form class="form-end section"`)
	form, buttons, ok2 := strings.Cut(rest, "<button")
	if !ok || !ok2 {
		t.Fatalf("there is no form:\n%s", mainPart(a.body))
	}
	out := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(form, -1) {
		out.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	out.Set("step", found(t, `name="step" value="([a-z]+)"`, buttons))
	return out
}

// with returns a copy of a form with other values.
func with(form url.Values, pairs ...string) url.Values {
	form = maps.Clone(form)
	for i := 0; i+1 < len(pairs); i += 2 {
		form[pairs[i]] = []string{pairs[i+1]}
	}
	return form
}

// publish publishes an ask or an offer through its preview.
func (b *browser) publish(kind, terms string) {
	b.w.t.Helper()
	form := url.Values{"kind": {kind}, "terms": {terms}, "until": {"7d"}, "who": {"everybody"}}
	b.post("/asks/new", b.post("/asks/preview", form).want(b.w.t, 200).hidden(b.w.t)).leads(b.w.t, `/asks\?done=published-(ask|wait)`)
}

func TestAskForm(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	ada.get("/asks").want(t, 200, "Nothing open", "No match waits for you")
	ada.get("/asks/new?kind=offer").want(t, 200, `value="offer" checked`)
	form := url.Values{"kind": {"ask"}, "terms": {"  a ladder\nfor Saturday "}, "details": {"the old one broke"}, "until": {"7d"},
		"who": {"everybody"}}
	ada.post("/asks/preview", with(form, "terms", " ")).want(t, 422, `id="terms-error"`, "the old one broke", "The sentence")
	ada.post("/asks/preview", with(form, "who", "chosen")).want(t, 422, `id="audience-error"`, "Tick at least one", "the old one broke")
	ada.post("/asks/preview", with(form, "who", "chosen", "to", store.NewID()+" Nobody")).want(t, 422,
		"The audience has people or conversations that you do not know")
	ada.post("/asks/preview", with(form, "who", "chosen", "to", w.cast.Ada.ID+" Ada")).want(t, 422,
		"The audience names you. Leave yourself out", "the old one broke")
	ada.post("/asks/preview", with(form, "terms", "Ask Ada, ada@example.org")).want(t, 200, "Your name is in the text",
		"an address or a number")
	ada.post("/asks/preview", with(form, "terms", "call 0049 170 1234567")).want(t, 200, "an address or a number")
	chosen := ada.post("/asks/preview", with(form, "who", "chosen", "to", w.cast.Ben.ID+" Ben")).want(t, 200, "1 person:", "<bdi>Ben</bdi>")
	preview := ada.post("/asks/preview", form).want(t, 200, "Someone asks", "a ladder for Saturday", "Only you see", "the old one broke",
		"Everybody here")
	preview.lacks(t, "Your name is in the text")
	ada.get("/asks").want(t, 200, "Nothing open")

	ada.post("/asks/new", with(preview.hidden(t), "step", "edit")).want(t, 200, `value="ask" checked`, "the old one broke",
		`value="7d" selected`)
	ada.post("/asks/new", with(form, "step", "find", "q", "Cl")).want(t, 200, "Cléo", "the old one broke")
	ada.post("/asks/new", with(form, "step", "draft", "terms", " ")).want(t, 422, `id="terms-error"`)
	ada.post("/asks/new", with(form, "step", "draft")).leads(t, `/drafts\?done=kept`)
	ada.get("/drafts").want(t, 200, "a ladder for Saturday", "written by you")
	ada.post("/asks/new", preview.hidden(t)).leads(t, `/asks\?done=published-ask`)
	ada.post("/asks/new", chosen.hidden(t)).leads(t, `/asks\?done=published-ask`)
	page := ada.get("/asks?done=published-ask").want(t, 200, "Published.", "a ladder for Saturday", "Open, ", ">ends in 7 days<",
		"the old one broke")
	w.as(w.cast.Ben).get("/asks").want(t, 200, "Nothing open").lacks(t, "ladder", "broke")

	id := found(t, `action="/asks/([0-9a-f-]{36})/withdraw"`, page.body)
	w.as(w.cast.Ben).post("/asks/"+id+"/withdraw", nil).want(t, 404)
	ada.post("/asks/"+id+"/withdraw", nil).leads(t, `/asks\?done=withdrawn&at=`+id)
	ada.get("/asks?done=withdrawn&at="+id).want(t, 200, "Withdrawn", "1 ended", `<a class="btn btn-small" href="/asks/new?again=`+id+
		`">Publish it again`)
	ada.get("/asks?done=withdrawn&at=x").want(t, 200, "Withdrawn").lacks(t, "Publish it again<")
	ada.get("/asks/new?again="+id).want(t, 200, "a ladder for Saturday", `value="chosen" checked`)
	w.as(w.cast.Ben).get("/asks/new?again="+id).want(t, 200).lacks(t, "ladder for Saturday", "broke")
}

// What ends soon and is published again takes the place of the old one, which waits for
// no decision any more.
func TestAskAgain(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	for n, terms := range []string{"a ladder to borrow", "a short ladder to borrow"} {
		form := url.Values{"kind": {"ask"}, "terms": {"a ladder to borrow"}, "until": {"1d"}, "who": {"everybody"}}
		ada.post("/asks/new", ada.post("/asks/preview", form).want(t, 200).hidden(t)).leads(t, `/asks\?done=published-ask`)
		again := found(t, `href="/asks/new\?again=([0-9a-f-]{36})`, ada.get("/inbox").want(t, 200, "ends").body)
		ada.get("/asks/new?again="+again).want(t, 200, `name="again" value="`+again+`"`, "takes the place of the one that is open")
		form.Set("again", again)
		preview := ada.post("/asks/preview", with(form, "until", "30d", "terms", terms)).want(t, 200)
		ada.post("/asks/new", preview.hidden(t)).leads(t, `/asks\?done=published-ask`)
		ada.get("/inbox").want(t, 200, "All done")
		out, err := w.social.ListIntents.Call(t.Context(), storetest.Human(w.cast.Ada), social.ListIntentsIn{})
		if err != nil {
			t.Fatal(err)
		}
		open := 0
		for _, i := range out.Intents {
			if i.Status == "active" {
				open++
			}
		}
		if open != n+1 || out.Intents[0].Terms != terms {
			t.Errorf("%d are open: %+v", open, out.Intents)
		}
	}
}

// An ask or an offer for chosen people names them. Those who can still be chosen are
// ticked when it is published again.
func TestAskForChosenPeople(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	group := w.as(w.cast.Cleo).converse("Bakers", w.cast.Ada, w.cast.Ben)[len("/chat/"):]
	form := url.Values{"kind": {"ask"}, "terms": {"a ladder"}, "until": {"7d"}, "who": {"chosen"}, "to": {w.cast.Ben.ID + " Ben"},
		"in": {group}}
	ada.post("/asks/new", ada.post("/asks/preview", form).hidden(t)).leads(t, `/asks\?done=published-ask`)
	ada.publish("offer", "lemons")
	body := ada.get("/asks").want(t, 200, "Seen only by <b>2 people you chose</b>, if it fits: <bdi>Ben</bdi>, <bdi>Cléo 🌿</bdi>.").body
	if n := strings.Count(body, "you chose"); n != 1 {
		t.Errorf("%d are for chosen people", n)
	}
	id := found(t, `(?s)id="ask-([0-9a-f-]{36})"`, body[strings.LastIndex(body[:strings.Index(body, ">a ladder<")], "<li"):])
	ticked := []string{`value="` + group + `" checked`, `value="` + w.cast.Ben.ID + ` Ben" checked`, `value="chosen" checked`}
	ada.get("/asks/new?again="+id).want(t, 200, ticked...).lacks(t, "you chose before")
	ada.post("/asks/"+id+"/withdraw", nil).leads(t, `/asks\?done=withdrawn&at=`+id)
	ada.get("/asks").want(t, 200, "It was only for people you chose.").lacks(t, "Seen only by")
	ada.get("/asks/new?again="+id).want(t, 200, ticked...)

	ada.post("/asks/new", ada.post("/asks/preview", form).hidden(t)).leads(t, `/asks\?done=published-ask`)
	ada.post("/chat/"+group+"/leave", url.Values{"sure": {"yes"}}).leads(t, "/chat.done=left")
	ada.get("/asks/new?again="+id).want(t, 200, "Some people or groups you chose before", ticked[1]).lacks(t, group)
	ada.get("/asks").want(t, 200, "Seen only by <b>1 person you chose</b>, if it fits: <bdi>Ben</bdi>. "+
		"Some people you chose can no longer be named.")
	w.as(w.cast.Ben).get("/asks/new?again="+id).want(t, 200).lacks(t, "a ladder", group+`" checked`, "you chose before")
}

func storeTimeIn(w *world, d time.Duration) store.Time { return store.TimeOf(w.db.Clock.Now().Add(d)) }

func TestMatchPages(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	ada.publish("ask", "a ladder to borrow")
	ben.publish("offer", "a ladder to borrow, three metres")
	page := ada.get("/asks").want(t, 200, "You ask", "Someone offers", "three metres", "Until both of you say hello, they see your sentence",
		`id="inbox-count" data-count="1"`)
	page.lacks(t, "Ben", w.cast.Ben.ID)
	id := found(t, `action="/matches/([0-9a-f-]{36})"`, page.body)
	w.as(w.cast.Cleo).post("/matches/"+id, url.Values{"decision": {"approve"}}).want(t, 422, "This match is gone.")
	ada.post("/matches/"+id, url.Values{"decision": {"approve"}, "back": {"inbox"}}).leads(t, `/inbox\?done=approved`)
	ada.get("/asks").want(t, 200, "you said hello", "they see your sentence", `data-count="0" hidden`).lacks(t, `value="approve"`)
	ben.get("/asks").want(t, 200, "Someone asks", `value="approve"`).lacks(t, "said hello</span>", "Ada<")
	to := ben.post("/matches/"+id, url.Values{"decision": {"approve"}}).leads(t, "/chat/[0-9a-f-]{36}")
	ben.get(to).want(t, 200, "You were matched", "One of you asks", "a ladder to borrow", "The other offers", "three metres")
	ada.get("/chat").want(t, 200, `dir="auto">You were matched<`)
	ada.get("/asks").want(t, 200, "Both of you said hello", `href="`+to+`"`, "Ended with a connection")
	ada.post("/matches/"+id, url.Values{"decision": {"decline"}}).leads(t, to)

	ada.publish("ask", "a bicycle pump")
	ben.publish("offer", "a bicycle pump")
	id = found(t, `action="/matches/([0-9a-f-]{36})"`, ben.get("/asks").body)
	ben.post("/matches/"+id, url.Values{"decision": {"decline"}}).leads(t, `/asks\?done=match-declined`)
	ada.get("/asks").want(t, 200, "1 closed match", "this match is closed").lacks(t, "declined")
	ada.post("/matches/"+id, url.Values{"decision": {"approve"}}).leads(t, `/asks\?done=match-closed`)
}

// While matching is paused a match cannot be approved: that would close it. It can be
// declined, and the pages say why and what else a pause does.
func TestMatchWhilePaused(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	ada.publish("ask", "a ladder to borrow")
	ben.publish("offer", "a ladder to borrow")
	ada.get("/settings/matching").want(t, 200, "Matching is on", "it closes for good if the other person says hello meanwhile")
	ada.post("/settings/matching", url.Values{"paused": {"yes"}}).leads(t, `/settings/matching\?done=saved`)
	ada.get("/settings/matching").want(t, 200, "Matching is paused", "“Say hello” once you have resumed",
		"it closes for good if the other person says hello meanwhile")
	id := found(t, `action="/matches/([0-9a-f-]{36})"`, ada.get("/asks").body)
	const why = "Matching is paused. Resume it to connect."
	for _, path := range []string{"/asks", "/inbox"} {
		ada.get(path).want(t, 200, why, `href="/settings/matching"`, `value="decline"`).lacks(t, `value="approve"`, `data-key="a"`,
			"Then a conversation opens")
	}
	ask := url.Values{"kind": {"ask"}, "terms": {"a tent"}, "until": {"7d"}, "who": {"everybody"}}
	ada.post("/asks/preview", ask).want(t, 200, "You have paused matching")
	ben.post("/asks/preview", ask).want(t, 200).lacks(t, "paused")
	approve := url.Values{"decision": {"approve"}}
	ada.post("/matches/"+id, approve).want(t, 422, why, "a ladder to borrow", `role="alert"`)
	ada.post("/matches/"+id, with(approve, "back", "inbox")).want(t, 422, why, "a ladder to borrow", `id="inbox-error"`)
	ben.get("/asks").want(t, 200, `value="approve"`).lacks(t, "paused")
	ada.post("/settings/matching", url.Values{"paused": {"no"}}).leads(t, `/settings/matching\?done=saved`)
	ada.get("/inbox").want(t, 200, `value="approve"`, `data-key="a"`).lacks(t, why)
	ada.post("/matches/"+id, approve).leads(t, `/asks\?done=approved`)

	ada.post("/settings/matching", url.Values{"paused": {"yes"}})
	ada.publish("ask", "a bicycle pump")
	ada.post("/settings/matching", url.Values{"paused": {"no"}})
	ben.publish("offer", "a bicycle pump")
	ada.post("/settings/matching", url.Values{"paused": {"yes"}})
	id = found(t, `action="/matches/([0-9a-f-]{36})"`, ada.get("/asks").want(t, 200, "you said hello").body)
	ada.post("/matches/"+id, url.Values{"decision": {"decline"}}).leads(t, `/asks\?done=match-declined`)
}

// A match cannot be approved while the person's own intent is paused, nor once that has
// expired: that would close it.
func TestMatchOfWhatIsPausedOrEnded(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	ada.post("/asks/new", url.Values{"step": {"draft"}, "kind": {"ask"}, "terms": {"a ladder to borrow"}, "id": {store.NewID()}}).leads(t,
		`/drafts\?done=kept`)
	draft := found(t, `/drafts/([0-9a-f-]{36})/publish`, ada.get("/drafts").body)
	form := url.Values{"search": {"yes"}, "who": {"everybody"}, "until": {"7d"}}
	ada.post("/drafts/"+draft+"/publish", ada.post("/drafts/"+draft+"/preview", form).want(t, 200).hidden(t)).leads(t,
		`/asks\?done=published-ask`)
	ben.publish("offer", "a ladder to borrow")
	own, err := w.social.ListStories.Call(t.Context(), storetest.Human(w.cast.Ada), social.ListStoriesIn{})
	if err != nil {
		t.Fatal(err)
	}
	search := "/stories/" + own.Stories[0].ID
	id := found(t, `action="/matches/([0-9a-f-]{36})"`, ada.get("/asks").want(t, 200, `value="approve"`).body)
	approve := url.Values{"decision": {"approve"}}
	refused := func(why string) {
		t.Helper()
		for _, path := range []string{"/asks", "/inbox"} {
			ada.get(path).want(t, 200, why, `value="decline"`).lacks(t, `value="approve"`, `data-key="a"`, "Then a conversation opens")
		}
		ada.post("/matches/"+id, approve).want(t, 422, why+" The match is as it was.", "a ladder to borrow")
	}
	ada.post(search, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused.*`)
	refused("Your ask is paused. Resume it to connect.")
	ada.post(search, url.Values{"act": {"resume"}, "back": {"asks"}}).leads(t, `/asks\?done=resumed-ask`)
	ada.get("/asks").want(t, 200, `value="approve"`).lacks(t, "paused", `value="resume"`)
	ben.post("/matches/"+id, approve).leads(t, `/asks\?done=approved`)

	w.db.Clock.Advance(8 * 24 * time.Hour)
	ada, ben = w.as(w.cast.Ada), w.as(w.cast.Ben)
	refused("Your ask has ended, so this cannot connect any more.")
	ben.get("/asks").want(t, 200, "you said hello", "Your offer has ended, so this cannot connect any more.").lacks(t, "To step back")
	ada.post("/matches/"+id, url.Values{"decision": {"decline"}}).leads(t, `/asks\?done=match-declined`)
}

// Dates and amounts tell nobody who wrote them; any name of a person does, and telephone
// numbers may.
func TestTellsWho(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	for terms, want := range map[string]bool{
		"chairs for 28.11.2026": false, "from 2026-11-28 on": false, "a course 2026 - 2027": false, "10 000 000 stamps": false,
		"call 0170 1234567": true, "+49 (170) 123-4567": true, "ask ben@example.org": true, "see https://ben.example": true,
		"28.11.2026, 0170 1234567": true,
	} {
		form := url.Values{"kind": {"ask"}, "terms": {terms}, "until": {"7d"}, "who": {"everybody"}}
		page := ada.post("/asks/preview", form).want(t, 200)
		if got := strings.Contains(page.body, "may tell who you are"); got != want {
			t.Errorf("%q is warned of: %t", terms, got)
		}
	}
}

// While matching is paused, the pages say that nothing is compared.
func TestAsksWhilePaused(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	ada.post("/settings/matching", url.Values{"paused": {"yes"}})
	ada.get("/asks").want(t, 200, "Nothing is compared with yours until you resume matching.").lacks(t, "is compared with yours; a match")
	form := url.Values{"kind": {"ask"}, "terms": {"a ladder"}, "until": {"7d"}, "who": {"everybody"}}
	ada.post("/asks/new", ada.post("/asks/preview", form).hidden(t)).leads(t, `/asks\?done=published-wait`)
	ada.get("/asks?done=published-wait").want(t, 200, "it is compared with nothing until you resume it")
}

// The form of a Story calls its fields what the page calls them, and its sentence is one.
func TestStoryForm(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	story := url.Values{"text": {"Soup"}, "until": {"7d"}, "to": {w.cast.Ben.ID + " Ben"}, "match": {"ask"},
		"terms": {"a ladder\nfor Saturday"}}
	ada.post("/stories/preview", with(story, "text", strings.Repeat("x", 2001))).want(t, 422, `id="text-error"`, "The Story must").lacks(t,
		"Status message")
	ada.post("/stories/preview", with(story, "terms", strings.Repeat("x", 501))).want(t, 422, `id="terms-error"`,
		"The sentence must be at most 500")
	ada.post("/stories/preview", story).want(t, 200, "a ladder for Saturday").lacks(t, "Looks for")
}

// One's own Story names its remaining audience when some people can no longer be named.
// It looks for a match as long as its search is open.
func TestOwnStorySays(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	story := url.Values{"text": {"Soup"}, "until": {"7d"}, "to": {w.cast.Ben.ID + " Ben", w.cast.Cleo.ID + " C"}, "match": {"ask"},
		"terms": {"a ladder"}}
	ada.post("/stories/new", ada.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	ada.get("/stories").want(t, 200, "also looks for a match", "2 people:").lacks(t, "no longer")
	own := "/stories/" + found(t, `action="/stories/([0-9a-f-]{36})"`, ada.get("/stories").body)
	ada.post(own, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused-search.*`)
	ada.get("/stories?done=paused-search&at="+own[len("/stories/"):]).want(t, 200, "Its search for a match goes on", "Undo")
	ada.post(own, url.Values{"act": {"resume"}}).leads(t, `/stories\?done=resumed.*`)
	block := func(u store.User) { w.as(u).post("/people/"+w.cast.Ada.ID+"/block", url.Values{"sure": {"yes"}}) }
	block(w.cast.Ben)
	ada.get("/stories").want(t, 200, "1 person:", "Some people you chose can no longer be named.")
	block(w.cast.Cleo)
	ada.get("/stories").want(t, 200, "Nobody can see it any more")
	ask := found(t, `action="/asks/([0-9a-f-]{36})/withdraw"`, ada.get("/asks").body)
	ada.post("/asks/"+ask+"/withdraw", nil).leads(t, `/asks\?done=withdrawn.*`)
	page := ada.get("/stories").want(t, 200, "Show for another week")
	page.lacks(t, "also looks for a match")
	at := "/stories/" + found(t, `action="/stories/([0-9a-f-]{36})"`, page.body)
	ada.post(at, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused&at=.*`)
	ada.get("/stories").want(t, 200, "Keep for another week").lacks(t, "Show for another week")
	ada.post(at, url.Values{"act": {"extend"}}).leads(t, `/stories\?done=extended-wait.*`)
}

// What was typed about a Story or a draft that is gone meanwhile can be copied.
func TestTypedIsShownWhenItsThingIsGone(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	story := url.Values{"text": {"Soup"}, "until": {"7d"}, "to": {w.cast.Ben.ID + " Ben"}}
	ada.post("/stories/new", ada.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	at := "/stories/" + found(t, `action="/stories/([0-9a-f-]{36})"`, ada.get("/stories").body)
	ada.post(at, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused.*`)
	for _, path := range []string{"/reply", "/reply/preview"} {
		ben.post(at+path, url.Values{"message": {"I bring bread"}}).want(t, 404, "What you wrote", "I bring bread").lacks(t, "Soup")
	}
	ada.post("/asks/new", url.Values{"step": {"draft"}, "kind": {"ask"}, "terms": {"a tent"}, "id": {store.NewID()}}).leads(t,
		`/drafts\?done=kept`)
	draft := "/drafts/" + found(t, `/drafts/([0-9a-f-]{36})/publish`, ada.get("/drafts").body)
	ada.post(draft+"/dismiss", nil).leads(t, `/drafts\?done=dismissed.*`)
	ada.post(draft, url.Values{"goal": {"camping"}, "seeks": {"a big tent"}}).want(t, 404, "camping", "a big tent")
}

// lastsAWeek is longer than the inbox window.
const lastsAWeek = 7 * 24 * time.Hour

// agent is a viewer of a key of an account.
func (w *world) agent(u store.User) store.Viewer {
	w.t.Helper()
	v := storetest.Human(u)
	v.Kind, v.AgentName, v.CanRead, v.CanWrite = store.Agent, "Crumb", true, true
	err := w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		k, err := tx.InsertKey(store.Key{ID: store.NewID(), UserID: u.ID, Kind: "agent", Name: "Kitchen key", AgentName: "Crumb",
			Prefix: "oc_12345678", Hash: store.NewID(), CanRead: true, CanWrite: true})
		v.KeyID = k.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

func TestDraftPages(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	ada.get("/drafts").want(t, 200, "No drafts")
	sure := 0.7
	made, err := w.social.CreateDraft.Call(t.Context(), w.agent(w.cast.Ada), social.CreateDraftIn{
		Goal: "Clean the gutters", Seeks: []string{"a ladder"}, Details: "before the rain", Source: "Ben: they are full", Confidence: &sure})
	if err != nil {
		t.Fatal(err)
	}
	at := "/drafts/" + made.Draft.ID
	ada.get("/drafts").want(t, 200, "written by your agent <bdi>Crumb</bdi>", "fairly sure", "a ladder", "before the rain",
		"Ben: they are full")
	ben.get("/drafts").want(t, 200, "No drafts")
	ben.get(at).want(t, 404)
	ben.post(at+"/dismiss", nil).want(t, 404)
	ben.get(at+"/publish").want(t, 404)
	ada.get(at).want(t, 200, "before the rain", "a ladder")
	form := url.Values{"goal": {""}, "seeks": {" \n"}, "brings": {""}, "matchingMode": {"fulfillment"}, "details": {"x"}}
	ada.post(at, form).want(t, 422, `id="goal-error"`)
	ada.post(at, with(form, "seeks", "a ladder\n\ngloves ", "step", "publish")).leads(t, at+"/publish")

	ada.get(at+"/publish").want(t, 200, "gloves", "Look for a match", "agents of the people who see the Story")
	ada.post(at+"/preview", url.Values{"until": {"7d"}}).want(t, 422, "Choose at least one")
	how := url.Values{"search": {"yes"}, "who": {"everybody"}, "until": {"7d"}, "story": {"yes"}}
	ada.post(at+"/preview", how).want(t, 422, "Tick at least one")
	how.Set("to", w.cast.Ben.ID+" Ben")
	ada.post(at+"/preview", how).want(t, 422, "Write what the Story says")
	how.Set("text", "Gutters on Saturday")
	preview := ada.post(at+"/preview", how).want(t, 200, "1 person:", "<bdi>Ben</bdi>", "Gutters on Saturday", "a ladder, gloves",
		"Technical details", "draftId",
		"read this sentence too, <strong>with your name</strong>, and what is used to find a match, as long as")
	ada.post(at+"/preview", with(how, "who", "chosen")).want(t, 200,
		"The agents of the people who see the Story and can be matched read this sentence too")
	ada.post(at+"/preview", url.Values{"search": {"yes"}, "who": {"everybody"}, "until": {"7d"}}).want(t, 200, "Someone asks").lacks(t,
		"The agents of")
	ada.post(at+"/publish", with(preview.hidden(t), "text", "Something else")).want(t, 422, "Look at it again")
	ada.post(at+"/publish", with(preview.hidden(t), "step", "edit")).want(t, 200, "Gutters on Saturday")
	ada.post(at+"/publish", preview.hidden(t)).leads(t, `/stories\?done=story-shown`)
	ada.post(at+"/publish", preview.hidden(t)).leads(t, `/stories\?done=story-shown`)
	ada.post(at+"/publish", with(preview.hidden(t), "text", "Gutters on Sunday")).want(t, 404)
	ben.get("/stories").want(t, 200, "Gutters on Saturday", "Ada")
	ada.get("/drafts").want(t, 200, "No drafts")
}

// Whoever publishes a draft that has a goal alone says whether they look for it or offer
// it.
func TestDraftOfAGoal(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	for kind, shown := range map[string]string{"ask": "Someone asks", "offer": "Someone offers"} {
		made, err := w.social.CreateDraft.Call(t.Context(), w.agent(w.cast.Ada), social.CreateDraftIn{Goal: "A band"})
		if err != nil {
			t.Fatal(err)
		}
		at := "/drafts/" + made.Draft.ID
		ada.get(at+"/publish").want(t, 200, "something you look for, or something you offer?", `value="ask" required>`, `value="offer" required>`)
		how := url.Values{"search": {"yes"}, "who": {"everybody"}, "until": {"7d"}}
		ada.post(at+"/preview", how).want(t, 422, "Choose whether you look for this or offer it.")
		preview := ada.post(at+"/preview", with(how, "kind", kind)).want(t, 200, shown)
		ada.post(at+"/publish", with(preview.hidden(t), "step", "edit")).want(t, 200, `value="`+kind+`" required checked>`)
		ada.post(at+"/publish", preview.hidden(t)).leads(t, `/asks\?done=published-ask`)
	}
	out, err := w.social.ListIntents.Call(t.Context(), storetest.Human(w.cast.Ada), social.ListIntentsIn{})
	if err != nil || len(out.Intents) != 2 || out.Intents[0].Kind == out.Intents[1].Kind {
		t.Errorf("%+v, %v", out, err)
	}
	made, err := w.social.CreateDraft.Call(t.Context(), w.agent(w.cast.Ada), social.CreateDraftIn{Goal: "A band", Brings: []string{"a room"}})
	if err != nil {
		t.Fatal(err)
	}
	ada.get("/drafts/"+made.Draft.ID+"/publish").want(t, 200).lacks(t, "something you look for, or")
}

func TestStoryPages(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	group := ada.converse("Bakers", w.cast.Ben, w.cast.Cleo)
	ada.get("/stories").want(t, 200, "You have no Story", "No Stories for you")
	ada.get("/stories/new").want(t, 200, "Bakers", "Agents of the people you choose read it too, with your name").lacks(t, "(optional)")
	form := url.Values{"text": {"Soup on Sunday"}, "until": {"3d"}, "in": {group[len("/chat/"):]}}
	ada.post("/stories/preview", with(form, "text", "")).want(t, 422, `id="text-error"`)
	ada.post("/stories/preview", url.Values{"text": {"Soup on Sunday"}, "until": {"3d"}}).want(t, 422, "Tick at least one", "Soup on Sunday")
	ada.post("/stories/preview", with(form, "match", "ask")).want(t, 422, `id="terms-error"`)
	ada.post("/stories/preview", with(form, "match", "ask", "terms", "bowls")).want(t, 200, "Someone asks", "bowls", "Everybody here",
		"The agents of the people who see the Story read this sentence too, <strong>with your name</strong>, as long as the Story is shown and "+
			"the search is open.")
	preview := ada.post("/stories/preview", form).want(t, 200, "2 people:", "<bdi>Ben</bdi>", "Cléo", "Soup on Sunday")
	preview.lacks(t, "Someone asks")
	ada.post("/stories/new", with(preview.hidden(t), "step", "edit")).want(t, 200, "Soup on Sunday", `value="3d" selected`)
	ada.post("/stories/new", with(preview.hidden(t), "grant", "x")).want(t, 422, "Look at it again")
	ada.post("/stories/new", preview.hidden(t)).leads(t, `/stories\?done=story-shown`)
	at := "/stories/" + found(t, `action="/stories/([0-9a-f-]{36})"`, ada.get("/stories").want(t, 200, "2 people:", "shown").body)
	profile := ` href="/people/` + w.cast.Ada.ID + `"`
	ben.get("/stories").want(t, 200, "Soup on Sunday", at+"/reply", `<a class="face"`+profile, `<a class="profile"`+profile+`>Ada</a>`)
	w.as(w.cast.Stranger).get("/stories").want(t, 200).lacks(t, "Soup on Sunday")
	w.as(w.cast.Stranger).get(at+"/reply").want(t, 404)
	ada.get(at+"/reply").want(t, 404)

	ben.get(at+"/reply").want(t, 200, "Soup on Sunday")
	ben.post(at+"/reply/preview", url.Values{"message": {""}}).want(t, 422, `id="message-error"`)
	reply := ben.post(at+"/reply/preview", url.Values{"message": {"I come"}}).want(t, 200, "I come", "Send to Ada")
	ben.post(at+"/reply", with(reply.hidden(t), "message", "I do not come")).want(t, 422, "Look at it again")
	ben.get(ben.post(at+"/reply", reply.hidden(t)).leads(t, "/chat/[0-9a-f-]{36}")).want(t, 200, "I come")

	ben.post(at, url.Values{"act": {"pause"}}).want(t, 404)
	ada.post(at, url.Values{"act": {"?"}}).want(t, 422)
	ada.post(at, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused&at=.*`)
	ada.get("/stories").want(t, 200, "nobody sees it")
	ben.get("/stories").want(t, 200).lacks(t, "Soup on Sunday")
	ada.post(at, url.Values{"act": {"resume"}}).leads(t, `/stories\?done=resumed&at=.*`)
	ada.get("/inbox").want(t, 200, "Your Story", "Keep for another week")
	ada.post(at, url.Values{"act": {"extend"}, "back": {"inbox"}}).leads(t, `/inbox\?done=extended&at=.*`)
	ada.get("/inbox").want(t, 200, "All done")
	ada.post(at, url.Values{"act": {"withdraw"}}).leads(t, `/stories\?done=ended-story&at=.*`)
	ada.get("/stories").want(t, 200, "Ended by you")
	ada.post(at, url.Values{"act": {"resume"}}).want(t, 422, "withdrawn")
}

func TestMatchingSettings(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	const page = "/settings/matching"
	ada.get(page).want(t, 200, "Matching is on", `href="/asks"`)
	ada.post(page, url.Values{"paused": {"yes"}}).leads(t, page+`\?done=saved`)
	ada.get("/asks").want(t, 200, "Matching is paused")
	ada.publish("ask", "a ladder to borrow")
	ben.publish("offer", "a ladder to borrow")
	ben.get("/asks").want(t, 200, "No match waits")
	ada.post(page, url.Values{"mode": {"simple"}}).leads(t, page+`\?done=saved`)
	ada.get("/people").want(t, 200).lacks(t, `href="/asks"`, `href="/stories"`)
	ada.get(page).want(t, 200, "Matching is paused", "They are still there")
	ada.post(page, url.Values{"paused": {"no"}}).leads(t, page+`\?done=saved`)
	ada.get("/asks").want(t, 200, "Someone offers")
	ada.post(page, url.Values{"mode": {"other"}}).want(t, 422)
}

package page_test

import (
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

// What can be undone has a button for it right afterwards: a dismissed draft comes
// back once, as a new one, and what was done to a Story is done back.
func TestUndo(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	sure := 0.7
	made, err := w.social.CreateDraft.Call(t.Context(), w.agent(w.cast.Ada),
		social.CreateDraftIn{Seeks: []string{"a ladder"}, Details: "before the rain", Confidence: &sure})
	if err != nil {
		t.Fatal(err)
	}
	at := "/drafts/" + made.Draft.ID
	ada.post(at+"/restore", nil).want(t, 404)
	to := ada.post(at+"/dismiss", url.Values{"back": {"inbox"}, "next": {"inbox"}}).leads(t, `/inbox\?done=dismissed&at=`+made.Draft.ID+
		`#inbox`)
	ada.get(strings.TrimSuffix(to, "#inbox")).want(t, 200, "Draft dismissed.", `action="`+at+`/restore"`, `name="back" value="inbox"`,
		`form="undo"`)
	ben.post(at+"/restore", nil).want(t, 404)
	for range 2 {
		ada.post(at+"/restore", url.Values{"back": {"inbox"}}).leads(t, `/inbox\?done=restored-draft`)
	}
	ada.get("/drafts?done=restored-draft").want(t, 200, "The draft is back.", "written by your agent <bdi>Crumb</bdi>", "fairly sure",
		"before the rain").
		lacks(t, made.Draft.ID, "Undo")
	if n := strings.Count(ada.get("/drafts").body, `id="draft-`); n != 1 {
		t.Errorf("there are %d drafts", n)
	}
	ada.get(at).want(t, 404)

	story := url.Values{"text": {"Soup on Sunday"}, "until": {"1d"}, "to": {w.cast.Ben.ID + " Ben"}}
	ada.post("/stories/new", ada.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	body := ada.get("/stories").want(t, 200, ">ends in 24 hours<").body
	at = "/stories/" + found(t, `action="/stories/([0-9a-f-]{36})"`, body)
	extend := url.Values{"act": {"extend"}, "was": {found(t, `name="was" value="([^"]+)"`, body)}}
	to = ada.post(at, extend).leads(t, `/stories\?done=extended&at=.*&was=.*`)
	body = ada.get(to).want(t, 200, ">ends in 8 days<", "Undo").body
	undo := url.Values{"act": {"until"}, "expiresAt": {found(t, `name="expiresAt" value="([^"]+)"`, body)}}
	ben.post(at, undo).want(t, 404)
	later := undo["expiresAt"][0]
	for _, other := range []string{"2036-01-01T00:00:00Z", strings.Replace(later, "20", "21", 1)} { // as a link may say
		ada.post(at, with(undo, "expiresAt", other)).want(t, 422, "Nothing was undone", ">ends in 8 days<")
	}
	ada.post(at, undo).leads(t, `/stories\?done=undone&at=.*`)
	ada.get("/stories").want(t, 200, ">ends in 24 hours<")
	ada.post(at, undo).want(t, 422, "Nothing was undone")
	ada.post(at, url.Values{"act": {"until"}, "expiresAt": {"2020-01-01T00:00:00Z"}}).want(t, 422)
	to = ada.post(at, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused&at=.*`)
	ada.get(to).want(t, 200, `name="act" value="resume">`, "Undo")
}

// Another week is a week after the Story would end, and never less than it has. It
// is one week however often the button is pressed before the page is loaded again.
func TestAnotherWeek(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	story := url.Values{"text": {"Soup on Sunday"}, "until": {"30d"}, "to": {w.cast.Ben.ID + " Ben"}}
	ada.post("/stories/new", ada.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	body := ada.get("/stories").want(t, 200, ">ends in 30 days<", ">Show for another week<").body
	at := "/stories/" + found(t, `action="/stories/([0-9a-f-]{36})"`, body)
	extend := url.Values{"act": {"extend"}, "was": {found(t, `name="was" value="([^"]+)"`, body)}}
	for _, a := range ada.atOnce(at, extend) {
		a.leads(t, `/stories\?done=extended&at=.*&was=.*`)
	}
	ada.get("/stories").want(t, 200, ">ends in 37 days<")
	ada.post(at, url.Values{"act": {"extend"}, "was": {"9999-12-31T00:00:00Z"}}).want(t, 422, "before the year 10000")
	old := store.TimeOf(w.db.Clock.Now()).Add(time.Hour)
	ada.post(at, with(extend, "was", old.String())).leads(t, `/stories\?done=extended&at=.*`) // the page was not loaded again since
	ada.post(at, url.Values{"act": {"extend"}}).leads(t, `/stories\?done=extended&at=.*`)
	ada.get("/stories").want(t, 200, ">ends in 37 days<")
	w.as(w.cast.Ben).post(at, extend).want(t, 404)

	w.db.Clock.Advance(40 * 24 * time.Hour)
	ada = w.as(w.cast.Ada)
	ada.get("/stories").want(t, 200, "Ended", ">Show for another week<")
	ada.post(at, url.Values{"act": {"extend"}}).leads(t, `/stories\?done=extended&at=.*`)
	ada.get("/stories").want(t, 200, ">ends in 7 days<")
}

// The inbox says what ends, an ask, an offer or a Story, with its words, and its
// buttons change just that.
func TestWhatEndsSoon(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	for kind, terms := range map[string]string{"ask": "a ladder", "offer": "lemons"} {
		ask := url.Values{"kind": {kind}, "terms": {terms}, "until": {"1d"}, "who": {"everybody"}}
		ada.post("/asks/new", ada.post("/asks/preview", ask).hidden(t)).leads(t, `/asks\?done=published-ask`)
	}
	story := url.Values{"text": {"Soup on Sunday"}, "until": {"1d"}, "to": {w.cast.Ben.ID + " Ben"}, "match": {"ask"}, "terms": {"bowls"}}
	ada.post("/stories/new", ada.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	body := ada.get("/inbox").want(t, 200).body
	acts := map[string]string{}
	for what, words := range map[string][]string{"Your ask": {"a ladder", "bowls"}, "Your offer": {"lemons"},
		"Your Story": {"Soup on Sunday"}} {
		if n := strings.Count(body, what+" <time"); n != len(words) {
			t.Errorf("%d times %q", n, what)
		}
		for _, text := range words {
			acts[text] = found(t, `(?s)`+what+` <time(?:[^<]|<[^l])*?>`+text+`</p>.*?action="([^"]+)"`, body)
		}
	}
	if !strings.HasPrefix(acts["Soup on Sunday"], "/stories/") || !strings.HasPrefix(acts["bowls"], "/asks/") ||
		!strings.HasPrefix(acts["lemons"], "/asks/") {
		t.Errorf("the forms lead to %v", acts)
	}
	ada.get("/inbox").want(t, 200, `aria-label="Publish it again: lemons"`, `aria-label="Withdraw now: bowls"`,
		`aria-label="End now, for good: Soup on Sunday"`)
	ada.post(acts["bowls"], url.Values{"back": {"inbox"}}).leads(t, `/inbox\?done=withdrawn&at=.*`)
	ada.get("/inbox").want(t, 200, "Soup on Sunday").lacks(t, "bowls")
	ada.get("/stories").want(t, 200, "Soup on Sunday", "shown")
}

// The picker of an audience says how many people it reaches: the script asks for
// that alone, a button shows it with the form.
func TestPicked(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	group := ada.converse("Bakers", w.cast.Ben, w.cast.Cleo)[len("/chat/"):]
	form := url.Values{"text": {"Soup"}, "in": {group}}
	ada.post("/audience", form).want(t, 200, "2 people:", "<bdi>Ben</bdi>").lacks(t, "<html", "Soup")
	ada.post("/audience", url.Values{"in": {group}, "to": {w.cast.Ben.ID + " Ben"}}).want(t, 200, "2 people:")
	ada.post("/audience", url.Values{"to": {w.cast.Ben.ID + " Ben"}}).want(t, 200, "1 person:")
	ada.post("/audience", nil).want(t, 200, "Nobody is ticked yet.")
	ada.post("/stories/new", with(form, "step", "find")).want(t, 200, "2 people:", "Soup", "Update")
	stranger := w.as(w.cast.Stranger)
	stranger.post("/audience", form).want(t, 200, "no longer be reached").lacks(t, "Ben", "people:")
	stranger.post("/audience", url.Values{"to": {store.NewID() + " Nobody"}}).want(t, 200, "no longer be reached").lacks(t, "Nobody")
}

// A request of an agent stops to count when it has expired.
func TestRequestsExpire(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := store.TimeOf(w.db.Clock.Now()).Add(lastsAWeek)
	in := social.PublishStoryIn{Confirm: new(false), Text: "Buns",
		Audience: &social.Audience{UserIDs: []string{w.cast.Ben.ID}, ConversationIDs: []string{}}, StoryExpiresAt: &at}
	for range 2 {
		if _, err := w.social.PublishStory.Call(t.Context(), w.agent(w.cast.Ada), in); err != nil {
			t.Fatal(err)
		}
		w.db.Clock.Advance(time.Minute)
	}
	ada.get("/inbox").want(t, 200, ">ends in 9 minutes<", `data-count="2" data-seconds="4`, "Buns")
	w.db.Clock.Advance(8*time.Minute + 30*time.Second)
	ada.get("/inbox/count").want(t, 200, `data-count="1" data-seconds="`)
	w.db.Clock.Advance(time.Minute)
	ada.get("/inbox/count").want(t, 200, `data-count="0" hidden`)
	ada.get("/inbox").want(t, 200, "All done").lacks(t, "Buns", "data-seconds")
}

// Each decision in the inbox leads to the item after it, the last one to the one
// before; a link cannot lead elsewhere.
func TestNextItem(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	var ids []string
	for _, goal := range []string{"one", "two"} {
		made, err := w.social.CreateDraft.Call(t.Context(), w.agent(w.cast.Ada), social.CreateDraftIn{Goal: goal})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, made.Draft.ID)
	}
	body := ada.get("/inbox").want(t, 200, "one", "two").body
	for id, next := range map[string]string{ids[0]: ids[1], ids[1]: ids[0]} {
		if got := found(t, `(?s)<li [^>]*id="i-draft-`+id+`".*?name="next" value="([^"]+)"`, body); got != "i-draft-"+next {
			t.Errorf("after %s comes %s", id, got)
		}
	}
	dismiss := url.Values{"back": {"inbox"}, "next": {"i-draft-" + ids[1]}}
	ada.post("/drafts/"+ids[0]+"/dismiss", dismiss).leads(t, `/inbox\?done=dismissed&at=`+ids[0]+`#i-draft-`+ids[1])
	if got := found(t, `name="next" value="([^"]+)"`, ada.get("/inbox").body); got != "inbox" {
		t.Errorf("after the only item comes %s", got)
	}
	ada.post("/drafts/"+ids[1]+"/dismiss", with(dismiss, "next", "//x.example/")).leads(t, `/inbox\?done=dismissed&at=`+ids[1])
}

// A refused form has what was typed: the input is wrong, the server is busy or
// full, there is too much of it, or the preview is too old.
func TestNothingTypedIsLost(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	made, err := w.social.CreateDraft.Call(t.Context(), w.agent(w.cast.Ada), social.CreateDraftIn{Goal: "two"})
	if err != nil {
		t.Fatal(err)
	}
	draft := "/drafts/" + made.Draft.ID
	story := url.Values{"text": {"Soup"}, "until": {"1d"}, "to": {w.cast.Ada.ID + " Ada"}}
	ben.post("/stories/new", ben.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	reply := "/stories/" + found(t, `/stories/([0-9a-f-]{36})/reply`, ada.get("/stories").body) + "/reply"

	const typed = "what I typed"
	ask := url.Values{"kind": {"offer"}, "terms": {typed}, "details": {typed + " too"}, "until": {"7d"}, "who": {"everybody"},
		"step": {"publish"}}
	forms := map[string]url.Values{
		"/asks/new": ask, "/stories/preview": {"text": {typed}, "until": {"1d"}, "to": {w.cast.Ben.ID + " Ben"}},
		draft: {"goal": {typed}, "matchingMode": {"fulfillment"}}, draft +
			"/preview": {"kind": {"ask"}, "story": {"yes"}, "text": {typed}, "until": {"1d"}, "to": {w.cast.Ben.ID + " Ben"}},
		reply + "/preview": {"message": {typed}},
	}
	for _, tc := range []struct {
		flag     *atomic.Bool
		status   int
		sentence string
	}{{&w.busy, 429, "Try again in a second"}, {&w.full, 422, "no storage left"}} {
		tc.flag.Store(true)
		for path, form := range forms {
			if path == draft {
				continue // an edit of what is there needs no storage
			}
			ada.post(path, form).want(t, tc.status, tc.sentence, typed)
		}
		tc.flag.Store(false)
	}
	ada.post("/asks/new", with(ask, "step", "draft")).leads(t, `/drafts\?done=kept`)
	for range 50 {
		ada.post("/asks/new", ask).leads(t, `/asks\?done=published-ask`)
	}
	ada.post("/asks/new", ask).want(t, 422, "which is the most", typed, typed+" too", `value="offer" checked`)
	ada.post("/stories/new", with(forms["/stories/preview"], "step", "publish", "grant", "x")).want(t, 422, "Look at it again", typed)
	ada.post(draft+"/publish", with(forms[draft+"/preview"], "step", "publish", "grant", "x")).want(t, 422, "Look at it again", typed)
	ada.post(reply, with(forms[reply+"/preview"], "step", "send", "grant", "x")).want(t, 422, "Look at it again", typed)
}

func TestReviewPage(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	agent := w.agent(w.cast.Ada)
	ada.get("/inbox").want(t, 200, "All done", `data-count="0" hidden`)
	at := store.TimeOf(w.db.Clock.Now()).Add(lastsAWeek)
	story := func(text string) social.PublishStoryIn {
		return social.PublishStoryIn{Confirm: new(false), Text: text,
			Audience: &social.Audience{UserIDs: []string{w.cast.Ben.ID}, ConversationIDs: []string{}}, StoryExpiresAt: &at}
	}
	ask := func(in social.PublishStoryIn) string {
		if _, err := w.social.PublishStory.Call(t.Context(), agent, in); err != nil {
			t.Fatal(err)
		}
		return "/inbox/requests/" + found(t, `action="/inbox/requests/([0-9a-f]{64})"`, ada.get("/inbox").body)
	}
	request := ask(story("Buns at six"))
	ada.get("/inbox").want(t, 200, "<bdi>Crumb</bdi> asks to publish a Story", "Kitchen key", "oc_12345678…", "Buns at six", "1 person:",
		"&#34;text&#34;: &#34;Buns at six&#34;", `data-count="1"`)
	ada.get("/inbox/count").want(t, 200, `data-count="1"`)
	ben.get("/inbox").want(t, 200, "All done")
	ben.post(request, url.Values{"decision": {"approve"}}).want(t, 422, "cannot be answered any more")
	ada.post(request, url.Values{"decision": {"?"}}).want(t, 422, "must be")
	ada.post(request, url.Values{"decision": {"refuse"}}).leads(t, `/inbox\?done=refused`)
	ada.post(request, url.Values{"decision": {"approve"}}).want(t, 422, "cannot be answered any more")
	ben.get("/stories").want(t, 200).lacks(t, "Buns")

	ada.post(ask(story("Buns at seven")), url.Values{"decision": {"approve"}}).leads(t, `/inbox\?done=request-done`)
	id := found(t, `/stories/([0-9a-f-]{36})/reply`, ben.get("/stories").want(t, 200, "Buns at seven").body)
	reply := social.RespondStoryIn{ID: id, Message: "keep me two", Confirm: new(false)}
	crumb := w.agent(w.cast.Ben)
	if _, err := w.social.RespondStory.Call(t.Context(), crumb, reply); err != nil {
		t.Fatal(err)
	}
	page := ben.get("/inbox").want(t, 200, "asks to answer a Story", "keep me two", "Buns at seven", "Ada")
	sent := ben.post("/inbox/requests/"+found(t, `requests/([0-9a-f]{64})`, page.body), url.Values{"decision": {"approve"}}).leads(t,
		`/inbox\?done=request-sent&at=.*`)
	ben.get(sent).want(t, 200, "It is sent.", "Open the conversation")
	ada.get(found(t, `href="(/chat/[0-9a-f-]{36})"`, ada.get("/chat").want(t, 200, "keep me two").body)).want(t, 200, "keep me two",
		"agent <bdi>Crumb</bdi>")

	// A draft that changed after its preview is not what was asked for.
	made, err := w.social.CreateDraft.Call(t.Context(), agent, social.CreateDraftIn{Seeks: []string{"flour"}})
	if err != nil {
		t.Fatal(err)
	}
	activate := func() string {
		in := social.ActivateDraftIn{ID: made.Draft.ID, Confirm: new(false), QuietSearch: &social.QuietSearch{Enabled: new(true), ExpiresAt: &at}}
		if _, err := w.social.ActivateDraft.Call(t.Context(), agent, in); err != nil {
			t.Fatal(err)
		}
		return "/inbox/requests/" + found(t, `action="/inbox/requests/([0-9a-f]{64})"`,
			ada.get("/inbox").want(t, 200, "asks to publish a draft", "flour").body)
	}
	request = activate()
	if _, err := w.social.UpdateDraft.Call(t.Context(), agent, social.UpdateDraftIn{ID: made.Draft.ID,
		Seeks: core.Some([]string{"rye flour"})}); err != nil {
		t.Fatal(err)
	}
	ada.get("/inbox").want(t, 200).lacks(t, "asks to publish a draft")
	ada.post(request, url.Values{"decision": {"approve"}}).want(t, 422, "has changed")
	ada.post(activate(), url.Values{"decision": {"approve"}}).leads(t, `/inbox\?done=request-done`)
	ada.get("/asks").want(t, 200, "rye flour", "Open, <", ">ends in ")
	ada.get("/drafts").want(t, 200, "No drafts")

	// A key that was revoked asks for nothing any more.
	ask(story("Buns at eight"))
	if err := w.db.Write(t.Context(), func(tx *store.Tx) error { return tx.RevokeKey(w.cast.Ada.ID, agent.KeyID) }); err != nil {
		t.Fatal(err)
	}
	ada.get("/inbox").want(t, 200, "All done", `data-count="0"`)
}

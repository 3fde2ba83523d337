package page_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"

	"hearth/app/social"
	"hearth/store"
)

// atOnce sends a form five times at the same moment, and once more.
func (b *browser) atOnce(path string, form url.Values) []answer {
	b.w.t.Helper()
	answers := make([]answer, 5, 6)
	var wg sync.WaitGroup
	for n := range answers {
		wg.Go(func() { answers[n] = b.post(path, form) })
	}
	wg.Wait()
	return append(answers, b.post(path, form))
}

// A form that is sent several times, such as by a double click or a reload, does
// what it does once, and each time leads to what it did.
func TestFormsThatAreRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	lead := func(answers []answer, pattern string) (to string) {
		t.Helper()
		for _, a := range answers {
			to = a.leads(t, pattern)
		}
		return to
	}
	count := func(who *browser, path, part string, want int) {
		t.Helper()
		if n := strings.Count(mainPart(who.get(path).body), part); n != want {
			t.Errorf("%s has %q %d times, want %d", path, part, n, want)
		}
	}
	ask := url.Values{"kind": {"ask"}, "terms": {"a ladder"}, "until": {"7d"}, "who": {"everybody"}}
	preview := ada.post("/asks/preview", ask).want(t, 200).hidden(t)
	lead(ada.atOnce("/asks/new", preview), `/asks\?done=published-ask`)
	count(ada, "/asks", `id="ask-`, 1)
	ada.post("/asks/new", ada.post("/asks/preview", ask).hidden(t)).leads(t, `/asks\?done=published-ask`) // it was looked at again
	count(ada, "/asks", `id="ask-`, 2)

	keep := with(ask, "step", "draft", "id", found(t, `name="id" value="([^"]+)"`, ada.get("/asks/new").body))
	lead(ada.atOnce("/asks/new", keep), `/drafts\?done=kept`)
	count(ada, "/drafts", `id="draft-`, 1)
	ada.post("/asks/new", with(keep, "terms", "gloves")).leads(t, `/drafts\?done=kept`) // a second draft, from the same page
	count(ada, "/drafts", `id="draft-`, 2)

	draft := "/drafts/" + found(t, `id="draft-([0-9a-f-]{36})"`, ada.get("/drafts").body)
	lead(ada.atOnce(draft+"/publish", ada.post(draft+"/preview", url.Values{"search": {"yes"}, "who": {"everybody"},
		"until": {"7d"}}).hidden(t)), `/asks\?done=published-ask`)
	count(ada, "/drafts", `id="draft-`, 1)
	count(ada, "/asks", `id="ask-`, 3)

	other := "/drafts/" + found(t, `id="draft-([0-9a-f-]{36})"`, ada.get("/drafts").body)
	lead(ada.atOnce(other+"/dismiss", nil), `/drafts\?done=dismissed&at=.*`)
	lead(ada.atOnce(other+"/restore", nil), `/drafts\?done=restored-draft`)
	count(ada, "/drafts", `id="draft-`, 1)

	story := url.Values{"text": {"Soup"}, "until": {"7d"}, "to": {w.cast.Ben.ID + " Ben"}}
	lead(ada.atOnce("/stories/new", ada.post("/stories/preview", story).hidden(t)), `/stories\?done=story-shown`)
	count(ada, "/stories", `id="story-`, 1)
	reply := "/stories/" + found(t, `/stories/([0-9a-f-]{36})/reply`, ben.get("/stories").body) + "/reply"
	to := lead(ben.atOnce(reply, ben.post(reply+"/preview", url.Values{"message": {"I come with bowls"}}).hidden(t)), "/chat/[0-9a-f-]{36}")
	count(ben, to, `>I come with bowls<`, 1)

	at := store.TimeOf(w.db.Clock.Now()).Add(lastsAWeek)
	in := social.PublishStoryIn{Confirm: new(false), Text: "Buns",
		Audience: &social.Audience{UserIDs: []string{w.cast.Ben.ID}, ConversationIDs: []string{}}, StoryExpiresAt: &at}
	if _, err := w.social.PublishStory.Call(t.Context(), w.agent(w.cast.Ada), in); err != nil {
		t.Fatal(err)
	}
	request := "/inbox/requests/" + found(t, `requests/([0-9a-f]{64})`, ada.get("/inbox").body)
	lead(ada.atOnce(request, url.Values{"decision": {"approve"}}), `/inbox\?done=request-done`)
	count(ada, "/stories", `id="story-`, 2)
	ada.post(request, url.Values{"decision": {"refuse"}}).want(t, 422, "cannot be answered any more")
}

// A form that makes an invitation makes one, and shows its link again when it is sent again.
func TestInvitationsThatAreRepeated(t *testing.T) {
	w := newWorld(t)
	b := w.claimed()
	for path, form := range map[string]url.Values{
		"/setup":       {"communityName": {"Mill Lane"}, "signup": {"invite"}},
		"/invitations": {"expiresInDays": {"7"}, "maxUses": {"25"}},
	} {
		made := map[string]bool{}
		shown := with(form, "id", found(t, `name="id" value="([^"]+)"`, b.get(path).body))
		for range 3 {
			made[found(t, `/join/([A-Za-z0-9_-]+)`, b.post(path, shown).want(t, 200).body)] = true
		}
		if len(made) != 1 {
			t.Errorf("%s: a form that is sent three times makes %d invitations", path, len(made))
		}
	}
}

// A draft with too many lines says how many it can have, and keeps what was typed.
func TestDraftWithManyLines(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	ada.post("/asks/new", url.Values{"step": {"draft"}, "kind": {"ask"}, "terms": {"a tent"}, "id": {store.NewID()}}).leads(t,
		`/drafts\?done=kept`)
	draft := "/drafts/" + found(t, `id="draft-([0-9a-f-]{36})"`, ada.get("/drafts").body)
	form := url.Values{"seeks": {strings.Repeat("a line\n", 21)}, "matchingMode": {"fulfillment"}}
	ada.post(draft, form).want(t, 422, "What you look for can have 20 lines, and has 21.", "a line")
	form.Set("seeks", strings.Repeat("a line\n", 20))
	ada.post(draft, form).leads(t, `/drafts\?done=draft`)
}

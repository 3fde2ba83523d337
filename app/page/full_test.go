package page_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// Forms that a full server refuses say why and keep what was typed. Deleting
// works.
func TestFullServer(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("Garden", w.cast.Ben, w.cast.Cleo)
	ada.post(at, url.Values{"id": {store.NewID()}, "content": {"Hello"}}).leads(t, at)
	message := idAfter(t, ada.get(at).body, `data-id="`)
	list := ada.post("/list/new", url.Values{"title": {"Tools"}, "visibility": {"private"}, "items": {"Saw\nAxe"}}).made(t)
	item := list + "/item/" + idAfter(t, ada.get(list).body, list+"/item/")
	ada.post("/thoughts", url.Values{"text": {"A thought"}}).leads(t, "/thoughts.*")
	thought := "/thoughts/" + idAfter(t, ada.get("/thoughts").body, "/thoughts/")
	ada.post("/settings/secretary/answers", url.Values{"question": {"Open?"}, "answer": {"Yes"}}).leads(t, "/settings/.*")
	answer := "/settings/secretary/answers/" + idAfter(t, ada.get("/settings/secretary").body, "/settings/secretary/answers/")

	made, err := w.social.CreateDraft.Call(t.Context(), storetest.Human(w.cast.Ada), social.CreateDraftIn{Goal: "Bread"})
	if err != nil {
		t.Fatal(err)
	}
	draft := "/drafts/" + made.Draft.ID
	until := storeTimeIn(w, lastsAWeek)
	if _, err := w.social.PublishStory.Call(t.Context(), w.agent(w.cast.Ada),
		social.PublishStoryIn{Confirm: new(false), Text: "Buns", Audience: &social.Audience{UserIDs: []string{w.cast.Ben.ID},
			ConversationIDs: []string{}}, StoryExpiresAt: &until}); err != nil {
		t.Fatal(err)
	}
	request := found(t, `action="(/inbox/requests/[0-9a-f]{64})"`, ada.get("/inbox").body)

	w.full.Store(true)
	const sentence, typed = "This server has no storage left", "what I typed"
	type fields = map[string]string
	for _, c := range []struct {
		path  string
		form  fields
		shown string // of what was typed
	}{
		{at, fields{"id": store.NewID(), "content": typed}, typed},
		{at + "/message/" + message, fields{"content": typed}, typed},
		{"/chat/new", fields{"to": w.cast.Ben.ID + " Ben", "title": typed}, typed},
		{at + "/stream", fields{"text": typed}, typed},
		{"/list/new", fields{"title": typed, "visibility": "private"}, typed},
		{list, fields{"content": typed}, typed},
		{item, fields{"content": typed}, typed},
		{item + "/move", fields{"position": "2"}, `value="2"`},
		{"/thoughts", fields{"text": typed}, typed},
		{thought, fields{"text": typed, "kind": "fact", "status": "none"}, typed},
		{thought + "/pin", fields{"conversationId": strings.TrimPrefix(at, "/chat/")}, "A thought</textarea>"},
		{"/settings/secretary/answers", fields{"question": typed, "answer": "No"}, typed},
		{answer, fields{"question": "Open?", "answer": typed}, typed},
		{"/settings/webhooks", fields{"url": "https://hooks.example/typed"}, "hooks.example/typed"},
		{request, fields{"decision": "approve"}, "Buns"},
		{"/feedback", fields{"message": typed}, typed},
	} {
		form := url.Values{}
		for name, value := range c.form {
			form.Set(name, value)
		}
		got := ada.post(c.path, form).want(t, 422, sentence, c.shown)
		if strings.Count(got.body, sentence) != 1 {
			t.Errorf("POST %s says why %d times", c.path, strings.Count(got.body, sentence))
		}
	}
	ada.send(at, url.Values{"id": {store.NewID()}, "content": {typed}}, map[string]string{"a.txt": "a"}).want(t, 422, sentence, typed)
	ada.send("/settings/picture", nil, map[string]string{"me.png": pngFile(t, 9, 9)}).want(t, 422, sentence)
	ada.send(at+"/picture", nil, map[string]string{"g.png": pngFile(t, 9, 9)}).want(t, 422, sentence)
	ada.post(at+"/message/"+message+"/react", url.Values{"add": {"👍"}}).want(t, 507, sentence)

	for path, form := range map[string]url.Values{
		at + "/message/" + message + "/delete": nil, item + "/delete": {"sure": {"yes"}}, thought + "/delete": {"sure": {"yes"}}, answer +
			"/delete": nil,
		draft + "/dismiss": nil, request: {"decision": {"refuse"}},
		"/settings/profile": {"discoveryMode": {"hidden"}}, list + "/edit": {"visibility": {"private"}},
	} {
		ada.post(path, form).leads(t, ".*")
	}
	ada.post(list+"/delete", url.Values{"sure": {"yes"}}).leads(t, "/.done=deleted")
	ada.get(at).want(t, 200, "Message deleted")
	ada.get("/inbox").want(t, 200, "All done")
}

// idAfter returns the first id after a text.
func idAfter(t *testing.T, body, before string) string {
	t.Helper()
	found := regexp.MustCompile(regexp.QuoteMeta(before) + `([0-9a-f-]{36})`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no id after %s in\n%s", before, mainPart(body))
	}
	return found[1]
}

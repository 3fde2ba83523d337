package page_test

import (
	"net/url"
	"testing"
	"time"

	"hearth/store"
)

// What cannot be done to a Story is said on the page of Stories, in words for people.
func TestStoryThatEndedMeanwhile(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	story := url.Values{"text": {"Soup"}, "until": {"7d"}, "to": {w.cast.Ben.ID + " Ben"}}
	ada.post("/stories/new", ada.post("/stories/preview", story).hidden(t)).leads(t, `/stories\?done=story-shown`)
	at := "/stories/" + found(t, `action="/stories/([0-9a-f-]{36})"`, ada.get("/stories").body)
	ada.post(at, url.Values{"act": {"pause"}}).leads(t, `/stories\?done=paused.*`)
	w.db.Clock.Advance(8 * 24 * time.Hour)
	ada = w.as(w.cast.Ada)
	const said = "It has ended meanwhile, so it cannot be shown again as it is. Show it for another week instead."
	ada.post(at, url.Values{"act": {"resume"}}).want(t, 422, "<h1>Stories</h1>", `role="alert"`, said, `<details class="section-list" open>`,
		">Show for another week<").lacks(t, "storyExpiresAt")
	ada.post(at, url.Values{"act": {"resume"}, "back": {"inbox"}}).want(t, 422, "<h1>Inbox</h1>", `id="inbox-error"`, said)
	ada.post(at, url.Values{"act": {"withdraw"}}).leads(t, `/stories\?done=ended-story.*`)
	ada.post(at, url.Values{"act": {"extend"}}).want(t, 422, "<h1>Stories</h1>", "This Story is withdrawn.")
	w.as(w.cast.Ben).post(at, url.Values{"act": {"resume"}}).want(t, 404)
}

// A person who is ticked and cannot be chosen any more is named, not numbered.
func TestTickedPersonIsGone(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	gone, left := store.NewID(), store.NewID()
	const said = "The audience has people or conversations that you do not know, or bots: "
	for path, form := range map[string]url.Values{
		"/stories/preview": {"text": {"Soup"}, "until": {"7d"}},
		"/asks/preview":    {"kind": {"ask"}, "terms": {"a ladder"}, "until": {"7d"}, "who": {"chosen"}},
	} {
		ada.post(path, with(form, "to", gone+" Tomás Ferreira")).want(t, 422, said+"Tomás Ferreira. Leave them out.",
			` Tomás Ferreira" checked`).lacks(t, ": "+gone)
		ada.post(path, with(form, "in", left)).want(t, 422, said+"a group that you are not in. Leave them out.").lacks(t, ": "+left)
	}
}

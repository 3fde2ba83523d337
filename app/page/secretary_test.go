package page_test

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestSecretaryPage(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	const page, answers = "/settings/secretary", "/settings/secretary/answers"
	ada.get(page).want(t, 200, "No answers yet", "Automatic answers are off", `value="yes">Turn on`)
	ada.post(answers, url.Values{"question": {"Where can I park?"}}).want(t, 422, "Where can I park?", `id="answer-error"`)
	ada.post(answers, url.Values{"question": {"Where can I park?"}, "answer": {"Behind <the> mill."}}).leads(t,
		`/settings/secretary\?done=added`)
	id := found(t, `action="/settings/secretary/answers/([0-9a-f-]{36})"`, ada.get(page).want(t, 200, "Behind &lt;the&gt; mill.").body)
	ada.post(page, url.Values{"enabled": {"yes"}}).leads(t, `/settings/secretary\?done=saved`)
	ada.get(page).want(t, 200, "Automatic answers are on", `value="no">Turn off`)
	ada.get(page+"?try=where+to+park").want(t, 200, "The reply to", "where to park")
	ada.get(page+"?try=good+morning").want(t, 200, "There is no reply to", "good morning")
	for range 18 {
		ada.get(page+"?try=good+morning").want(t, 200, "There is no reply to")
	}
	ada.get(page+"?try=good+morning").want(t, 200, `id="try-error"`, "Too many", "good morning", "Behind &lt;the&gt; mill.").lacks(t,
		"There is no reply to")
	w.db.Clock.Advance(3 * time.Second)
	ada.get(page+"?try=where+to+park").want(t, 200, "The reply to")
	ada.post(answers+"/"+id, url.Values{"question": {""}, "answer": {"x"}}).want(t, 422, `id="answer0-question-error"`)
	ada.post(answers+"/"+id, url.Values{"question": {"Where can I park?"}, "answer": {"At the canal."}}).leads(t,
		`/settings/secretary\?done=saved`)
	ada.get(page).want(t, 200, "At the canal.")
	w.as(w.cast.Ben).post(answers+"/"+id, url.Values{"question": {"x"}, "answer": {"x"}}).want(t, 404)
	w.as(w.cast.Ben).post(answers+"/"+id+"/delete", nil).want(t, 404)
	ada.post(answers+"/"+id+"/delete", nil).leads(t, `/settings/secretary\?done=deleted`)
	ada.get(page).want(t, 200, "No answers yet")
	w.guest().get(page).leads(t, "/login.*")
}

func TestBotsPage(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	const page = "/settings/api-keys"
	key := url.Values{"name": {"Watering"}, "kind": {"agent"}, "scopes": {"read", "write"}, "as": {"new"}, "bot.name": {"Gardener"}}
	ada.post(page, key).want(t, 201, "Your new key", "bot <bdi>Gardener</bdi>")
	body := ada.get(page).want(t, 200, "Gardener (bot)", "never used").body
	bot := found(t, `action="/settings/bots/([0-9a-f-]{36})"`, body)
	id := found(t, `action="/settings/api-keys/([0-9a-f-]{36})"`, body)
	key.Set("as", bot)
	ada.post(page, key).want(t, 201, "Your new key")
	ada.get(page+"/"+id+"/activity").want(t, 200, "has not been used", "Watering")
	w.as(w.cast.Ben).get(page+"/"+id+"/activity").want(t, 404)
	ada.post("/settings/bots/"+bot, url.Values{"name": {""}}).want(t, 422, `id="bot0-name-error"`)
	ada.post("/settings/bots/"+bot, url.Values{"name": {"Head gardener"}}).leads(t, `/settings/api-keys\?done=saved`)
	ada.get(page).want(t, 200, "Head gardener (bot)")
	w.as(w.cast.Ben).post("/settings/bots/"+bot+"/delete", url.Values{"sure": {"yes"}}).want(t, 404)
	ada.post("/settings/bots/"+bot+"/delete", nil).want(t, 422, "Tick the box")
	ada.post("/settings/bots/"+bot+"/delete", url.Values{"sure": {"yes"}}).leads(t, `/settings/api-keys\?done=deleted`)
	if body := ada.get(page).want(t, 200).body; strings.Contains(body, "ardener") {
		t.Errorf("the page still has the bot or its keys:\n%s", body)
	}
}

package page_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The secret and the token are shown once. Tests, changes and messages are in the
// log, without the words of the messages.
func TestWebhookPages(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	conversation := strings.TrimPrefix(ada.converse("", w.cast.Ben), "/chat/")
	ada.get("/settings/webhooks").want(t, 200, "No webhooks yet", `<option value="`+conversation+`">Ben</option>`)
	ada.post("/settings/webhooks", url.Values{"url": {"ftp://x"}, "conversationId": {conversation}}).
		want(t, 422, `id="url-error"`, `value="ftp://x"`, `<option value="`+conversation+`" selected>`)
	ada.post("/settings/webhooks", url.Values{"url": {"https://hooks.example/in"}, "secret": {"short"}}).want(t, 422, `id="secret-error"`, `value="short"`)
	made := ada.post("/settings/webhooks", url.Values{"url": {"https://hooks.example/in"}, "conversationId": {conversation}}).want(t, 201)
	secret, token := html.UnescapeString(found(t, `(whsec_[^<]{44})`, made.body)), found(t, `(wht_[A-Z2-7]{26})`, made.body)
	id := found(t, `/settings/webhooks/([0-9a-f-]{36})`, made.body)
	at := "/settings/webhooks/" + id

	ben.post("/chat/"+conversation, url.Values{"content": {"the oven is warm"}}).leads(t, ".*")
	ada.post(at+"/test", nil).leads(t, ".*done=tested")
	ada.get(at).want(t, 200, "Test, ", ">Message</a>", "waiting", "messages of <bdi>Ben</bdi>").lacks(t, "oven", secret, html.EscapeString(secret), token)
	ada.get("/settings/webhooks").want(t, 200, "https://hooks.example/in").lacks(t, secret, html.EscapeString(secret), token)
	ada.post(at, url.Values{"url": {"nowhere"}}).want(t, 422, `value="nowhere"`, `id="url-error"`)
	ada.post(at, url.Values{"url": {"https://hooks.example/moved"}}).leads(t, ".*done=saved")
	ada.post(at+"/disable", nil).leads(t, ".*done=disabled")
	ada.get(at).want(t, 200, "You disabled it.", "Enable", "https://hooks.example/moved")
	ada.post(at+"/enable", nil).leads(t, ".*done=enabled")
	for range 26 {
		w.db.Clock.Advance(6 * time.Second) // tests are limited
		ada.post(at+"/test", nil).leads(t, ".*done=tested")
	}
	res := ada.post(at+"/test", nil)
	for range 20 {
		if res.status == 303 {
			res = ada.post(at+"/test", nil)
		}
	}
	res.want(t, 422, `value="https://hooks.example/moved"`) // the form of the address is as it was
	older := html.UnescapeString(found(t, `href="(`+at+`\?before=[^"]*)"`, ada.get(at).body))
	ada.get(older).want(t, 200, ">Message</a>")

	ben.get(at).want(t, 404)
	for _, path := range []string{"", "/test", "/enable", "/disable"} {
		ben.post(at+path, url.Values{"url": {"https://hooks.example/ben"}}).want(t, 404)
	}
	ben.post(at+"/delete", url.Values{"sure": {"yes"}}).want(t, 404)
	ada.post(at+"/delete", nil).leads(t, at)
	ada.post(at+"/delete", url.Values{"sure": {"yes"}}).leads(t, ".*done=deleted")
	ada.get(at).want(t, 404)
}

// A bot that is not deleted keeps its name in the form beside the button.
func TestBotNotDeleted(t *testing.T) {
	ada := func() *browser { w := newWorld(t); return w.as(w.cast.Ada) }()
	ada.post("/settings/api-keys", url.Values{"name": {"Key"}, "scopes": {"read"}, "as": {"new"}, "bot.name": {"Pantry"}}).want(t, 201)
	at := found(t, `(/settings/bots/[0-9a-f-]{36}/delete)`, ada.get("/settings/api-keys").body)
	ada.post(at, nil).want(t, 422, "Tick the box to delete this bot.", `value="Pantry"`)
}

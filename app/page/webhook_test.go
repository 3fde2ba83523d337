package page_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"hearth/store"
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
	ada.post("/settings/webhooks", url.Values{"url": {"https://hooks.example/in"}, "secret": {"short"}}).want(t, 422, `id="secret-error"`,
		`value="short"`)
	made := ada.post("/settings/webhooks", url.Values{"url": {"https://hooks.example/in"}, "conversationId": {conversation}}).want(t, 201)
	secret, token := html.UnescapeString(found(t, `(whsec_[^<]{44})`, made.body)), found(t, `(wht_[A-Z2-7]{26})`, made.body)
	id := found(t, `/settings/webhooks/([0-9a-f-]{36})`, made.body)
	at := "/settings/webhooks/" + id

	ben.post("/chat/"+conversation, url.Values{"content": {"the oven is warm"}}).leads(t, ".*")
	ada.post(at+"/test", nil).leads(t, ".*done=tested")
	ada.get(at).want(t, 200, "Test, ", ">Message</a>", "waiting", "messages of <bdi>Ben</bdi>").lacks(t, "oven", secret,
		html.EscapeString(secret), token)
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
	res.want(t, 429, `value="https://hooks.example/moved"`) // the form of the address is as it was
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

// A webhook works once a delivery succeeded, not once one was attempted: a test
// that failed says nothing else about it.
func TestWebhookState(t *testing.T) {
	w := newWorld(t)
	ada, by := w.as(w.cast.Ada), store.Viewer{UserID: w.cast.Ada.ID}
	id := found(t, `/settings/webhooks/([0-9a-f-]{36})`, ada.post("/settings/webhooks",
		url.Values{"url": {"https://hooks.example/in"}}).want(t, 201).body)
	for _, a := range []store.Delivery{{Status: 500, Error: "The receiver answered 500.", Outcome: "failed"},
		{Status: 204, Outcome: "delivered"}} {
		ada.post("/settings/webhooks/"+id+"/test", nil).leads(t, ".*done=tested")
		if err := w.db.Write(t.Context(), func(tx *store.Tx) error {
			waiting, err := tx.Deliveries(by, id, 0, 1)
			if err == nil {
				a.WebhookID, a.At, a.Attempts = id, waiting[0].At, 1
				err = tx.RecordAttempt(a)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/settings/webhooks", "/settings/webhooks/" + id} {
			page := ada.get(path).want(t, 200, a.Outcome)
			if works := strings.Contains(page.body, ">works<"); works != (a.Outcome == "delivered") {
				t.Errorf("%s after a test that was %s: works is %t", path, a.Outcome, works)
			}
		}
	}
}

// The form of a bot with an uploaded picture changes its name and keeps the
// picture, unless it is to be removed.
func TestBotWithUploadedPicture(t *testing.T) {
	w := newWorld(t)
	ada, by := w.as(w.cast.Ada), store.Viewer{UserID: w.cast.Ada.ID}
	ada.post("/settings/api-keys", url.Values{"name": {"Key"}, "scopes": {"read"}, "as": {"new"}, "bot.name": {"Pantry"}}).want(t, 201)
	at := found(t, `(/settings/bots/[0-9a-f-]{36})/delete`, ada.get("/settings/api-keys").body)
	bot := func(change func(tx *store.Tx, u store.User) error) (u store.User) {
		if err := w.db.Write(t.Context(), func(tx *store.Tx) (err error) {
			if u, err = tx.OwnBot(by, strings.TrimPrefix(at, "/settings/bots/")); err == nil && change != nil {
				err = change(tx, u)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return u
	}
	const picture = "/api/pictures/00000000-0000-4000-8000-000000000001"
	bot(func(tx *store.Tx, u store.User) error {
		u.AvatarURL = picture
		_, err := tx.UpdateUser(u)
		return err
	})
	ada.get("/settings/api-keys").want(t, 200, "removePicture").lacks(t, `value="`+picture)
	ada.post(at, url.Values{"name": {"Larder"}, "avatarUrl": {""}}).leads(t, ".*done=saved")
	if u := bot(nil); u.Name != "Larder" || u.AvatarURL != picture {
		t.Errorf("after a new name: %q with the picture %q", u.Name, u.AvatarURL)
	}
	ada.post(at, url.Values{"name": {"Larder"}, "avatarUrl": {""}, "removePicture": {"yes"}}).leads(t, ".*done=saved")
	if u := bot(nil); u.AvatarURL != "" {
		t.Errorf("the picture that was removed: %q", u.AvatarURL)
	}
}

// A key whose expiry is not understood is not made: it would never expire.
func TestKeyExpiryOfForm(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	for _, days := range []string{"0", "-1", "5000", "soon"} {
		ada.post("/settings/api-keys", url.Values{"name": {"Key"}, "scopes": {"read"}, "days": {days}}).want(t, 422, `id="days-error"`)
	}
	ada.get("/settings/api-keys").want(t, 200, "No keys yet")
	ada.post("/settings/api-keys", url.Values{"name": {"Key"}, "scopes": {"read"}, "days": {"30"}}).want(t, 201, "expires")
}

// A bot that is not deleted keeps its name in the form beside the button.
func TestBotNotDeleted(t *testing.T) {
	ada := func() *browser { w := newWorld(t); return w.as(w.cast.Ada) }()
	ada.post("/settings/api-keys", url.Values{"name": {"Key"}, "scopes": {"read"}, "as": {"new"}, "bot.name": {"Pantry"}}).want(t, 201)
	at := found(t, `(/settings/bots/[0-9a-f-]{36}/delete)`, ada.get("/settings/api-keys").body)
	ada.post(at, nil).want(t, 422, "Tick the box to delete this bot.", `value="Pantry"`)
}

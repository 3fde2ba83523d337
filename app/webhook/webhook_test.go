package webhook

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
	_ "modernc.org/sqlite"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/queue"
	"hearth/store"
)

// A delivery has every field of the contract and both signatures, which a
// library of others verifies.
func TestDelivery(t *testing.T) {
	w := newWorld(t)
	r := w.receiver(nil)
	c := w.group(w.Ada, w.Ben)
	first := w.send(as(w.Ben), c, "Before the webhook")
	made := w.hook(w.Ada, r.URL+"/in?a=b", c)
	sent, err := w.chat.SendMessage.Call(w.ctx, as(w.Ben), chat.SendMessageIn{ConversationID: c, Content: "Is the <oven> warm? 🔥",
		ReplyToID: first.ID})
	if err != nil {
		t.Fatal(err)
	}
	w.start()
	d := w.status(w.Ada, made.ID, "delivered", 1)
	if len(r.all()) != 1 || len(w.log(w.Ada, made.ID)) != 1 {
		t.Fatalf("%d requests", len(r.all()))
	}
	got := r.all()[0]
	want := fmt.Sprintf(`{"event":"message.created","message":{"id":"%s","conversationId":"%s","senderId":"%s","senderName":"Ben",`+
		`"content":"Is the <oven> warm? 🔥","transcript":null,"messageType":"text","cardKind":null,"cardPayload":null,`+
		`"attachments":null,"replyToId":"%s","mentions":[],"viaSecretary":false,"createdAt":"%s"}}`,
		sent.ID, c, w.Ben.ID, first.ID, sent.CreatedAt)
	if string(got.body) != want {
		t.Errorf("the body is\n%s\nwant\n%s", got.body, want)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "X-Chat-Secret": made.Token, "User-Agent": "hearth/test",
		"Webhook-Id": d.ID, "Webhook-Timestamp": strconv.FormatInt(w.clock.Now().Unix(), 10)} {
		if got.header.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), value)
		}
	}
	verify(t, made.Secret, got)
	if *d.MessageID != sent.ID || *d.ConversationID != c || *d.ResponseStatus != 204 || d.Error != nil || d.DeliveredAt == nil ||
		d.NextAttemptAt != nil {
		t.Errorf("the log has %+v", d)
	}
	if last := w.webhook(w.Ada, made.ID).LastDelivery; last == nil || last.ID != d.ID {
		t.Errorf("the last delivery is %v", last)
	}
}

// verify verifies a request as a receiver does.
func verify(t *testing.T, secret string, got request) {
	t.Helper()
	lib, err := standard.NewWebhook(secret)
	if !strings.HasPrefix(secret, "whsec_") {
		lib, err = standard.NewWebhookRaw([]byte(secret))
	}
	if err == nil {
		err = lib.VerifyIgnoringTimestamp(got.body, got.header)
	}
	if err != nil {
		t.Error(err)
	}
	if err := lib.VerifyIgnoringTimestamp(append([]byte(" "), got.body...), got.header); err == nil {
		t.Error("another body verifies")
	}
}

// The vectors are computed with openssl:
//
//	printf '{"a":1}' | openssl dgst -sha256 -hmac 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'
//	printf 'msg_1.1773480413.{"a":1}' | openssl dgst -sha256 -hmac '012345678901234567890123' -binary | base64
func TestSignatures(t *testing.T) {
	for _, tc := range []struct{ secret, chat, standard string }{
		{"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", "c7bf0d2b0ed8eda3e749506f50b175fbcecf633c4472d8d0052a54230f597e34",
			"u0rhcYmbqbkm5pr2HO056HSGb/2T2oX/JQ2cwKR+st0="},
		{"012345678901234567890123", "eaf0db990a491eb6f0735012db6c6f0d75b3217569bff181648c4a6719fd1d49",
			"u0rhcYmbqbkm5pr2HO056HSGb/2T2oX/JQ2cwKR+st0="},
	} {
		h, err := header(store.Webhook{Secret: tc.secret, Token: "token"}, "msg_1", time.Unix(1773480413, 0), []byte(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Get("X-Chat-Signature"); got != "sha256="+tc.chat {
			t.Errorf("X-Chat-Signature for %s: %s", tc.secret, got)
		}
		if got := h.Get("webhook-signature"); got != "v1,"+tc.standard {
			t.Errorf("webhook-signature for %s: %s", tc.secret, got)
		}
		verify(t, tc.secret, request{header: h, body: []byte(`{"a":1}`)})
	}
	for _, bad := range []string{"whsec_short", "whsec_" + strings.Repeat("A", 200), "whsec_%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%",
		"a secret with\nbreak", "ein Geheimnis für dich"} {
		if _, err := chat.SigningKey(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// A test is sent once, also by a webhook that is disabled, and is in the log.
func TestOfWebhook(t *testing.T) {
	w := newWorld(t)
	r := w.receiver(nil)
	made := w.hook(w.Ada, r.URL, "")
	if _, err := w.chat.UpdateWebhook.Call(w.ctx, as(w.Ada), chat.UpdateWebhookIn{ID: made.ID, Enabled: core.Some(false)}); err != nil {
		t.Fatal(err)
	}
	w.start()
	if _, err := w.chat.TestWebhook.Call(w.ctx, as(w.Ada), core.ByID{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	w.status(w.Ada, made.ID, "delivered", 1)
	got := r.all()[0]
	if got.Message.SenderID != nil || got.Message.ID != "00000000-0000-4000-8000-000000000000" || got.Message.Content == "" ||
		got.Message.CreatedAt == nil {
		t.Errorf("got %s", got.body)
	}
	verify(t, made.Secret, got)
	r.mu.Lock()
	r.answer = always(500)
	r.mu.Unlock()
	if _, err := w.chat.TestWebhook.Call(w.ctx, as(w.Ada), core.ByID{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	w.status(w.Ada, made.ID, "failed", 1)
	if h := w.webhook(w.Ada, made.ID); h.FailingSince != nil {
		t.Error("a failed test counts as a failure")
	}
}

// A delivery is attempted eight times within 24 hours.
func TestRetries(t *testing.T) {
	w := newWorld(t)
	r := w.receiver(always(500))
	c := w.group(w.Ada, w.Ben)
	made := w.hook(w.Ada, r.URL, c)
	w.start()
	w.send(as(w.Ben), c, "hello")
	start := w.clock.Now()
	for n := 1; n < queue.MaxAttempts; n++ {
		d := w.status(w.Ada, made.ID, "waiting", n)
		wait := d.NextAttemptAt.Go().Sub(w.clock.Now())
		if most := queue.Delays()[n-1]; wait > most || wait < most*8/10-time.Millisecond {
			t.Errorf("after attempt %d it waits %v, not about %v", n, wait, most)
		}
		if *d.Error != "The receiver answered 500." || *d.ResponseStatus != 500 {
			t.Errorf("attempt %d: %v", n, d)
		}
		w.advance(wait - time.Second)
		w.advance(time.Second)
	}
	w.status(w.Ada, made.ID, "failed", queue.MaxAttempts)
	if took := w.clock.Now().Sub(start); took > 24*time.Hour || took < 18*time.Hour {
		t.Errorf("the attempts took %v", took)
	}
	ids := map[string]bool{}
	for _, g := range r.all() {
		ids[g.header.Get("webhook-id")] = true
		verify(t, made.Secret, g)
	}
	if len(r.all()) != queue.MaxAttempts || len(ids) != 1 {
		t.Errorf("%d attempts with %d ids", len(r.all()), len(ids))
	}
	h := w.webhook(w.Ada, made.ID)
	if h.FailingSince == nil || h.DisabledAt != nil {
		t.Errorf("after eight failures: %+v", h)
	}
	r.mu.Lock()
	r.answer = nil
	r.mu.Unlock()
	w.send(as(w.Ben), c, "again")
	w.status(w.Ada, made.ID, "delivered", 1)
	if h := w.webhook(w.Ada, made.ID); h.FailingSince != nil {
		t.Error("a success does not end a failure")
	}
	if made, failed := w.worker.Attempts(); made != 9 || failed != 8 {
		t.Errorf("%d attempts, %d failures", made, failed)
	}
}

// The messages of a conversation are delivered in order: while one waits for its
// next attempt, so do those after it. Other conversations go on.
func TestOrder(t *testing.T) {
	w := newWorld(t)
	r := w.receiver(func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			w.WriteHeader(503)
		}
	})
	a, b := w.group(w.Ada, w.Ben), w.group(w.Ada, w.Ben)
	made := w.hook(w.Ada, r.URL, "")
	w.start()
	w.send(as(w.Ben), a, "a1")
	w.status(w.Ada, made.ID, "waiting", 1)
	for _, m := range []string{"a2", "a3"} {
		w.send(as(w.Ben), a, m)
	}
	w.send(as(w.Ben), b, "b1")
	w.status(w.Ada, made.ID, "delivered", 1)
	if got := r.contents(); !slices.Equal(got, []string{"a1", "b1"}) {
		t.Fatalf("got %q", got)
	}
	w.advance(5 * time.Second)
	w.until("all", func() bool { return len(r.contents()) == 5 })
	if got := r.contents(); !slices.Equal(got, []string{"a1", "b1", "a1", "a2", "a3"}) {
		t.Errorf("got %q", got)
	}
	w.until("recorded", func() bool { return w.worker.Waiting() == 0 })
}

// 410 disables a webhook at once, with an event. What waits is skipped, and
// nothing is queued until it is enabled.
func TestGone(t *testing.T) {
	w := newWorld(t)
	r := w.receiver(always(http.StatusGone))
	c := w.group(w.Ada, w.Ben)
	made := w.hook(w.Ada, r.URL, c)
	w.send(as(w.Ben), c, "one")
	w.send(as(w.Ben), c, "two")
	w.start()
	two := w.status(w.Ada, made.ID, "skipped", 0)
	if *two.Error != store.SkipDisabled {
		t.Errorf("got %v", two)
	}
	h := w.webhook(w.Ada, made.ID)
	if h.DisabledAt == nil || *h.DisabledReason != "gone" || len(r.all()) != 1 {
		t.Errorf("%+v after %d attempts", h, len(r.all()))
	}
	if got := events(w, w.Ada.ID); !slices.Equal(got, []string{"webhook.updated", "webhook.updated"}) {
		t.Errorf("events %q", got)
	}
	w.send(as(w.Ben), c, "three")
	if n := len(w.log(w.Ada, made.ID)); n != 2 {
		t.Errorf("%d deliveries", n)
	}
	r.mu.Lock()
	r.answer = nil
	r.mu.Unlock()
	if _, err := w.chat.UpdateWebhook.Call(w.ctx, as(w.Ada), chat.UpdateWebhookIn{ID: made.ID, Enabled: core.Some(true)}); err != nil {
		t.Fatal(err)
	}
	w.send(as(w.Ben), c, "four")
	w.status(w.Ada, made.ID, "delivered", 1)
	if got := r.contents(); !slices.Equal(got, []string{"one", "four"}) {
		t.Errorf("got %q", got)
	}
}

func events(w *world, topic string) (kinds []string) {
	w.Helper()
	err := w.db.Read(w.ctx, func(r *store.Reader) error {
		all, err := r.EventsAfter(0, 1000)
		for _, e := range all {
			if e.Topic == topic {
				kinds = append(kinds, string(e.Kind))
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return kinds
}

// A webhook whose deliveries have failed for three days is disabled.
func TestDisabledWhenFailing(t *testing.T) {
	w := newWorld(t)
	r := w.receiver(always(404))
	c := w.group(w.Ada, w.Ben)
	made := w.hook(w.Ada, r.URL, c)
	w.start()
	for day := range 3 {
		w.send(as(w.Ben), c, "hello")
		w.status(w.Ada, made.ID, "waiting", 1)
		if h := w.webhook(w.Ada, made.ID); h.DisabledAt != nil {
			t.Fatalf("disabled on day %d", day)
		}
		w.advance(25 * time.Hour)
		w.status(w.Ada, made.ID, "failed", 2)
	}
	h := w.webhook(w.Ada, made.ID)
	if h.DisabledAt == nil || *h.DisabledReason != "failing" {
		t.Errorf("after three days: %+v", h)
	}
}

// Retry-After lengthens the wait, up to six hours; redirects are not followed.
func TestRetryAfter(t *testing.T) {
	w := newWorld(t)
	other := w.receiver(nil)
	for n, tc := range []struct {
		name, header, value string
		status              int
		least, most         time.Duration
	}{
		{"seconds", "Retry-After", "120", 429, 2 * time.Minute, 2 * time.Minute},
		{"date", "Retry-After", w.clock.Now().Add(time.Hour).Format(http.TimeFormat), 503, time.Hour - time.Second, time.Hour},
		{"shorter", "Retry-After", "1", 503, 4 * time.Second, 5 * time.Second},
		{"too long", "Retry-After", "99999999", 503, queue.MaxRetryAfter, queue.MaxRetryAfter},
		{"negative", "Retry-After", "-3", 503, 4 * time.Second, 5 * time.Second},
		{"nonsense", "Retry-After", "soon", 503, 4 * time.Second, 5 * time.Second},
		{"redirect", "Location", other.URL, 307, 4 * time.Second, 5 * time.Second},
	} {
		r := w.receiver(func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set(tc.header, tc.value)
			w.WriteHeader(tc.status)
		})
		c := w.group(w.Ada, w.Ben)
		made := w.hook(w.Ada, r.URL, c)
		w.send(as(w.Ben), c, "hello")
		if n == 0 {
			w.start()
		}
		d := w.status(w.Ada, made.ID, "waiting", 1)
		if wait := d.NextAttemptAt.Go().Sub(w.clock.Now()); wait < tc.least-time.Second || wait > tc.most+time.Millisecond ||
			*d.ResponseStatus != tc.status {
			t.Errorf("%s: waits %v after %d", tc.name, wait, *d.ResponseStatus)
		}
	}
	if len(other.all()) != 0 {
		t.Error("a redirect was followed")
	}
}

// A delivery that was to be attempted again is attempted soon after the clock was set
// back by a year, while the server runs or while it is stopped.
func TestRetriesWhenTheClockIsSetBack(t *testing.T) {
	for what, restart := range map[string]bool{"running": false, "stopped": true} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			r := w.receiver(func(rw http.ResponseWriter, _ *http.Request, n int) {
				if n == 1 {
					rw.WriteHeader(http.StatusInternalServerError)
				}
			})
			made := w.hook(w.Ada, r.URL, "")
			w.start()
			w.send(as(w.Ben), w.group(w.Ada, w.Ben), "x")
			w.status(w.Ada, made.ID, "waiting", 1)
			if restart {
				w.stop()
			}
			w.advance(-365 * 24 * time.Hour)
			if restart {
				w.restart()
			}
			w.status(w.Ada, made.ID, "delivered", 2)
		})
	}
}

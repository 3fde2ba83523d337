package page

import (
	"net/url"
	"time"

	"hearth/app/chat"
	"hearth/app/core"
)

func webhookSamples(m map[string]any, me func(title, here, layout string) Frame) {
	delivery := func(state, url string, attempts int, after time.Duration) deliveryView {
		return deliveryView{State: state, URL: url, Delivery: chat.Delivery{Attempts: attempts, CreatedAt: sampleTime(after)}}
	}
	sent := delivery("delivered", "/chat/x#m-y", 1, 0)
	sent.ResponseStatus, sent.TookMs = new(204), new(84)
	retrying := delivery("retrying", "/chat/x#m-y", 3, -time.Hour)
	retrying.ResponseStatus, retrying.Error = new(503), new("The receiver answered 503.")
	retrying.TookMs, retrying.NextAttemptAt = new(312), new(sampleTime(time.Hour))
	failed1 := delivery("failed", "/chat/x#m-y", 8, -50*time.Hour)
	failed1.Error, failed1.TookMs = new("The receiver did not answer within 10 seconds."), new(10000)
	skipped := delivery("skipped", "/chat/x#m-y", 0, -51*time.Hour)
	skipped.Error = new("The message was deleted.")
	test := delivery("waiting", "", 0, time.Minute)
	works := webhookView{Webhook: chat.Webhook{ID: sampleID(90), URL: "https://bot.example.org/hooks/sunday-table",
		CreatedAt: sampleTime(-99 * time.Hour)}, Conversation: "Sunday table", Last: &sent}
	failing := webhookView{Webhook: chat.Webhook{ID: sampleID(91), URL: "https://pantry.example/in", CreatedAt: sampleTime(-999 * time.Hour),
		FailingSince: new(sampleTime(-50 * time.Hour))}, Last: &retrying}
	gone := webhookView{Webhook: chat.Webhook{ID: sampleID(92), CreatedAt: sampleTime(-1999 * time.Hour),
		URL: "https://a.very.long.name.of.a.receiver.example/with/a/path/that/goes/on?and=on&and=on&and=on"},
		Conversation: "جَميل الحسن", Disabled: disabledText("gone"), Last: &failed1}
	form := failed(url.Values{"url": {"http://10.0.0.1/"}, "conversationId": {sampleID(40)}},
		core.InvalidField("url", "url must be on the public internet."), "url")
	m["settings_webhooks"] = webhooksView{Frame: me("Webhooks", "settings/webhooks", ""),
		Webhooks: []webhookView{works, failing, gone}, Form: form,
		Conversation: Field{ID: "conversationId", Name: "conversationId", Label: "Messages of", Value: sampleID(40),
			Options: []Choice{{"", "All of your conversations"}, {sampleID(40), "Sunday table"}}},
		Created: &chat.NewWebhook{Webhook: works.Webhook, Secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
			Token: "wht_JTZSK7ENGKXP3UGQ23T27N7G4A"}}
	m["settings_webhook"] = webhookPageView{Frame: me("Webhook", "settings/webhooks", ""), Webhook: failing,
		Form:       newForm("url", failing.URL),
		Deliveries: []deliveryView{test, sent, retrying, failed1, skipped}, Next: "/settings/webhooks/x?before=2026"}
}

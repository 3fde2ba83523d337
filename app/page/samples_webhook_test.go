package page

import (
	"net/url"
	"time"

	"hearth/app/core"
)

func webhookSamples(m map[string]any, me func(title, here, layout string) Frame) {
	sent := deliveryView{State: "delivered", URL: "/chat/x#m-y", Attempts: 1, Response: 204, TookMs: 84, CreatedAt: sampleTime(0)}
	retrying := deliveryView{State: "retrying", URL: "/chat/x#m-y", Attempts: 3, Response: 503, Error: "The receiver answered 503.",
		TookMs: 312, CreatedAt: sampleTime(-time.Hour), NextAt: sampleTime(time.Hour)}
	failed1 := deliveryView{State: "failed", URL: "/chat/x#m-y", Attempts: 8, Error: "The receiver did not answer within 10 seconds.",
		TookMs: 10000, CreatedAt: sampleTime(-50 * time.Hour)}
	skipped := deliveryView{State: "skipped", URL: "/chat/x#m-y", Error: "The message was deleted.", CreatedAt: sampleTime(-51 * time.Hour)}
	test := deliveryView{State: "waiting", Test: true, CreatedAt: sampleTime(time.Minute), NextAt: sampleTime(time.Minute)}
	works := webhookView{ID: sampleID(90), URL: "https://bot.example.org/hooks/sunday-table", Conversation: "Sunday table",
		CreatedAt: sampleTime(-99 * time.Hour), Last: &sent}
	failing := webhookView{ID: sampleID(91), URL: "https://pantry.example/in", CreatedAt: sampleTime(-999 * time.Hour),
		FailingSince: sampleTime(-50 * time.Hour), Last: &retrying}
	gone := webhookView{ID: sampleID(92), URL: "https://a.very.long.name.of.a.receiver.example/with/a/path/that/goes/on?and=on&and=on&and=on",
		Conversation: "جَميل الحسن", CreatedAt: sampleTime(-1999 * time.Hour), Disabled: disabledText("gone"), Last: &failed1}
	form := failed(url.Values{"url": {"http://10.0.0.1/"}, "conversationId": {sampleID(40)}},
		core.InvalidField("url", "url must be on the public internet."), "url")
	m["settings_webhooks"] = webhooksView{Frame: me("Webhooks", "settings", ""), Tab: "webhooks",
		Webhooks: []webhookView{works, failing, gone}, Form: form,
		Conversation: Field{ID: "conversationId", Name: "conversationId", Label: "Messages of", Value: sampleID(40),
			Options: []Choice{{"", "All of your conversations"}, {sampleID(40), "Sunday table"}}},
		Created: &newWebhookView{URL: works.URL, Secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
			Token: "wht_JTZSK7ENGKXP3UGQ23T27N7G4A"}}
	m["settings_webhook"] = webhookPageView{Frame: me("Webhook", "settings", ""), Tab: "webhooks", Webhook: failing,
		Form:       newForm("url", failing.URL),
		Deliveries: []deliveryView{test, sent, retrying, failed1, skipped}, Next: "/settings/webhooks/x?before=2026"}
}

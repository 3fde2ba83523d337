package page

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"

	"hearth/app/chat"
	"hearth/app/core"
)

type webhookView struct {
	chat.Webhook
	Conversation string // conversation name; "" for all
	Disabled     string // the reason as a sentence; "" if enabled
	Last         *deliveryView
}

type deliveryView struct {
	chat.Delivery
	State string // waiting, retrying, delivered, failed, skipped
	URL   string // of the message; "" for a test
}

type webhooksView struct {
	Frame
	Webhooks     []webhookView
	Form         Form
	Conversation Field // the choice of a conversation
	Created      *chat.NewWebhook
}

type webhookPageView struct {
	Frame
	Webhook    webhookView
	Form       Form
	Deliveries []deliveryView
	Next       string
}

func (s *site) showWebhooks(v *visit, created *chat.NewWebhook) error {
	view := webhooksView{Webhooks: s.viewWebhooks(v, get(v, s.Chat.ListWebhooks, core.None{})), Form: v.filled(newForm()), Created: created}
	view.Conversation = s.conversationField(v, view.Form)
	if created != nil {
		v.status = http.StatusCreated
	}
	return s.page(v, "Webhooks", "settings/webhooks", "", &view)
}

func (s *site) conversationField(v *visit, form Form) Field {
	f, err := newField(form, "conversationId", "Messages of")
	v.failed(err)
	all := get(v, s.Chat.ListConversations, chat.ListConversationsIn{Limit: 200})
	f.Options = []Choice{{"", "All of your conversations"}}
	for _, c := range all.Items {
		title, _ := nameOf(c, v.by.UserID)
		f.Options = append(f.Options, Choice{c.ID, oneLine(title, 60)})
	}
	return f
}

func (s *site) viewWebhooks(v *visit, found []chat.Webhook) []webhookView {
	var ids []string
	for _, w := range found {
		if w.ConversationID != nil {
			ids = append(ids, *w.ConversationID)
		}
	}
	names := s.titles(v, ids)
	return core.Map(found, func(w chat.Webhook) webhookView {
		out := webhookView{Webhook: w, Disabled: disabledText(core.OrZero(w.DisabledReason))}
		if w.ConversationID != nil {
			out.Conversation = cmp.Or(names[*w.ConversationID], "a conversation that you are not in any more")
		}
		if w.LastDelivery != nil {
			out.Last = new(viewDelivery(*w.LastDelivery))
		}
		return out
	})
}

func disabledText(reason string) string {
	return map[string]string{
		"owner":   "You disabled it.",
		"gone":    "The receiver answered that it is gone for good (410).",
		"failing": "No delivery succeeded for three days, or too many waited.",
	}[reason]
}

func viewDelivery(d chat.Delivery) deliveryView {
	out := deliveryView{Delivery: d, State: d.Status}
	if d.Attempts > 0 && d.Status == "waiting" {
		out.State = "retrying"
	}
	if d.MessageID != nil && d.ConversationID != nil {
		out.URL = fmt.Sprintf("/chat/%s?before=%s#m-%s", *d.ConversationID, url.QueryEscape((d.CreatedAt + 1).String()), *d.MessageID)
	}
	return out
}

func (s *site) createWebhook(v *visit) (*chat.NewWebhook, error) {
	out, err := send(v, s.Chat.CreateWebhook, func(in *chat.CreateWebhookIn) {
		if in.ConversationID.V == "" {
			in.ConversationID = core.Opt[string]{}
		}
	})
	return &out, err
}

// webhookShow shows a webhook and its log.
func (s *site) webhookShow(v *visit) error {
	log := get(v, s.Chat.ListDeliveries, chat.ListDeliveriesIn{ID: v.id("id"), Limit: 25, Before: v.moment("before")})
	w := loaded(v, s.webhook)
	view := webhookPageView{Deliveries: core.Map(log.Items, viewDelivery), Webhook: s.viewWebhooks(v, []chat.Webhook{w})[0],
		Form: v.filled(Form{}).with("url", w.URL)}
	if log.Next != nil {
		view.Next = "/settings/webhooks/" + w.ID + "?before=" + url.QueryEscape(log.Next.Get("before"))
	}
	return s.page(v, "Webhook", "settings/webhooks", "", &view)
}

func (s *site) webhook(v *visit) (chat.Webhook, error) {
	all, err := s.Chat.ListWebhooks.Call(v.ctx(), v.by, core.None{})
	return pick(all, err, func(w chat.Webhook) bool { return w.ID == v.id("id") })
}

func storedWebhook(w chat.Webhook) Form { return newForm("url", w.URL) }

func (s *site) webhookEnable(enabled bool, done string) func(*visit) error {
	return actWith(s, s.Chat.UpdateWebhook, "/settings/webhooks/{id}?done="+done,
		func(_ *visit, in *chat.UpdateWebhookIn) { in.Enabled = core.Some(enabled) })
}

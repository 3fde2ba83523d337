package page

import (
	"fmt"
	"net/http"
	"net/url"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

type webhookView struct {
	ID, URL      string
	Conversation string // conversation name; "" for all
	CreatedAt    store.Time
	FailingSince store.Time
	Disabled     string // the reason as a sentence; "" if enabled
	Last         *deliveryView
}

type deliveryView struct {
	State     string // waiting, retrying, delivered, failed, skipped
	Test      bool
	URL       string // of the message
	Attempts  int
	Response  int // 0 without one
	Error     string
	TookMs    int
	CreatedAt store.Time
	NextAt    store.Time
}

type newWebhookView struct{ URL, Secret, Token string }

type webhooksView struct {
	Frame
	Tab          string
	Webhooks     []webhookView
	Form         Form
	Conversation Field // the choice of a conversation
	Created      *newWebhookView
}

type webhookPageView struct {
	Frame
	Tab        string
	Webhook    webhookView
	Form       Form
	Deliveries []deliveryView
	Next       string
}

func webhooks(s *site, v *visit) error {
	return s.showWebhooks(v, http.StatusOK, webhooksView{Form: newForm()})
}

func (s *site) showWebhooks(v *visit, code int, view webhooksView) (err error) {
	view.Frame = s.frame(v, "Webhooks", "settings", "")
	view.Tab = "webhooks"
	found := get(v, s.Chat.ListWebhooks, core.None{})
	view.Webhooks = s.viewWebhooks(v, found)
	view.Conversation = s.conversationField(v, view.Form)
	return s.show(v, code, view)
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
	names := map[string]string{}
	if len(ids) > 0 {
		of := get(v, s.Chat.ConversationsByID, chat.ConversationsByIDIn{IDs: ids})
		for _, c := range of {
			names[c.ID], _ = nameOf(c, v.by.UserID)
		}
	}
	return core.Map(found, func(w chat.Webhook) webhookView {
		out := webhookView{ID: w.ID, URL: w.URL, CreatedAt: w.CreatedAt, FailingSince: core.OrZero(w.FailingSince),
			Disabled: disabledText(core.OrZero(w.DisabledReason))}
		if w.ConversationID != nil {
			if out.Conversation = names[*w.ConversationID]; out.Conversation == "" {
				out.Conversation = "a conversation that you are not in any more"
			}
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
	out := deliveryView{State: d.Status, Test: d.MessageID == nil, Attempts: d.Attempts, Response: core.OrZero(d.ResponseStatus),
		Error:  core.OrZero(d.Error),
		TookMs: core.OrZero(d.TookMs), CreatedAt: d.CreatedAt, NextAt: core.OrZero(d.NextAttemptAt)}
	if d.Attempts > 0 && d.Status == "waiting" {
		out.State = "retrying"
	}
	if d.MessageID != nil && d.ConversationID != nil {
		out.URL = fmt.Sprintf("/chat/%s?before=%s#m-%s", *d.ConversationID, url.QueryEscape((d.CreatedAt + 1).String()), *d.MessageID)
	}
	return out
}

func webhookCreate(s *site, v *visit) error {
	in := chat.CreateWebhookIn{URL: v.form("url"), Secret: v.form("secret")}
	if id := v.form("conversationId"); id != "" {
		in.ConversationID = core.Some(id)
	}
	out, err := s.Chat.CreateWebhook.Call(v.ctx(), v.by, in)
	if err != nil {
		return s.refuse(v, []string{"url", "conversationId", "secret"}, err, func(f Form) error {
			return s.showWebhooks(v, f.status(), webhooksView{Form: f})
		})
	}
	// No redirect: no address may contain the secret.
	view := webhooksView{Form: newForm(), Created: &newWebhookView{URL: out.URL, Secret: out.Secret, Token: out.Token}}
	return s.showWebhooks(v, http.StatusCreated, view)
}

func webhookShow(s *site, v *visit) error {
	return s.showWebhook(v, v.id("id"), Form{})
}

// showWebhook shows a webhook and its log. form is the failed form of its address.
func (s *site) showWebhook(v *visit, id string, form Form) error {
	view := webhookPageView{Tab: "webhooks"}
	in := chat.ListDeliveriesIn{ID: id, Limit: 25}
	if t, err := store.ParseTime(v.query("before")); err == nil {
		in.Before = &t
	}
	log := get(v, s.Chat.ListDeliveries, in)
	all := get(v, s.Chat.ListWebhooks, core.None{})
	for _, w := range all {
		if w.ID == id {
			views := s.viewWebhooks(v, []chat.Webhook{w})
			view.Webhook = views[0]
		}
	}
	view.Frame = s.frame(v, "Webhook", "settings", "")
	view.Form = form.Or(newForm()).with("url", view.Webhook.URL)
	view.Deliveries = core.Map(log.Items, viewDelivery)
	if log.Next != nil {
		view.Next = "/settings/webhooks/" + id + "?before=" + url.QueryEscape(log.Next.Get("before"))
	}
	return s.show(v, form.status(), view)
}

func webhookUpdate(s *site, v *visit) error {
	return s.changeWebhook(v, "saved", func(id string) (chat.UpdateWebhookIn, error) {
		all, err := s.Chat.ListWebhooks.Call(v.ctx(), v.by, core.None{})
		if err != nil {
			return chat.UpdateWebhookIn{}, err
		}
		var stored Form
		for _, w := range all {
			if w.ID == id {
				stored = newForm("url", w.URL)
			}
		}
		e, err := v.edits(stored)
		return chat.UpdateWebhookIn{ID: id, URL: e.text("url")}, err
	})
}

func webhookEnable(s *site, v *visit) error {
	return s.changeWebhook(v, "enabled", func(id string) (chat.UpdateWebhookIn, error) {
		return chat.UpdateWebhookIn{ID: id, Enabled: core.Some(true)}, nil
	})
}

func webhookDisable(s *site, v *visit) error {
	return s.changeWebhook(v, "disabled", func(id string) (chat.UpdateWebhookIn, error) {
		return chat.UpdateWebhookIn{ID: id, Enabled: core.Some(false)}, nil
	})
}

func (s *site) changeWebhook(v *visit, done string, change func(id string) (chat.UpdateWebhookIn, error)) error {
	id := v.id("id")
	update := func() (string, error) {
		in, err := change(id)
		if err == nil {
			_, err = s.Chat.UpdateWebhook.Call(v.ctx(), v.by, in)
		}
		return "/settings/webhooks/" + id + "?done=" + done, err
	}
	return s.submit(v, []string{"url"}, update, func(f Form) error { return s.showWebhook(v, id, f) })
}

func webhookTest(s *site, v *visit) error {
	id := v.id("id")
	test := func() (string, error) {
		_, err := s.Chat.TestWebhook.Call(v.ctx(), v.by, core.ByID{ID: id})
		return "/settings/webhooks/" + id + "?done=tested", err
	}
	return s.submit(v, nil, test, func(f Form) error { return s.showWebhook(v, id, f) })
}

func webhookDelete(s *site, v *visit) error {
	id := v.id("id")
	if !v.confirmed() {
		return v.seeOther("/settings/webhooks/" + id)
	}
	_, err := s.Chat.DeleteWebhook.Call(v.ctx(), v.by, core.ByID{ID: id})
	return v.next("/settings/webhooks?done=deleted", err)
}

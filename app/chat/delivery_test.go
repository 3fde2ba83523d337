package chat_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// webhook makes a webhook of Ada's.
func (w *world) webhook() chat.NewWebhook {
	w.Helper()
	made, err := w.s.CreateWebhook.Call(w.ctx, as(w.Ada), chat.CreateWebhookIn{URL: "https://example.org/a"})
	w.ok(err)
	return made
}

// Pages of the log of a webhook have no gaps between them, and the last has no next
// one, also if it is full.
func TestDeliveryPages(t *testing.T) {
	w := newWorld(t)
	made := w.webhook()
	var want []string
	for range 6 {
		d, err := w.s.TestWebhook.Call(w.ctx, as(w.Ada), core.ByID{ID: made.ID})
		w.ok(err)
		want = append(want, d.ID)
	}
	slices.Reverse(want)
	for _, limit := range []int{1, 2, 4, 5, 6, 7} {
		var got []string
		in, pages := chat.ListDeliveriesIn{ID: made.ID, Limit: limit}, 0
		for more := true; more && pages < 10; pages++ {
			page, err := w.s.ListDeliveries.Call(w.ctx, as(w.Ada), in)
			w.ok(err)
			for _, d := range page.Items {
				got = append(got, d.ID)
			}
			if more = page.Next != nil; more {
				before, err := store.ParseTime(page.Next.Get("before"))
				w.ok(err)
				if in.Before = &before; page.Next.Get("limit") != strconv.Itoa(limit) {
					t.Errorf("the next page has the query %v", page.Next)
				}
			}
		}
		if !slices.Equal(got, want) || pages != (6+limit-1)/limit {
			t.Errorf("limit %d, %d pages: %v, want %v", limit, pages, got, want)
		}
	}
	page, err := w.s.ListDeliveries.Call(w.ctx, as(w.Ada), chat.ListDeliveriesIn{ID: made.ID, Before: ptr(never)})
	if w.ok(err); len(page.Items) != 0 || page.Next != nil {
		t.Errorf("before everything there is %+v", page)
	}
	_, err = w.s.ListDeliveries.Call(w.ctx, as(w.Ben), chat.ListDeliveriesIn{ID: made.ID})
	w.refuse(err, core.NotFound, "not_found")
}

// A delivery has what the last attempt took and what was answered once there was one.
func TestDeliveryAttempted(t *testing.T) {
	w := newWorld(t)
	made := w.webhook()
	d, err := w.s.TestWebhook.Call(w.ctx, as(w.Ada), core.ByID{ID: made.ID})
	if w.ok(err); d.Status != "waiting" || d.TookMs != nil || d.ResponseStatus != nil || d.DeliveredAt != nil || d.NextAttemptAt == nil {
		t.Errorf("before the first attempt: %+v", d)
	}
	w.sql(`UPDATE delivery SET attempts = 1, took_ms = 12, status = 500, error = 'no' WHERE webhook_id = ?`, made.ID)
	all, err := w.s.ListWebhooks.Call(w.ctx, as(w.Ada), core.None{})
	w.ok(err)
	got := all[0].LastDelivery
	if got == nil || got.ID != d.ID || got.Status != "waiting" || got.Attempts != 1 || core.OrZero(got.TookMs) != 12 ||
		core.OrZero(got.ResponseStatus) != 500 || core.OrZero(got.Error) != "no" {
		t.Errorf("after the first attempt: %+v", got)
	}
}

// The id of a delivery is the same in every version of the server: receivers know
// by it what they have received before.
func TestDeliveryID(t *testing.T) {
	const want = "msg_628553590496e9aad1005a5507c25ad1"
	if got := chat.DeliveryID("3f0e5d1c-2a4b-4c6d-8e9f-000000000001", 1_773_480_413_000_123); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A delivered message names the members it mentions. A test delivery names the
// conversation of its webhook.
func TestRenderedDeliveries(t *testing.T) {
	parse := func(b []byte, err error) (m chat.DeliveredMessage) {
		t.Helper()
		var d chat.WebhookDelivery
		if err == nil {
			err = json.Unmarshal(b, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		return d.Message
	}
	const none = "00000000-0000-4000-8000-000000000000"
	for of, want := range map[string]string{"": none, "c": "c"} {
		if m := parse(chat.RenderTest(store.Webhook{ConversationID: of}, 1)); m.ConversationID != want || m.ID != none || m.SenderID != nil {
			t.Errorf("a test for %q: %+v", of, m)
		}
	}
}

// A service without a function that checks addresses accepts http and https addresses
// only.
func TestWebhookAddressesAreCheckedByDefault(t *testing.T) {
	w := newWorld(t)
	for url, ok := range map[string]bool{"https://example.org/a": true, "http://example.org/a": true, "https://ada@example.org/": false,
		"https://example.org:22/": false} {
		_, err := w.s.CreateWebhook.Call(w.ctx, as(w.Ada), chat.CreateWebhookIn{URL: url})
		if ok {
			w.ok(err)
		} else if e := core.As(err); err == nil || e.Kind != core.Invalid || e.Field != "url" {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// The twentieth webhook of an account is the last, and all are listed.
func TestWebhooksLimit(t *testing.T) {
	w := newWorld(t)
	for range 20 {
		w.webhook()
	}
	_, err := w.s.CreateWebhook.Call(w.ctx, as(w.Ada), chat.CreateWebhookIn{URL: "https://example.org/a"})
	if e := w.refuse(err, core.Conflict, "too_many_webhooks"); !strings.Contains(e.Msg, " 20 ") {
		t.Errorf("got %q", e.Msg)
	}
	all, err := w.s.ListWebhooks.Call(w.ctx, as(w.Ada), core.None{})
	if w.ok(err); len(all) != 20 {
		t.Errorf("%d webhooks are listed", len(all))
	}
}

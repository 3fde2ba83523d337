package chat_test

import (
	"net/url"
	"slices"
	"strconv"
	"testing"

	"hearth/app/chat"
)

// A page of the log of a webhook names the next one, down to the oldest delivery. The
// last page names none, also when it is full.
func TestDeliveriesInPages(t *testing.T) {
	w := newWorld(t)
	w.s = chat.New(chat.Config{DB: w.db.DB, CheckURL: func(string) error { return nil }})
	made, err := w.s.CreateWebhook.Call(w.ctx, as(w.Ada), chat.CreateWebhookIn{URL: "https://example.org/a"})
	w.ok(err)
	var want []string // the newest first
	for range 5 {
		d, err := w.s.TestWebhook.Call(w.ctx, as(w.Ada), chat.WebhookIn{ID: made.ID})
		w.ok(err)
		want = append([]string{d.ID}, want...)
	}
	for _, limit := range []int{1, 2, 4, 5, 6} {
		in := chat.ListDeliveriesIn{ID: made.ID, Limit: limit}
		var got []string
		for more := true; more; {
			page, err := w.s.ListDeliveries.Call(w.ctx, as(w.Ada), in)
			w.ok(err)
			for _, d := range page.Items {
				got = append(got, d.ID)
			}
			if more = len(got) < len(want); !more {
				if page.Next != nil {
					t.Errorf("limit %d: the last page names %v", limit, page.Next)
				}
				break
			}
			if len(page.Items) != limit {
				t.Fatalf("limit %d: %d in a page", limit, len(page.Items))
			}
			last := page.Items[limit-1].CreatedAt
			next := url.Values{"before": {last.String()}, "limit": {strconv.Itoa(limit)}}
			if page.Next.Encode() != next.Encode() {
				t.Errorf("limit %d: the next page is %v, want %v", limit, page.Next, next)
			}
			in.Before = &last
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}

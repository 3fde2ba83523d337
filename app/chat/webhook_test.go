package chat_test

import (
	"encoding/base64"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// A new address alone does not enable what the owner disabled; it makes a webhook
// that is enabled forget its failures, as enabling it does.
func TestUpdateWebhook(t *testing.T) {
	t.Parallel()
	const was, moved = "https://example.org/a", "https://example.org/b"
	on, off := core.Some(true), core.Some(false)
	for name, tc := range map[string]struct {
		disabled        bool
		in              chat.UpdateWebhookIn
		url             string
		enabled, forget bool
		events          int
	}{
		"address of an enabled one":          {false, chat.UpdateWebhookIn{URL: core.Some(moved)}, moved, true, true, 1},
		"address of a disabled one":          {true, chat.UpdateWebhookIn{URL: core.Some(moved)}, moved, false, true, 1},
		"address and enable":                 {true, chat.UpdateWebhookIn{URL: core.Some(moved), Enabled: on}, moved, true, true, 1},
		"address and disable":                {false, chat.UpdateWebhookIn{URL: core.Some(moved), Enabled: off}, moved, false, true, 1},
		"the same address":                   {false, chat.UpdateWebhookIn{URL: core.Some(was)}, was, true, false, 0},
		"the same address of a disabled one": {true, chat.UpdateWebhookIn{URL: core.Some(was)}, was, false, false, 0},
		"the same address and enable":        {true, chat.UpdateWebhookIn{URL: core.Some(was), Enabled: on}, was, true, true, 1},
		"enable an enabled one":              {false, chat.UpdateWebhookIn{Enabled: on}, was, true, true, 1},
		"disable":                            {false, chat.UpdateWebhookIn{Enabled: off}, was, false, false, 1},
		"nothing":                            {false, chat.UpdateWebhookIn{}, was, true, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.s = chat.New(chat.Config{DB: w.db.DB, BaseURL: "https://hearth.test", CheckURL: func(string) error { return nil }})
			made, err := w.s.CreateWebhook.Call(w.ctx, as(w.Ada), chat.CreateWebhookIn{URL: was})
			w.ok(err)
			if tc.disabled {
				w.ok(w.db.Write(w.ctx, func(tx *store.Tx) error { return chat.DisableWebhook(tx, w.Ada.ID, made.ID, "failing") }))
			}
			w.sql(`UPDATE webhook SET failures = 2, failing_since = 1 WHERE user_id = '` + w.Ada.ID + `'`)
			_, before := w.events(0)
			tc.in.ID = made.ID
			got, err := w.s.UpdateWebhook.Call(w.ctx, as(w.Ada), tc.in)
			w.ok(err)
			if got.URL != tc.url || got.DisabledAt == nil != tc.enabled || got.FailingSince == nil != tc.forget {
				t.Errorf("got %+v", got)
			}
			if kinds, _ := w.events(before); len(kinds) != tc.events {
				t.Errorf("events %v", kinds)
			}
		})
	}
}

// A secret is printable ASCII, or whsec_ and base64 of 24 to 64 bytes.
func TestSigningKey(t *testing.T) {
	whsec := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for secret, want := range map[string]int{
		whsec(24): 24, whsec(64): 64, " printable secret~": 18,
		whsec(23): 0, whsec(65): 0, "whsec_!" + whsec(30): 0, "a secret of\x1fcontrol": 0, "a secret and a\x7fdelete": 0,
	} {
		key, err := chat.SigningKey(secret)
		if (err == nil) != (want > 0) || want > 0 && len(key) != want {
			t.Errorf("%q: a key of %d bytes, %v; want %d", secret, len(key), err, want)
		}
	}
}

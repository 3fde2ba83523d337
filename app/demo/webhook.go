package demo

import "hearth/store"

// webhook adds the steps of a webhook of the first person to an address of this
// machine, where nothing listens: its deliveries succeeded at first and then
// failed for three days, so that it is disabled and connects to nothing.
func (s *seeder) webhook(owner string) {
	var hook store.Webhook
	s.at(s.now.Add(-20*day), func(tx *store.Tx) (err error) {
		hook, err = tx.InsertWebhook(store.Webhook{ID: s.id(), UserID: s.users[owner].ID, URL: "http://127.0.0.1:9321/kitchen-display",
			Secret: "whsec_aGVhcnRoIGRlbW8gd2ViaG9vayBzZWNyZXQ=", Token: "wht_DEMO"})
		return err
	})
	var failing store.Time
	s.at(s.now.Add(-4*day), func(tx *store.Tx) error {
		failing = tx.Now
		_, _, err := tx.WebhookFails(hook.ID, 1)
		return err
	})
	s.at(s.now.Add(-day), func(tx *store.Tx) error {
		log, err := tx.Deliveries(store.Viewer{UserID: hook.UserID}, hook.ID, 0, 1000)
		if err != nil {
			return err
		}
		for i, d := range log {
			a := store.Attempt{WebhookID: d.WebhookID, At: d.At, Attempts: 1, Status: 204, TookMs: 8 + i%7, Outcome: "delivered"}
			if d.At > failing {
				a.Attempts, a.Status, a.TookMs, a.Outcome, a.Error = 8, 0, 1, "failed", "The connection to the receiver failed."
			}
			if err := tx.RecordAttempt(a); err != nil {
				return err
			}
		}
		_, err = tx.DisableWebhook(hook.ID, "failing")
		return err
	})
}

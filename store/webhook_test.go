package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
)

// When a webhook is enabled, what waits for another attempt is due at once. When it is
// disabled, what waits is skipped, but not tests. Nothing changes for another webhook.
func TestEnabledAndDisabledWebhook(t *testing.T) {
	const later = 1 << 60
	withRows(t, "ada", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"),
		aDelivery("w1", 10, "c", 0), aDelivery("w1", 11, "c", later), aDelivery("w1", 12, "c", later), aDelivery("w1", 13, "d", 5),
		aDelivery("w1", 14, "", later),
		aDelivery("w2", 11, "c", later), `UPDATE delivery SET attempts = 1 WHERE at IN (11, 13)`,
	}, func(tx *store.Tx) error {
		if err := tx.EnableWebhook("w1"); err != nil {
			return err
		}
		due := int64(tx.Reader.Now())
		if got, want := deliveries(tx, "w1"), fmt.Sprintf("14:%[2]d 13:5 12:%[2]d 11:%[1]d 10delivered", due, int64(later)); got != want {
			t.Errorf("enabled: got  %s\nwant %s", got, want)
		}
		if _, err := tx.DisableWebhook("w1", "owner"); err != nil {
			return err
		}
		if got, want := deliveries(tx, "w1"), fmt.Sprintf("14:%d 13skipped 12skipped 11skipped 10delivered", int64(later)); got != want {
			t.Errorf("disabled: got  %s\nwant %s", got, want)
		}
		if got, want := deliveries(tx, "w2"), fmt.Sprintf("11:%d", int64(later)); got != want {
			t.Errorf("of another webhook: %s", got)
		}
		return nil
	})
}

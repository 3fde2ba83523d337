package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/go-json-experiment/json"

	"hearth/app/fetch"
	"hearth/app/queue"
	"hearth/store"
)

// Notification is what a service worker shows.
type Notification struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	URL   string `json:"url"`            // the page that a click opens, as a path
	Tag   string `json:"tag"`            // a newer notification replaces one with the same
	Badge int    `json:"badge,omitzero"` // how many messages are unread
}

// life is how long a push service keeps what it cannot deliver.
const life = 7 * 24 * time.Hour

// send sends a notification to a subscription, encrypted for it. Of several with the same tag the push service keeps the
// newest.
func (s *Service) send(ctx context.Context, to store.PushSubscription, n Notification) queue.Result {
	began, now := time.Now(), s.cfg.DB.Now().Go()
	var res *fetch.Response
	text, err := json.Marshal(n)
	if err == nil {
		_, err = webpush.SendNotificationWithContext(ctx, text, &webpush.Subscription{Endpoint: to.Endpoint,
			Keys: webpush.Keys{P256dh: to.P256dh, Auth: to.Auth}}, &webpush.Options{HTTPClient: client{s.cfg.Fetch, &res},
			Subscriber: s.contact, VAPIDPublicKey: s.publicKey(), VAPIDPrivateKey: encode(s.key.Bytes()), Topic: topic(to.ID, n.Tag),
			TTL: int(life.Seconds()), Urgency: webpush.UrgencyHigh})
	}
	return queue.ResultOf(res, err, began, now)
}

// topic returns the name under which a push service replaces notifications. It tells it nothing.
func topic(subscriptionID, tag string) string {
	sum := sha256.Sum256([]byte(subscriptionID + " " + tag))
	return encode(sum[:])[:32]
}

// client sends the requests of the library through the guarded client, and keeps the response.
type client struct {
	*fetch.Client
	response **fetch.Response
}

func (c client) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	*c.response, err = c.Client.Do(r.Context(), fetch.Request{Method: r.Method, URL: r.URL.String(), Header: r.Header,
		Body: bytes.NewReader(body), Timeout: queue.AttemptTime})
	return nil, err
}

// ended reports whether the push service says that the subscription does not exist any more.
func ended(r queue.Result) bool {
	return r.Status == http.StatusNotFound || r.Status == http.StatusGone
}

func reason(r queue.Result) string {
	why := r.Reason("The push service")
	switch {
	case ended(r):
		why += " The browser has ended the subscription, so it is deleted here, too."
	case r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden:
		why += " It does not accept the key of this server: turn notifications off and on again in the browser."
	case r.Status == http.StatusTooManyRequests:
		why += " It takes no more notifications for a while."
	}
	return why
}

// record writes what came of sending to a subscription.
func record(tx *store.Tx, s store.PushSubscription, r queue.Result) error {
	if ended(r) {
		return tx.DeletePushSubscription(s.ID)
	}
	return tx.RecordPush(s.ID, reason(r))
}

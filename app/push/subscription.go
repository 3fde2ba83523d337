package push

import (
	"cmp"
	"context"
	"crypto/ecdh"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// GetPushOut has what a browser needs to subscribe.
type GetPushOut struct {
	PublicKey string `json:"publicKey" doc:"The applicationServerKey of PushManager.subscribe."`
}

func (s *Service) getPush(*store.Reader, store.Viewer, core.None) (GetPushOut, error) {
	return GetPushOut{s.publicKey()}, nil
}

// Subscription is a browser or an app that receives the notifications of the caller. It has neither the endpoint nor the
// keys.
type Subscription struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	CreatedAt  store.Time  `json:"createdAt"`
	LastSentAt *store.Time `json:"lastSentAt" doc:"When its push service last took a notification."`
	LastError  *string     `json:"lastError" doc:"Why the last notification was not sent; null if it was."`

	Current bool `json:"-"` // it is of the caller's session
}

func subscriptionOf(by store.Viewer) func(store.PushSubscription) Subscription {
	return func(s store.PushSubscription) Subscription {
		return Subscription{ID: s.ID, Name: s.Name, CreatedAt: s.CreatedAt, LastSentAt: s.LastSentAt.Ptr(), LastError: core.OrNil(s.LastError),
			Current: s.SessionID == by.SessionID}
	}
}

func listSubscriptions(r *store.Reader, by store.Viewer, _ core.None) ([]Subscription, error) {
	rows, err := r.PushSubscriptions(by)
	return core.Map(rows, subscriptionOf(by)), err
}

// Exports returns what the package writes into one export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{
		"pushSubscriptions": core.ExportValue(s.cfg.DB, func(r *store.Reader, by store.Viewer) ([]Subscription, error) {
			return listSubscriptions(r, by, core.None{})
		}),
		"notifications": core.ExportValue(s.cfg.DB, func(r *store.Reader, by store.Viewer) (Preferences, error) {
			return getNotifications(r, by, core.None{})
		}),
	}
}

// Keys are the keys of a subscription.
type Keys struct {
	P256dh string `json:"p256dh" required:"true" max:"200" doc:"The public key, as base64url"`
	Auth   string `json:"auth" required:"true" max:"200" doc:"The secret, 16 bytes as base64url"`
}

// CreateSubscriptionIn is what a browser's PushSubscription has, with a name.
type CreateSubscriptionIn struct {
	Endpoint string `json:"endpoint" required:"true" max:"2048" format:"url" doc:"Of the push service: an https address"`
	Keys     *Keys  `json:"keys" required:"true"`
	Name     string `json:"name" max:"200" line:"true" plain:"true" doc:"By default the User-Agent of the request"`
}

const maxSubscriptions = 20

// createSubscription renews the subscription that has the same endpoint.
func (s *Service) createSubscription(tx *store.Tx, by store.Viewer, in CreateSubscriptionIn) (out Subscription, err error) {
	row := store.PushSubscription{UserID: by.UserID, SessionID: by.SessionID, Endpoint: in.Endpoint,
		Name: cmp.Or(in.Name, by.Device, "Unknown device")}
	if s.cfg.Fetch.CheckSecure(in.Endpoint) != nil {
		return out, core.InvalidField("endpoint", "endpoint must be the https address of a push service, as PushManager.subscribe returns it.")
	}
	public, err := decode(in.Keys.P256dh)
	if _, e := ecdh.P256().NewPublicKey(public); cmp.Or(err, e) != nil {
		return out, core.InvalidField("keys.p256dh", "keys.p256dh must be the public key of the subscription: 65 bytes as base64url.")
	}
	auth, err := decode(in.Keys.Auth)
	if err != nil || len(auth) != 16 {
		return out, core.InvalidField("keys.auth", "keys.auth must be the secret of the subscription: 16 bytes as base64url.")
	}
	row.P256dh, row.Auth = encode(public), encode(auth)
	if row, err = tx.PutPushSubscription(row); err == nil && row.CreatedAt == tx.Now {
		err = checkQuota(tx, by)
	}
	return subscriptionOf(by)(row), err
}

func checkQuota(tx *store.Tx, by store.Viewer) error {
	all, err := tx.PushSubscriptions(by)
	if err == nil && len(all) > maxSubscriptions {
		err = core.New(core.Conflict, "too_many_subscriptions",
			"%d browsers of yours receive notifications, which is the most. End the notifications of one that you no longer use.", maxSubscriptions)
	}
	return cmp.Or(err, limit.Subscriptions.CallStored(tx, by))
}

func deleteSubscription(tx *store.Tx, by store.Viewer, in core.ByID) (core.None, error) {
	if _, err := tx.PushSubscription(by, in.ID); err != nil {
		return core.None{}, err
	}
	return core.None{}, tx.DeletePushSubscription(in.ID)
}

// TestOut says what came of a test.
type TestOut struct {
	Sent   bool    `json:"sent" doc:"Whether the push service took it. The browser shows it once it is connected."`
	Status *int    `json:"status" doc:"Of the push service; null without a response."`
	Error  *string `json:"error" doc:"What failed. After 404 and 410 the subscription is deleted."`
}

func (s *Service) testSubscription(ctx context.Context, by store.Viewer, in core.ByID) (out TestOut, err error) {
	sub, err := store.Get(ctx, s.cfg.DB, func(r *store.Reader) (store.PushSubscription, error) { return r.PushSubscription(by, in.ID) })
	if err != nil {
		return out, err
	}
	n := Notification{Title: "Test", Body: "Notifications arrive on this device.", URL: "/settings/notifications", Tag: "test"}
	r := s.send(ctx, sub, n)
	out.Sent, out.Error = r.OK(), core.OrNil(reason(r))
	if r.Status != 0 {
		out.Status = &r.Status
	}
	return out, s.cfg.DB.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return record(tx, sub, r) })
}

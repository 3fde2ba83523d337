package push

import (
	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/op"
)

// Operations has the operations on notifications.
type Operations struct {
	GetPush            *op.Func[core.None, GetPushOut]
	ListSubscriptions  *op.Func[core.None, []Subscription]
	CreateSubscription *op.Func[CreateSubscriptionIn, Subscription]
	DeleteSubscription *op.Func[core.ByID, core.None]
	TestSubscription   *op.Func[core.ByID, TestOut]

	GetNotifications    *op.Func[core.None, Preferences]
	UpdateNotifications *op.Func[UpdateNotificationsIn, Preferences]
	SetInView           *op.Func[SetInViewIn, core.None]
}

func (s *Service) operations(l *op.Limits) Operations {
	human, db := op.HumanOnly.Spec, s.cfg.DB
	return Operations{
		GetPush: op.Read(l, db, s.getPush, human("GET /api/push", "Get the key of this server for push services")),
		ListSubscriptions: op.Read(l, db, listSubscriptions, human("GET /api/push/subscriptions",
			"List the browsers that receive notifications")),
		CreateSubscription: op.Write(l, db, s.createSubscription, human("POST /api/push/subscriptions 201",
			"Have a browser receive notifications", core.Conflict).Hint(op.Idempotent|op.OpenWorld|op.Stores).Limited(limit.Subscriptions)),
		DeleteSubscription: op.Write(l, db, deleteSubscription, human("DELETE /api/push/subscriptions/{id}",
			"End the notifications of a browser").Hint(op.Destructive)),
		TestSubscription: op.New(l, s.testSubscription, human("POST /api/push/subscriptions/{id}/test",
			"Send a test notification").Hint(op.OpenWorld).Limited(limit.PushTests)),
		GetNotifications: op.Read(l, db, getNotifications, human("GET /api/notifications", "Get how you are notified")),
		UpdateNotifications: op.Write(l, db, updateNotifications, human("PATCH /api/notifications", "Update how you are notified").
			Hint(op.Idempotent)),
		SetInView: op.New(l, s.setInView, human("PUT /api/push/view", "Say that a page is in view, so that nothing is sent").
			Hint(op.Idempotent)),
	}
}

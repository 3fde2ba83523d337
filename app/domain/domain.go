// Package domain has the services that the transports share.
package domain

import (
	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/file"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/app/op"
	"hearth/app/people"
	"hearth/app/push"
	"hearth/app/social"
)

// Services has the packages whose operations the transports offer.
type Services struct {
	Chat    *chat.Service
	Account *account.Service
	List    *list.Service
	People  *people.Service
	Admin   *admin.Service
	Lane    *lane.Service
	Social  *social.Service
	Push    *push.Service
	Live    *live.Hub
	Files   *file.Store
	Limits  *op.Limits
}

// Described returns services without a database, to describe their operations. Calling an operation panics.
func Described() Services {
	return Services{Chat: chat.New(chat.Config{}), Account: account.Described(), List: list.New(list.Config{}), Admin: admin.Described(),
		People: people.New(people.Config{}), Lane: lane.New(lane.Config{}), Social: social.New(social.Config{}), Push: push.Described()}
}

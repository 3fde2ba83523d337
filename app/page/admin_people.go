package page

import (
	"hearth/app/admin"
	"hearth/app/core"
)

type accountView struct {
	admin.Account
	Person Person
	You    bool
}

func (v *visit) account(a admin.Account) accountView {
	return accountView{a, Person{ID: a.ID, Name: a.Name, Picture: pictureOf(core.OrZero(a.AvatarURL)), IsBot: a.IsBot}, a.ID == v.by.UserID}
}

type adminPeopleView struct {
	adminFrame
	Query    string
	Accounts []accountView
	Next     string
}

func (s *site) adminPeople(v *visit) error {
	page := read(v, s.Admin.ListAccounts)
	view := adminPeopleView{Query: v.query("q"), Accounts: core.Map(page.Items, v.account), Next: nextOf("/admin/people", page.Next)}
	return s.adminPage(v, "People", "people", &view)
}

type adminPersonView struct {
	adminFrame
	Account accountView
	Form    Form
}

func (s *site) showAccount(v *visit) error {
	a := read(v, s.Admin.GetAccount)
	return s.adminPage(v, a.Name, "people", &adminPersonView{Account: v.account(a), Form: v.filled(Form{})})
}

func (s *site) adminSuspend(v *visit) error {
	if !v.confirmed() {
		return s.refuse(v, core.New(core.Invalid, "not_confirmed", "Tick the box to confirm that you want to suspend this account."))
	}
	return act(s, s.Admin.SuspendAccount, "/admin/people/{id}?done=suspended")(v)
}

// adminDemote leads people who demote themselves away from the administrators' pages.
func (s *site) adminDemote(v *visit) error {
	next := "/admin/people/{id}?done=demoted"
	if v.id("id") == v.by.UserID {
		next = "/settings?done=demoted"
	}
	return act(s, s.Admin.DemoteAccount, next)(v)
}

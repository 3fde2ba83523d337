package page

import (
	"net/http"

	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

type accountView struct {
	Person
	Email                              string
	Admin, Verified, You               bool
	CreatedAt, LastSeenAt, SuspendedAt store.Time
	StorageUsed                        int64
}

func (v *visit) viewOfAccount(a admin.Account) accountView {
	return accountView{
		Person: Person{ID: a.ID, Name: a.Name, Picture: pictureOf(core.OrZero(a.AvatarURL)), IsBot: a.IsBot}, Email: a.Email, Admin: a.IsAdmin,
		Verified: a.Verified, You: a.ID == v.by.UserID,
		CreatedAt: a.CreatedAt, LastSeenAt: core.OrZero(a.LastSeenAt), SuspendedAt: core.OrZero(a.SuspendedAt), StorageUsed: a.StorageUsed,
	}
}

type adminPeopleView struct {
	adminFrame
	Query    string
	Accounts []accountView
	Next     string
}

func adminPeople(s *site, v *visit) error {
	f := s.adminFrame(v, "People", "people")
	in := admin.ListAccountsIn{Q: v.query("q"), After: v.query("after")}
	page := get(v, s.Admin.ListAccounts, in)
	view := adminPeopleView{adminFrame: f, Query: in.Q, Next: nextOf("/admin/people", page.Next)}
	view.Accounts = core.Map(page.Items, v.viewOfAccount)
	return s.show(v, http.StatusOK, view)
}

type adminPersonView struct {
	adminFrame
	Account accountView
	Form    Form
}

func (s *site) showAccount(v *visit, form Form) error {
	a := get(v, s.Admin.GetAccount, admin.AccountIn{ID: v.id("id")})
	f := s.adminFrame(v, a.Name, "people")
	return s.show(v, form.status(), adminPersonView{f, v.viewOfAccount(a), form})
}

func adminSuspend(s *site, v *visit) error {
	if !v.confirmed() {
		return s.refuse(v, nil, core.New(core.Invalid, "not_confirmed", "Tick the box to confirm that you want to suspend this account."),
			func(f Form) error { return s.showAccount(v, f) })
	}
	return s.changeAccount(v, s.Admin.SuspendAccount, "suspended")
}

func adminRestore(s *site, v *visit) error {
	return s.changeAccount(v, s.Admin.RestoreAccount, "restored")
}

func adminPromote(s *site, v *visit) error {
	return s.changeAccount(v, s.Admin.PromoteAccount, "promoted")
}

// adminDemote leads people who demote themselves away from the administrators' pages.
func adminDemote(s *site, v *visit) error {
	if v.r.PathValue("id") == v.by.UserID {
		demote := func() (string, error) {
			_, err := s.Admin.DemoteAccount.Call(v.ctx(), v.by, admin.AccountIn{ID: v.by.UserID})
			return "/settings?done=demoted", err
		}
		return s.submit(v, nil, demote, func(f Form) error { return s.showAccount(v, f) })
	}
	return s.changeAccount(v, s.Admin.DemoteAccount, "demoted")
}

func (s *site) changeAccount(v *visit, change *op.Func[admin.AccountIn, admin.Account], done string) error {
	id := v.id("id")
	act := func() (string, error) {
		_, err := change.Call(v.ctx(), v.by, admin.AccountIn{ID: id})
		return "/admin/people/" + id + "?done=" + done, err
	}
	return s.submit(v, nil, act, func(f Form) error { return s.showAccount(v, f) })
}

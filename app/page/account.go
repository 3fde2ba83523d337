package page

import (
	"net/http"
	"strings"

	"hearth/app/core"
)

type exportRangeView struct{ Key, Label, About string }

type exportView struct {
	Frame
	Tab    string
	Ranges []exportRangeView
}

func accountExport(s *site, v *visit) error {
	f := s.frame(v, "Your data", "settings", "")
	return s.show(v, http.StatusOK, exportView{Frame: f, Tab: "data", Ranges: []exportRangeView{
		{"last_hour", "Last hour", "Messages and thoughts of the last 60 minutes."},
		{"last_day", "Last day", "Messages and thoughts of the last 24 hours."},
		{"last_week", "Last week", "Messages and thoughts of the last 7 days."},
		{"last_month", "Last month", "Messages and thoughts of the last 30 days."},
		{"all_time", "All time", "Every message and thought. A large account takes a few minutes."},
	}})
}

type deleteView struct {
	Frame
	Tab   string
	Email string
	Admin bool
	Form  Form
}

func (s *site) showDelete(v *visit, form Form) error {
	f := s.frame(v, "Delete account", "settings", "")
	me, err := s.me(v)
	if err != nil {
		return err
	}
	return s.show(v, form.status(), deleteView{Frame: f, Tab: "data", Email: me.Email, Admin: me.IsAdmin, Form: form})
}

func accountDeleteSend(s *site, v *visit) error {
	act := func() (string, error) {
		me, err := s.me(v)
		if err != nil {
			return "", err
		}
		if !strings.EqualFold(strings.TrimSpace(v.form("address")), me.Email) {
			return "", core.InvalidField("address", "This is not the e-mail address of your account. Type %s to delete it.", me.Email)
		}
		if _, err := s.Account.DeleteMe.Call(v.ctx(), v.by, core.None{}); err != nil {
			return "", err
		}
		return "/deleted", s.Account.SignOut(v.w, v.r)
	}
	return s.submit(v, []string{"address"}, act, func(f Form) error { return s.showDelete(v, f) })
}

type deletedView struct{ Frame }

func accountDeleted(s *site, v *visit) error {
	if v.by.SignedIn() {
		return v.seeOther("/")
	}
	f := s.frame(v, "Account deleted", "login", "narrow")
	return s.show(v, http.StatusOK, deletedView{f})
}

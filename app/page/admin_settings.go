package page

import (
	"hearth/app/admin"
	"hearth/app/core"
)

type adminSettingsView struct {
	adminFrame
	Form        Form
	SignupFixed bool
}

func adminSettings(s *site, v *visit) error { return s.showAdminSettings(v, Form{}) }

// showAdminSettings answers with the settings; form is the one that failed.
func (s *site) showAdminSettings(v *visit, form Form) error {
	f, err := s.adminFrame(v, "Settings of the server", "settings")
	if err != nil {
		return err
	}
	now, err := s.Admin.GetSettings.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	stored := newForm("communityName", now.CommunityName, "signup", now.Signup)
	return s.show(v, form.status(), adminSettingsView{f, form.Or(stored), now.SignupFixed})
}

func adminSettingsSave(s *site, v *visit) error {
	in := admin.UpdateSettingsIn{CommunityName: core.Some(v.form("communityName"))}
	if signup := v.form("signup"); signup != "" {
		in.Signup = core.Some(signup)
	}
	save := func() (string, error) {
		_, err := s.Admin.UpdateSettings.Call(v.ctx(), v.by, in)
		return "/admin/settings?done=saved", err
	}
	return s.submit(v, []string{"communityName", "signup"}, save, func(f Form) error { return s.showAdminSettings(v, f) })
}

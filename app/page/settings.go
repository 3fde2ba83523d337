package page

import (
	"strings"

	"hearth/app/account"
	"hearth/app/core"
)

type settingsView struct {
	Frame
	Tab        string
	Email      string
	Form       Form
	StatusForm Form

	PresenceForm Form
}

func settings(s *site, v *visit) error { return s.showSettings(v, Form{}, Form{}) }

// showSettings answers with the profile; the forms are those that failed.
func (s *site) showSettings(v *visit, profile, status Form) error {
	f, err := s.frame(v, "Settings", "settings", "")
	if err != nil {
		return err
	}
	me, err := s.me(v)
	if err != nil {
		return err
	}
	if me.PresenceStatus == "offline" {
		me.PresenceStatus = "invisible" // which is what others see of it
	}
	view := settingsView{Frame: f, Tab: "profile", Email: me.Email, PresenceForm: newForm("presenceStatus", me.PresenceStatus),
		Form: profile.Or(newForm("name", me.Name, "avatarUrl", core.OrZero(me.AvatarURL), "discoveryMode", me.DiscoveryMode))}
	stored := newForm()
	if p := me.ProfileStatus; p != nil {
		stored = newForm("text", p.Text, "emoji", p.Emoji)
	}
	view.StatusForm = status.Or(stored)
	return s.show(v, max(profile.status(), status.status()), view)
}

func settingsProfile(s *site, v *visit) error {
	update := func() (string, error) {
		_, err := s.Account.UpdateMe.Call(v.ctx(), v.by, account.UpdateMeIn{Name: core.Some(v.form("name")),
			AvatarURL: core.Some(v.form("avatarUrl")), DiscoveryMode: core.Some(v.form("discoveryMode"))})
		return "/settings?done=saved", err
	}
	return s.submit(v, []string{"name", "avatarUrl", "discoveryMode"}, update, func(f Form) error { return s.showSettings(v, f, Form{}) })
}

func settingsStatus(s *site, v *visit) error {
	update := func() (string, error) {
		_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Text: core.Some(v.form("text")), Emoji: core.Some(v.form("emoji"))})
		if strings.TrimSpace(v.form("text")+v.form("emoji")) == "" {
			return "/settings?done=cleared", err
		}
		return "/settings?done=status", err
	}
	return s.submit(v, []string{"text", "emoji"}, update, func(f Form) error { return s.showSettings(v, Form{}, f) })
}

func settingsPresence(s *site, v *visit) error {
	_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Presence: core.Some(v.form("presenceStatus"))})
	if err != nil {
		return err // a menu has no wrong choice
	}
	return v.seeOther("/settings?done=availability")
}

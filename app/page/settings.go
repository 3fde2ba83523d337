package page

import (
	"strings"

	"hearth/app/account"
)

type settingsView struct {
	Frame
	Tab        string
	Email      string
	Form       Form
	StatusForm Form

	PresenceForm Form
	PictureForm  Form
}

func settings(s *site, v *visit) error { return s.showSettings(v, settingsForms{}) }

type settingsForms struct{ profile, status, presence, picture Form }

func (s *site) showSettings(v *visit, forms settingsForms) error {
	f := s.frame(v, "Settings", "settings", "")
	me, err := s.me(v)
	if err != nil {
		return err
	}
	view := settingsView{Frame: f, Tab: "profile", PictureForm: forms.picture, Email: me.Email,
		PresenceForm: forms.presence.Or(storedPresence(me)),
		Form:         forms.profile.Or(storedProfile(me)), StatusForm: forms.status.Or(storedStatus(me))}
	return s.show(v, max(forms.profile.status(), forms.status.status(), forms.presence.status(), forms.picture.status()), view)
}

func storedProfile(me account.Me) Form {
	return newForm("name", me.Name, "avatarUrl", foreignPicture(me.AvatarURL), "discoveryMode", me.DiscoveryMode, "groupAdds", me.GroupAdds)
}

func storedStatus(me account.Me) Form {
	p := me.ProfileStatus
	if p == nil {
		return newForm("text", "", "emoji", "")
	}
	return newForm("text", p.Text, "emoji", p.Emoji)
}

func storedPresence(me account.Me) Form {
	if me.PresenceStatus == "offline" {
		return newForm("presenceStatus", "invisible") // others see it as invisible
	}
	return newForm("presenceStatus", me.PresenceStatus)
}

func settingsProfile(s *site, v *visit) error {
	load := func() (account.Me, error) { return s.me(v) }
	fields := []string{"name", "avatarUrl", "discoveryMode", "groupAdds"}
	return edit(s, v, fields, load, storedProfile, func(me account.Me, e edits) (string, error) {
		in := account.UpdateMeIn{Name: e.text("name"), DiscoveryMode: e.text("discoveryMode"), GroupAdds: e.choice("groupAdds")}
		if v.form("avatarUrl") != "" || foreignPicture(me.AvatarURL) != "" {
			in.AvatarURL = e.text("avatarUrl")
		}
		_, err := s.Account.UpdateMe.Call(v.ctx(), v.by, in)
		return "/settings?done=saved", err
	}, func(f Form) error { return s.showSettings(v, settingsForms{profile: f}) })
}

func settingsStatus(s *site, v *visit) error {
	load := func() (account.Me, error) { return s.me(v) }
	fields := []string{"text", "emoji"}
	return edit(s, v, fields, load, storedStatus, func(me account.Me, e edits) (string, error) {
		_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Text: e.text("text"), Emoji: e.text("emoji")})
		if strings.TrimSpace(v.form("text")+v.form("emoji")) == "" {
			return "/settings?done=cleared", err
		}
		return "/settings?done=status", err
	}, func(f Form) error { return s.showSettings(v, settingsForms{status: f}) })
}

func settingsPresence(s *site, v *visit) error {
	load := func() (account.Me, error) { return s.me(v) }
	fields := []string{"presenceStatus"}
	return edit(s, v, fields, load, storedPresence, func(me account.Me, e edits) (string, error) {
		_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Presence: e.text("presenceStatus")})
		return "/settings?done=availability", err
	}, func(f Form) error { return s.showSettings(v, settingsForms{presence: f}) })
}

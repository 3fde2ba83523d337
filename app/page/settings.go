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
	PictureForm  Form
}

func settings(s *site, v *visit) error { return s.showSettings(v, Form{}, Form{}, Form{}) }

// showSettings answers with the profile; the forms are those that failed.
func (s *site) showSettings(v *visit, profile, status, picture Form) error {
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
	view := settingsView{Frame: f, Tab: "profile", PictureForm: picture, Email: me.Email, PresenceForm: newForm("presenceStatus", me.PresenceStatus),
		Form: profile.Or(newForm("name", me.Name, "avatarUrl", foreignPicture(me.AvatarURL), "discoveryMode", me.DiscoveryMode, "groupAdds", me.GroupAdds))}
	stored := newForm()
	if p := me.ProfileStatus; p != nil {
		stored = newForm("text", p.Text, "emoji", p.Emoji)
	}
	view.StatusForm = status.Or(stored)
	return s.show(v, max(profile.status(), status.status(), picture.status()), view)
}

func settingsProfile(s *site, v *visit) error {
	update := func() (string, error) {
		me, err := s.me(v)
		if err != nil {
			return "", err
		}
		in := account.UpdateMeIn{Name: core.Some(v.form("name")), DiscoveryMode: core.Some(v.form("discoveryMode")), GroupAdds: core.Opt[string]{Set: v.form("groupAdds") != "", V: v.form("groupAdds")}}
		if v.form("avatarUrl") != "" || foreignPicture(me.AvatarURL) != "" {
			in.AvatarURL = core.Some(v.form("avatarUrl"))
		}
		_, err = s.Account.UpdateMe.Call(v.ctx(), v.by, in)
		return "/settings?done=saved", err
	}
	return s.submit(v, []string{"name", "avatarUrl", "discoveryMode", "groupAdds"}, update, func(f Form) error { return s.showSettings(v, f, Form{}, Form{}) })
}

func settingsStatus(s *site, v *visit) error {
	update := func() (string, error) {
		_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Text: core.Some(v.form("text")), Emoji: core.Some(v.form("emoji"))})
		if strings.TrimSpace(v.form("text")+v.form("emoji")) == "" {
			return "/settings?done=cleared", err
		}
		return "/settings?done=status", err
	}
	return s.submit(v, []string{"text", "emoji"}, update, func(f Form) error { return s.showSettings(v, Form{}, f, Form{}) })
}

func settingsPresence(s *site, v *visit) error {
	_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Presence: core.Some(v.form("presenceStatus"))})
	if err != nil {
		return err // a menu has no wrong choice
	}
	return v.seeOther("/settings?done=availability")
}

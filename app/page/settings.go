package page

import (
	"net/http"
	"strings"

	"hearth/app/account"
	"hearth/app/core"
	"hearth/store"
)

type settingsView struct {
	Frame
	Tab        string
	Email      string
	Form       Form
	StatusForm Form

	PresenceForm Form
}

type sessionView struct {
	ID, Device string
	Token      bool // a program's, not a browser's
	CreatedAt  store.Time
	ExpiresAt  store.Time
	Current    bool
}

type sessionsView struct {
	Frame
	Tab      string
	Sessions []sessionView
}

func settings(s *site, v *visit) error { return s.showSettings(v, nil, nil) }

// showSettings answers with the profile; a form that is not nil was not right.
func (s *site) showSettings(v *visit, profile, status *Form) error {
	f, err := s.frame(v, "Settings", "settings", "")
	if err != nil {
		return err
	}
	me, err := s.Account.GetMe.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	view := settingsView{Frame: f, Tab: "profile", Email: me.Email,
		Form: newForm("name", me.Name, "avatarUrl", text(me.AvatarURL), "discoveryMode", me.DiscoveryMode)}
	if me.PresenceStatus == "offline" {
		me.PresenceStatus = "invisible" // which is how the others see that
	}
	view.PresenceForm = newForm("presenceStatus", me.PresenceStatus)
	if p := me.ProfileStatus; p != nil {
		view.StatusForm = newForm("text", p.Text, "emoji", p.Emoji)
	}
	code := http.StatusOK
	if profile != nil {
		view.Form, code = *profile, profile.status()
	}
	if status != nil {
		view.StatusForm, code = *status, status.status()
	}
	return s.show(v, code, "settings", view)
}

func settingsProfile(s *site, v *visit) error {
	_, err := s.Account.UpdateMe.Call(v.ctx(), v.by, account.UpdateMeIn{Name: core.Some(v.form("name")),
		AvatarURL: core.Some(v.form("avatarUrl")), DiscoveryMode: core.Some(v.form("discoveryMode"))})
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err, "name", "avatarUrl", "discoveryMode")
		return s.showSettings(v, &form, nil)
	}
	if err != nil {
		return err
	}
	return v.seeOther("/settings?done=saved")
}

func settingsStatus(s *site, v *visit) error {
	_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Text: core.Some(v.form("text")), Emoji: core.Some(v.form("emoji"))})
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err, "text", "emoji")
		return s.showSettings(v, nil, &form)
	}
	if err != nil {
		return err
	}
	if strings.TrimSpace(v.form("text")+v.form("emoji")) == "" {
		return v.seeOther("/settings?done=cleared")
	}
	return v.seeOther("/settings?done=set")
}

func settingsPresence(s *site, v *visit) error {
	_, err := s.Account.SetStatus.Call(v.ctx(), v.by, account.SetStatusIn{Presence: core.Some(v.form("presenceStatus"))})
	if err != nil {
		return err // a list to choose from has no wrong choices
	}
	return v.seeOther("/settings?done=seen")
}

func sessions(s *site, v *visit) error {
	f, err := s.frame(v, "Devices", "settings", "")
	if err != nil {
		return err
	}
	out, err := s.Account.ListSessions.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	view := sessionsView{Frame: f, Tab: "sessions"}
	for _, row := range out.Sessions {
		view.Sessions = append(view.Sessions, sessionView{ID: row.ID, Device: device(row.Device), Token: row.Kind != "browser",
			CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, Current: row.Current})
	}
	return s.show(v, http.StatusOK, "settings_sessions", view)
}

func sessionEnd(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if id == v.by.SessionID {
		return logout(s, v)
	}
	if _, err := s.Account.EndSession.Call(v.ctx(), v.by, account.EndSessionIn{ID: id}); err != nil {
		return err
	}
	return v.seeOther("/settings/sessions?done=ended")
}

func sessionsEnd(s *site, v *visit) error {
	if _, err := s.Account.EndAllSessions.Call(v.ctx(), v.by, core.None{}); err != nil {
		return err
	}
	return logout(s, v)
}

// device says in two words what a User-Agent header tells in twenty. Many
// claim to be others too, so the order matters.
func device(agent string) string {
	first := func(pairs ...string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if strings.Contains(agent, pairs[i]) {
				return pairs[i+1]
			}
		}
		return ""
	}
	browser := first("Firefox/", "Firefox", "FxiOS/", "Firefox", "Edg", "Edge", "OPR/", "Opera", "CriOS/", "Chrome", "Chrome/", "Chrome",
		"Safari/", "Safari", "curl/", "curl")
	system := first("iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Windows", "Windows", "Mac OS X", "Mac", "CrOS", "ChromeOS", "Linux", "Linux")
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	case agent == "":
		return "A device without a name"
	}
	return oneLine(agent, 60)
}

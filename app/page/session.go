package page

import (
	"net/http"
	"strings"

	"hearth/app/account"
	"hearth/app/core"
)

type sessionsView struct {
	Frame
	Tab      string
	Sessions []account.Session
}

func sessions(s *site, v *visit) error {
	view := sessionsView{Frame: s.frame(v, "Devices", "settings", ""), Tab: "sessions"}
	view.Sessions = get(v, s.Account.ListSessions, core.None{}).Sessions
	return s.show(v, http.StatusOK, view)
}

func sessionEnd(s *site, v *visit) error {
	id := v.id("id")
	if id == v.by.SessionID {
		return logout(s, v)
	}
	_, err := s.Account.EndSession.Call(v.ctx(), v.by, account.EndSessionIn{ID: id})
	return v.next("/settings/sessions?done=ended", err)
}

func sessionsEnd(s *site, v *visit) error {
	if _, err := s.Account.EndAllSessions.Call(v.ctx(), v.by, core.None{}); err != nil {
		return err
	}
	return logout(s, v)
}

// device returns a short name for a User-Agent header. Many browsers name others in theirs, so the order
// matters.
func device(agent string) string {
	browser := firstIn(agent, "Firefox/", "Firefox", "FxiOS/", "Firefox", "Edg", "Edge", "OPR/", "Opera", "CriOS/", "Chrome",
		"Chrome/", "Chrome", "Safari/", "Safari", "curl/", "curl")
	system := firstIn(agent, "iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Windows", "Windows", "Mac OS X", "Mac",
		"CrOS", "ChromeOS", "Linux", "Linux")
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	case agent == "":
		return "Unknown device"
	}
	return oneLine(agent, 60)
}

// firstIn returns the name of the first mark in text, or "". pairs are mark, name.
func firstIn(text string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if strings.Contains(text, pairs[i]) {
			return pairs[i+1]
		}
	}
	return ""
}

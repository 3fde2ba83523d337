package push

import (
	"context"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// Preferences says how the caller is notified.
type Preferences struct {
	HideContent bool    `json:"hideContent" doc:"Notifications say that there is something, and neither what nor from whom"`
	QuietFrom   *string `json:"quietFrom" doc:"Nothing is sent from this time of day on, as HH:MM; null without quiet hours"`
	QuietTo     *string `json:"quietTo" doc:"Until this time of day. What waited and is still unread is sent then"`
	TimeZone    string  `json:"timeZone" doc:"Of the quiet hours, such as Europe/Berlin"`
}

func preferencesOf(p store.PushPreference) Preferences {
	return Preferences{p.HideContent, core.OrNil(p.QuietFrom), core.OrNil(p.QuietTo), p.TimeZone}
}

func getNotifications(r *store.Reader, by store.Viewer, _ core.None) (Preferences, error) {
	p, err := r.PushPreference(by)
	return preferencesOf(p), err
}

// UpdateNotificationsIn has what to change of the notifications. Omitted fields keep their value.
type UpdateNotificationsIn struct {
	HideContent *bool            `json:"hideContent"`
	QuietFrom   core.Opt[string] `json:"quietFrom,omitzero" max:"5" doc:"As HH:MM, with quietTo. Null in both ends quiet hours"`
	QuietTo     core.Opt[string] `json:"quietTo,omitzero" max:"5"`
	TimeZone    core.Opt[string] `json:"timeZone,omitzero" notnull:"true" min:"1" max:"100" doc:"A name of the IANA database"`
}

func updateNotifications(tx *store.Tx, by store.Viewer, in UpdateNotificationsIn) (out Preferences, err error) {
	p, err := tx.PushPreference(by)
	if err != nil {
		return out, err
	}
	if in.HideContent != nil {
		p.HideContent = *in.HideContent
	}
	in.QuietFrom.Into(&p.QuietFrom)
	in.QuietTo.Into(&p.QuietTo)
	in.TimeZone.Into(&p.TimeZone)
	if _, err := time.LoadLocation(p.TimeZone); err != nil || p.TimeZone == "Local" {
		return out, core.InvalidField("timeZone", "This server knows no such time zone. Send a name such as Europe/Berlin or UTC.")
	}
	if p.QuietFrom+p.QuietTo != "" && (!isTime(p.QuietFrom) || !isTime(p.QuietTo) || p.QuietFrom == p.QuietTo) {
		return out, core.InvalidField("quietFrom", "Send quietFrom and quietTo, two times of day such as 22:00 and 07:00, or null for both.")
	}
	return preferencesOf(p), tx.PutPushPreference(by.UserID, p)
}

const timeOfDay = "15:04"

func isTime(s string) bool {
	_, err := time.Parse(timeOfDay, s)
	return err == nil && len(s) == len(timeOfDay)
}

// maxWait is how long quiet hours are waited for before the preferences are read again.
const maxWait = time.Hour

// quiet returns how long to wait in quiet hours, and 0 outside them.
func quiet(p store.PushPreference, now time.Time) time.Duration {
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil || p.QuietFrom == "" {
		return 0
	}
	at := now.In(zone).Format(timeOfDay)
	after, before := at >= p.QuietFrom, at < p.QuietTo
	if p.QuietFrom < p.QuietTo && !(after && before) || p.QuietFrom > p.QuietTo && !after && !before {
		return 0
	}
	end, _ := time.Parse(timeOfDay, p.QuietTo)
	from, _ := time.Parse(timeOfDay, at)
	left := end.Sub(from)
	if left < 0 {
		left += 24 * time.Hour
	}
	return min(left, maxWait)
}

// SetInViewIn says whether a page is in view.
type SetInViewIn struct {
	InView *bool `json:"inView" required:"true" doc:"True also every half minute while it is: it counts for a minute"`
}

const viewTime = time.Minute

// view is a session with a page in view.
type view struct {
	userID string
	until  store.Time
}

// setInView keeps in memory alone who has a page in view.
func (s *Service) setInView(_ context.Context, by store.Viewer, in SetInViewIn) (out core.None, err error) {
	s.viewing.Lock()
	defer s.viewing.Unlock()
	delete(s.views, by.SessionID)
	if *in.InView {
		s.views[by.SessionID] = view{by.UserID, s.cfg.DB.Now().Add(viewTime)}
	}
	return out, nil
}

// isInView reports whether the account has a page in view, on any device.
func (s *Service) isInView(userID string) bool {
	s.viewing.Lock()
	defer s.viewing.Unlock()
	found, now := false, s.cfg.DB.Now()
	for session, v := range s.views {
		if v.until < now {
			delete(s.views, session)
			continue
		}
		found = found || v.userID == userID
	}
	return found
}

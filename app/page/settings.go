package page

import (
	"cmp"
	"fmt"
	"strings"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
)

func (s *site) settingsRoutes() []route {
	return []route{
		{"GET /settings", person, s.settings, "settings"},
		{"POST /settings/profile", person, edit(s, s.me, storedProfile, s.Account.UpdateMe, "/settings?done=saved"), "settings"},
		{"POST /settings/picture", person, act(s, s.Account.SetAvatar, "/settings?done=picture"), "settings"},
		{"POST /settings/picture/remove", person, act(s, s.Account.DeleteAvatar, "/settings?done=no-picture"), "settings"},
		{"POST /settings/status", person, s.posted(s.settingsStatus), "settings"},
		{"POST /settings/presence", person, edit(s, s.me, storedPresence, s.Account.SetStatus, "/settings?done=availability"), "settings"},
		{"POST /settings/email", person, s.posted(s.codeSend, "email"), "settings"},
		{"GET /settings/export", person, s.accountExport, "settings_export"},
		{"GET /settings/delete", person, s.showDelete, "settings_delete"},
		{"POST /settings/delete", person, s.posted(s.accountDeleteSend, "address"), "settings_delete"},
		{"GET /settings/sessions", person, s.sessions, "settings_sessions"},
		{"POST /settings/sessions/end", person, s.posted(s.sessionsEnd), ""},
		{"POST /settings/sessions/{id}/end", person, s.posted(s.sessionEnd), ""},
		{"GET /settings/api-keys", person, fresh(s.showKeys), "settings_keys"},
		{"POST /settings/api-keys", person,
			made(s, s.createKey, s.showKeys, "name", "scopes", "days", "agentName", "bot.name"), "settings_keys"},
		{"POST /settings/api-keys/{id}", person, s.posted(s.keyUpdate), "settings_keys"},
		{"POST /settings/api-keys/{id}/requests", person, actWith(s, s.Lane.SetContextPreference, "/settings/api-keys?done=saved#key-{id}",
			func(v *visit, in *lane.SetContextPreferenceIn) { in.KeyID = v.id("id") }), ""},
		{"GET /settings/api-keys/{id}/requests", person, s.keyRequests, "settings_key_requests"},
		{"POST /settings/api-keys/{id}/revoke", person, s.posted(s.keyRevoke), ""},
		{"GET /settings/api-keys/{id}/activity", person, s.keyActivity, "settings_key_activity"},
		{"POST /settings/bots/{id}", person, s.posted(s.botUpdate), "settings_keys"},
		{"POST /settings/bots/{id}/delete", person, s.posted(s.botDelete), "settings_keys"},
		{"GET /settings/secretary", person, s.secretary, "settings_secretary"},
		{"POST /settings/secretary", person, act(s, s.Chat.UpdateSecretary, "/settings/secretary?done=saved"), ""},
		{"POST /settings/secretary/answers", person,
			act(s, s.Chat.CreateSecretaryAnswer, "/settings/secretary?done=added", "question", "answer"), "settings_secretary"},
		{"POST /settings/secretary/answers/{id}", person,
			edit(s, s.answer, storedAnswer, s.Chat.UpdateSecretaryAnswer, "/settings/secretary?done=saved"), "settings_secretary"},
		{"POST /settings/secretary/answers/{id}/delete", person, act(s, s.Chat.DeleteSecretaryAnswer, "/settings/secretary?done=deleted"), ""},
		{"GET /settings/webhooks", person, fresh(s.showWebhooks), "settings_webhooks"},
		{"POST /settings/webhooks", person, made(s, s.createWebhook, s.showWebhooks, "url", "conversationId", "secret"), "settings_webhooks"},
		{"GET /settings/webhooks/{id}", person, s.webhookShow, "settings_webhook"},
		{"POST /settings/webhooks/{id}", person, edit(s, s.webhook, storedWebhook, s.Chat.UpdateWebhook, "/settings/webhooks/{id}?done=saved"),
			"settings_webhook"},
		{"POST /settings/webhooks/{id}/enable", person, s.webhookEnable(true, "enabled"), "settings_webhook"},
		{"POST /settings/webhooks/{id}/disable", person, s.webhookEnable(false, "disabled"), "settings_webhook"},
		{"POST /settings/webhooks/{id}/test", person, act(s, s.Chat.TestWebhook, "/settings/webhooks/{id}?done=tested"), "settings_webhook"},
		{"POST /settings/webhooks/{id}/delete", person,
			sure("/settings/webhooks/{id}", act(s, s.Chat.DeleteWebhook, "/settings/webhooks?done=deleted")), ""},
	}
}

type settingsView struct {
	Frame
	Email        string // "" without one
	AddAddress   bool   // the server sends mail to confirm one
	AddressForm  Form
	Form         Form
	StatusForm   Form
	PresenceForm Form
	PictureForm  Form
}

func (s *site) settings(v *visit) error {
	me := loaded(v, s.me)
	picture := v.filledAt("/picture", v.filledAt("/picture/remove", Form{}))
	return s.page(v, "Settings", "settings/profile", "", &settingsView{Email: me.Address(), PictureForm: picture,
		AddAddress: me.Address() == "" && s.SMTPURL != "", AddressForm: v.filledAt("/email", Form{}),
		PresenceForm: v.filledAt("/presence", storedPresence(me)), Form: v.filledAt("/profile", storedProfile(me)),
		StatusForm: v.filledAt("/status", storedStatus(me))})
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

func (s *site) settingsStatus(v *visit) (string, error) {
	_, err := current(v, s.me, storedStatus)
	if err == nil {
		_, err = send(v, s.Account.SetStatus)
	}
	if strings.TrimSpace(v.form("text")+v.form("emoji")) == "" {
		return "/settings?done=cleared", err
	}
	return "/settings?done=status", err
}

type exportRangeView struct{ Key, Label, About string }

func (s *site) accountExport(v *visit) error {
	return s.page(v, "Your data", "settings/data", "", &rowsView[exportRangeView]{Rows: []exportRangeView{
		{"last_hour", "Last hour", "Messages and notes of the last 60 minutes."},
		{"last_day", "Last day", "Messages and notes of the last 24 hours."},
		{"last_week", "Last week", "Messages and notes of the last 7 days."},
		{"last_month", "Last month", "Messages and notes of the last 30 days."},
		{"all_time", "All time", "Every message and note. A large account takes a few minutes."},
	}})
}

type deleteView struct {
	Frame
	Email string
	Form  Form
}

func (s *site) showDelete(v *visit) error {
	return s.page(v, "Delete account", "settings/data", "", &deleteView{Email: loaded(v, s.me).Address(), Form: v.filled(Form{})})
}

func (s *site) accountDeleteSend(v *visit) (string, error) {
	me, err := s.me(v)
	sure := cmp.Or(me.Address(), me.Name)
	switch {
	case err != nil:
		return "", err
	case !strings.EqualFold(strings.TrimSpace(v.form("address")), sure):
		return "", core.InvalidField("address", "This is not right. Type %s to delete your account.", sure)
	}
	if _, err := s.Account.DeleteMe.Call(v.ctx(), v.by, core.None{}); err != nil {
		return "", err
	}
	return "/deleted", s.Account.SignOut(v.w, v.r)
}

func (s *site) accountDeleted(v *visit) error {
	if v.by.SignedIn() {
		return v.seeOther("/")
	}
	return s.page(v, "Account deleted", "login", "narrow", &Frame{})
}

func (s *site) sessions(v *visit) error {
	return s.page(v, "Devices", "settings/sessions", "", &rowsView[account.Session]{Rows: read(v, s.Account.ListSessions).Sessions})
}

func (s *site) sessionEnd(v *visit) (string, error) {
	if v.id("id") == v.by.SessionID {
		return s.logout(v)
	}
	_, err := send(v, s.Account.EndSession)
	return "/settings/sessions?done=ended", err
}

func (s *site) sessionsEnd(v *visit) (string, error) {
	if _, err := s.Account.EndAllSessions.Call(v.ctx(), v.by, core.None{}); err != nil {
		return "", err
	}
	return s.logout(v)
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

type answerView struct {
	chat.SecretaryAnswer
	Form Form
}

type secretaryView struct {
	Frame
	Enabled bool
	Answers []answerView
	Form    Form
	Try     Form   // of a question to try
	Tried   string // the question that was tried
	Reply   string // the answer to Tried; "" for none
}

func (s *site) secretary(v *visit) error {
	got := get(v, s.Chat.GetSecretary, core.None{})
	view := &secretaryView{Enabled: got.Enabled, Form: v.filledAt("/answers", newForm()), Try: newForm("try", v.query("try"))}
	for i, a := range got.Answers {
		row := answerView{a, storedAnswer(a)}
		if a.ID == v.id("id") {
			row.Form = v.filled(row.Form)
		}
		row.Form.Prefix = fmt.Sprintf("answer%d-", i)
		view.Answers = append(view.Answers, row)
	}
	if tried := strings.TrimSpace(v.query("try")); tried != "" {
		// The comparison follows the page's reads.
		v.then(func() error { return s.trySecretary(v, view, tried) })
	}
	return s.page(v, "Automatic answers", "settings/secretary", "", view)
}

func (s *site) trySecretary(v *visit, view *secretaryView, tried string) error {
	got, err := s.Chat.TryQuestion.Call(v.ctx(), v.by, chat.TryQuestionIn{Question: tried})
	switch {
	case err != nil && !aboutInput(err):
		return err
	case err != nil:
		view.Try.Errors = map[string]string{"try": failed(view.Try.Values, err).Error}
	default:
		if view.Tried = tried; got.Answer != nil {
			view.Reply = got.Answer.Answer
		}
	}
	return nil
}

func storedAnswer(a chat.SecretaryAnswer) Form {
	return newForm("question", a.Question, "answer", a.Answer)
}

func (s *site) answer(v *visit) (chat.SecretaryAnswer, error) {
	got, err := s.Chat.GetSecretary.Call(v.ctx(), v.by, core.None{})
	return pick(got.Answers, err, func(a chat.SecretaryAnswer) bool { return a.ID == v.id("id") })
}

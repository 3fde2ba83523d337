package page

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

type communityForm struct {
	Form        Form
	PictureForm Form
	Picture     string          // its path; "" without one
	Fixed       map[string]bool // settings given at the start of the server
	Languages   [][2]string
	Accents     []accentChoice
}

type accentChoice struct{ Value, Name string }

func accents() []accentChoice {
	return []accentChoice{{"", "Rust"}, {"#a3122e", "Red"}, {"#9a4b00", "Amber"}, {"#3f6212", "Green"}, {"#0f5f4a", "Teal"},
		{"#0b5c8a", "Blue"}, {"#1d4ed8", "Royal blue"}, {"#5b21b6", "Purple"}, {"#475569", "Grey"}}
}

type adminSettingsView struct {
	adminFrame
	communityForm
}

type setupView struct {
	Frame
	communityForm
	SendID    string // makes a repeated form harmless
	Made      *inviteLink
	SendsMail bool
}

func adminSettings(s *site, v *visit) error { return s.showAdminSettings(v, Form{}, Form{}) }

func (s *site) showAdminSettings(v *visit, form, picture Form) error {
	f := s.adminFrame(v, "Settings of the server", "settings")
	fields := s.communityForm(v, form, storedCommunity)
	fields.PictureForm = picture
	return s.show(v, max(form.status(), picture.status()), adminSettingsView{f, fields})
}

// communityForm returns the stored settings, or the values of form if it failed.
func (s *site) communityForm(v *visit, form Form, stored func(admin.Settings) Form) (f communityForm) {
	now := get(v, s.Admin.GetSettings, core.None{})
	f = communityForm{Picture: pictureOf(core.OrZero(now.PictureURL)), Fixed: map[string]bool{}, Languages: admin.Languages(),
		Accents: accents()}
	for _, member := range now.Fixed {
		f.Fixed[member] = true
	}
	f.Form = form.Or(stored(now))
	return f
}

func storedCommunity(now admin.Settings) Form {
	name, accent := now.CommunityName, core.OrZero(now.Accent)
	if name == "hearth" {
		name = ""
	}
	other := otherAccent(accent)
	if other != "" {
		accent = "other"
	}
	f := newForm("communityName", name, "signup", now.Signup, "accent", accent, "otherAccent", other,
		"welcome", now.Welcome, "memberInvites", yesIf(now.MemberInvites), "dateLanguage", now.DateLanguage, "securityContact",
		now.SecurityContact)
	f.Fixed = map[string]bool{}
	for _, member := range now.Fixed {
		f.Fixed[member] = true
	}
	return f
}

func storedForSetup(now admin.Settings) Form {
	f := storedCommunity(now)
	delete(f.Values, "memberInvites")
	delete(f.Values, "securityContact")
	return f
}

func otherAccent(accent string) string {
	for _, a := range accents() {
		if a.Value == accent {
			return ""
		}
	}
	return accent
}

var communityFields = []string{"communityName", "signup", "accent", "welcome", "dateLanguage", "securityContact"}

func (s *site) saveSettings(v *visit, stored func(admin.Settings) Form) error {
	now, err := s.Admin.GetSettings.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	e, err := v.edits(stored(now))
	if err != nil {
		return err
	}
	in := admin.UpdateSettingsIn{CommunityName: e.text("communityName"), Welcome: e.text("welcome"), Accent: e.text("accent"),
		SecurityContact: e.text("securityContact"), Signup: e.choice("signup"), DateLanguage: e.choice("dateLanguage")}
	if other := strings.TrimSpace(v.form("otherAccent")); v.form("accent") == "other" && other != "" &&
		(e.has("accent") || e.has("otherAccent")) {
		in.Accent = core.Some(other)
	}
	if v.form("hasMemberInvites") != "" {
		in.MemberInvites = e.box("memberInvites")
	}
	_, err = s.Admin.UpdateSettings.Call(v.ctx(), v.by, in)
	return err
}

func yesIf(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func adminSettingsSave(s *site, v *visit) error {
	save := func() (string, error) {
		return "/admin/settings?done=saved", s.saveSettings(v, storedCommunity)
	}
	return s.submit(v, communityFields, save, func(f Form) error { return s.showAdminSettings(v, f, Form{}) })
}

func adminPicture(s *site, v *visit) error {
	return s.changeCommunityPicture(v, "picture", func() error { return s.saveCommunityPicture(v) })
}

func adminPictureRemove(s *site, v *visit) error {
	return s.changeCommunityPicture(v, "no-picture", func() error {
		_, err := s.Admin.DeleteCommunityPicture.Call(v.ctx(), v.by, core.None{})
		return err
	})
}

func (s *site) changeCommunityPicture(v *visit, done string, change func() error) error {
	act := func() (string, error) { return "/admin/settings?done=" + done, change() }
	return s.submit(v, nil, act, func(f Form) error { return s.showAdminSettings(v, Form{}, f) })
}

func (s *site) saveCommunityPicture(v *visit) error {
	u, err := v.upload()
	if err == nil {
		_, err = s.Admin.SetCommunityPicture.Call(v.ctx(), v.by, admin.SetCommunityPictureIn{File: u})
	}
	return err
}

func setup(s *site, v *visit) error { return s.showSetup(v, Form{}, nil) }

func (s *site) showSetup(v *visit, form Form, made *inviteLink) (err error) {
	view := setupView{SendID: store.NewID(), Made: made, SendsMail: !s.MailToLog}
	view.communityForm = s.communityForm(v, form, storedForSetup)
	title := "Set up your community"
	if made != nil {
		title = "Invite people"
	}
	view.Frame = s.frame(v, title, "setup", "narrow")
	return s.show(v, form.status(), view)
}

func setupSave(s *site, v *visit) error {
	made, err := s.setUp(v)
	if err != nil {
		return s.refuse(v, communityFields, err, func(f Form) error { return s.showSetup(v, f, nil) })
	}
	v.about = nil
	return s.showSetup(v, Form{}, made)
}

func (s *site) setUp(v *visit) (*inviteLink, error) {
	if v.uploadErr != nil {
		return nil, v.uploadErr
	}
	repeat := v.repeat(v.form("id"))
	if err := s.saveSettings(v, storedForSetup); err != nil {
		return nil, err
	}
	if len(v.uploads) > 0 {
		if err := s.saveCommunityPicture(v); err != nil {
			return nil, err
		}
	}
	if err := s.firstRoom(v); err != nil {
		return nil, err
	}
	return s.invite(v, repeat, account.CreateInvitationIn{})
}

// firstRoom creates a group that everybody joins, unless an open group exists.
func (s *site) firstRoom(v *visit) error {
	open, err := s.Chat.ListOpen.Call(v.ctx(), v.by, core.None{})
	if err != nil || len(open.Conversations) > 0 {
		return err
	}
	room, err := s.Chat.CreateConversation.Call(v.ctx(), v.by, chat.CreateConversationIn{ParticipantIDs: []string{v.by.UserID}, Type: "group",
		Title: "Everyone", Open: true})
	if err == nil {
		_, err = s.Chat.SetDefault.Call(v.ctx(), v.by, chat.SetDefaultIn{ConversationID: core.Some(room.ID)})
	}
	return err
}

// manifest is the web app manifest.
func manifest(s *site, v *visit) error {
	c := s.community(v)
	icon := map[string]string{"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"}
	if picture := pictureOf(core.OrZero(c.PictureURL)); picture != "" {
		icon = map[string]string{"src": picture, "sizes": "256x256"}
	}
	light, _ := schemes()
	b, err := json.Marshal(map[string]any{
		"name": c.Name, "short_name": c.Name, "id": "/", "start_url": "/", "scope": "/", "display": "standalone",
		"background_color": light.paper.String(), "theme_color": light.paper.String(), "icons": []any{icon},
	}, json.Deterministic(true))
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/manifest+json")
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(b)
	}
	return nil
}

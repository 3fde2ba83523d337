package page

import (
	"net/http"
	"slices"
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

func (s *site) adminSettings(v *visit) error {
	picture := v.filledAt("/picture", v.filledAt("/picture/remove", Form{}))
	view := adminSettingsView{communityForm: s.communityForm(v, "/admin/settings", storedCommunity)}
	view.PictureForm = picture
	return s.adminPage(v, "Settings of the server", "settings", &view)
}

// communityForm returns the form of the settings, which is sent to the route that ends with at.
func (s *site) communityForm(v *visit, at string, stored func(admin.Settings) Form) communityForm {
	now := get(v, s.Admin.GetSettings, core.None{})
	form := stored(now)
	return communityForm{Picture: pictureOf(core.OrZero(now.PictureURL)), Fixed: form.Fixed, Languages: admin.Languages(),
		Accents: accents(), Form: v.filledAt(at, form)}
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
	if slices.ContainsFunc(accents(), func(a accentChoice) bool { return a.Value == accent }) {
		return ""
	}
	return accent
}

func (s *site) saveSettings(v *visit, stored func(admin.Settings) Form) error {
	if _, err := current(v, via(s.Admin.GetSettings), stored); err != nil {
		return err
	}
	_, err := send(v, s.Admin.UpdateSettings, func(in *admin.UpdateSettingsIn) {
		if other := strings.TrimSpace(v.form("otherAccent")); v.form("accent") == "other" && other != "" &&
			(v.differs("accent") || v.differs("otherAccent")) {
			in.Accent = core.Some(other)
		}
		if v.form("hasMemberInvites") == "" {
			in.MemberInvites = core.Opt[bool]{}
		}
	})
	return err
}

func yesIf(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func (s *site) adminSettingsSave(v *visit) (string, error) {
	return "/admin/settings?done=saved", s.saveSettings(v, storedCommunity)
}

func (s *site) showSetup(v *visit, made *inviteLink) error {
	view := setupView{SendID: store.NewID(), Made: made, SendsMail: s.SMTPURL != "",
		communityForm: s.communityForm(v, "/setup", storedForSetup)}
	title := "Set up your community"
	if made != nil {
		title = "Invite people"
	}
	return s.page(v, title, "setup", "narrow", &view)
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
		if _, err := send(v, s.Admin.SetCommunityPicture); err != nil {
			return nil, err
		}
	}
	if err := s.firstRoom(v); err != nil {
		return nil, err
	}
	v.about = nil
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
func (s *site) manifest(v *visit) error {
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
	if err == nil {
		v.write(http.StatusOK, "application/manifest+json", b)
	}
	return err
}

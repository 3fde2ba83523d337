package admin

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

const defaultName = "hearth"

// Settings are the settings that administrators change while the server runs.
type Settings struct {
	CommunityName   string   `json:"communityName" doc:"In the titles of pages and in mails."`
	PictureURL      *string  `json:"pictureUrl" doc:"The address of the picture of the community on this server."`
	Accent          *string  `json:"accent" doc:"The color of links and buttons, as #rrggbb. Null is that of hearth."`
	Welcome         string   `json:"welcome" doc:"What newcomers read."`
	DateLanguage    string   `json:"dateLanguage" enum:"auto|de|en|es|fr|it|ja|nl|pl|pt|sv|tr" doc:"Language of dates. auto: the browser's."`
	MemberInvites   bool     `json:"memberInvites" doc:"Whether members may invite people, too, and not only administrators."`
	SecurityContact string   `json:"securityContact" doc:"An e-mail address or an https address for reports of security problems."`
	Signup          string   `json:"signup" enum:"open|invite" doc:"Who may join: everybody, or only invited people."`
	SignupFixed     bool     `json:"signupFixed" doc:"Whether --signup sets it, so that it cannot be changed here."`
	Fixed           []string `json:"fixed" doc:"The members here that are set where the server is started, and cannot be changed here."`
}

// Languages returns the languages of dates and their names.
func Languages() [][2]string {
	return [][2]string{
		{"auto", "Each reader’s own"}, {"de", "Deutsch"}, {"en", "English"}, {"es", "Español"}, {"fr", "Français"}, {"it", "Italiano"},
		{"ja", "日本語"}, {"nl", "Nederlands"}, {"pl", "Polski"}, {"pt", "Português"}, {"sv", "Svenska"}, {"tr", "Türkçe"},
	}
}

var settingNames = map[string]string{
	"communityName": store.SettingCommunityName, "pictureUrl": store.SettingPicture, "accent": store.SettingAccent,
	"welcome":      store.SettingWelcome,
	"dateLanguage": store.SettingDateLanguage, "memberInvites": store.SettingMemberInvites, "securityContact": store.SettingSecurity,
	"signup": store.SettingSignup,
}

func (s *Service) getSettings(r *store.Reader, _ store.Viewer, _ core.None) (out Settings, err error) {
	values, err := r.Settings(slices.Collect(maps.Values(settingNames))...)
	if err != nil {
		return out, err
	}
	for member, value := range s.cfg.Fixed {
		values[settingNames[member]] = value
	}
	out.Fixed = slices.Sorted(maps.Keys(s.cfg.Fixed))
	_, out.SignupFixed = s.cfg.Fixed["signup"]
	out.CommunityName, out.Welcome = cmp.Or(values[store.SettingCommunityName], defaultName), values[store.SettingWelcome]
	out.PictureURL, out.Accent = core.OrNil(values[store.SettingPicture]), core.OrNil(values[store.SettingAccent])
	out.DateLanguage, out.Signup = cmp.Or(values[store.SettingDateLanguage], "auto"), cmp.Or(values[store.SettingSignup], "open")
	out.MemberInvites, out.SecurityContact = values[store.SettingMemberInvites] != "", values[store.SettingSecurity]
	return out, nil
}

// UpdateSettingsIn has the settings to change. Omitted settings keep their value.
type UpdateSettingsIn struct {
	CommunityName   core.Opt[string] `json:"communityName,omitzero" max:"60" line:"true" plain:"true" doc:"Null or empty is hearth."`
	Accent          core.Opt[string] `json:"accent,omitzero" max:"7" line:"true" doc:"As #rrggbb. Null or empty: hearth's color."`
	Welcome         core.Opt[string] `json:"welcome,omitzero" max:"1000" doc:"Null or empty removes it."`
	DateLanguage    core.Opt[string] `json:"dateLanguage,omitzero" notnull:"true" enum:"auto|de|en|es|fr|it|ja|nl|pl|pt|sv|tr"`
	MemberInvites   core.Opt[bool]   `json:"memberInvites,omitzero" notnull:"true"`
	SecurityContact core.Opt[string] `json:"securityContact,omitzero" max:"254" line:"true" doc:"E-mail or https address; null or empty: none"`
	Signup          core.Opt[string] `json:"signup,omitzero" notnull:"true" enum:"open|invite"`
}

type change struct {
	member string
	in     core.Opt[string]
	was    string
	empty  string // the value that is stored as ""
	plain  bool   // logged without quotes
}

func (in *UpdateSettingsIn) changes(was Settings) []change {
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return ""
	}
	invites := core.Opt[string]{Set: in.MemberInvites.Set, V: yes(in.MemberInvites.V)}
	return []change{
		{"communityName", in.CommunityName, was.CommunityName, defaultName, false},
		{"accent", in.Accent, core.OrZero(was.Accent), "", true},
		{"welcome", in.Welcome, was.Welcome, "", false},
		{"dateLanguage", in.DateLanguage, was.DateLanguage, "auto", true},
		{"memberInvites", invites, cmp.Or(yes(was.MemberInvites), "no"), "no", true},
		{"securityContact", in.SecurityContact, was.SecurityContact, "", true},
		{"signup", in.Signup, was.Signup, "", true},
	}
}

var colorText = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// Check validates in, and converts the color to lower case.
func (in *UpdateSettingsIn) Check() error {
	if err := core.Check(in); err != nil {
		return err
	}
	in.Accent.V = strings.ToLower(in.Accent.V)
	if in.Accent.V != "" && !colorText.MatchString(in.Accent.V) {
		return core.InvalidField("accent", "accent must be a color such as #a33b12.")
	}
	if in.SecurityContact.V != "" && contactURL(in.SecurityContact.V) == "" {
		return core.InvalidField("securityContact", "securityContact must be an e-mail address, or the https address of a page.")
	}
	return nil
}

// updateSettings changes settings at once. A setting from the start of the server is a Conflict with
// setting_fixed, or signup_fixed.
func (s *Service) updateSettings(tx *store.Tx, by store.Viewer, in UpdateSettingsIn) (out Settings, err error) {
	if err := in.Check(); err != nil {
		return out, err
	}
	was, err := s.getSettings(&tx.Reader, by, core.None{})
	if err != nil {
		return out, err
	}
	var changed []string
	for _, c := range in.changes(was) {
		to := cmp.Or(c.in.V, c.empty)
		if !c.in.Set || to == c.was {
			continue
		}
		if err := cmp.Or(s.free(c.member), tx.SetSetting(settingNames[c.member], c.in.V)); err != nil {
			return out, err
		}
		if !c.plain {
			to = strconv.Quote(to)
		}
		changed = append(changed, c.member+" "+cmp.Or(to, "none"))
	}
	if len(changed) > 0 {
		err = tx.Audit(by, "settings.update", "", strings.Join(changed, ", "))
	}
	if err != nil {
		return out, err
	}
	return s.getSettings(&tx.Reader, by, core.None{})
}

func (s *Service) free(member string) error {
	if _, fixed := s.cfg.Fixed[member]; !fixed {
		return nil
	}
	if member == "signup" {
		return core.New(core.Conflict, "signup_fixed",
			"Sign-up is set where the server is started (--signup). Remove the setting there to change it here.")
	}
	return core.New(core.Conflict, "setting_fixed", "%s is set where the server is started. Remove the setting there to change it here.",
		member)
}

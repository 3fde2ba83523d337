package admin

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// defaultName is the name of a community without one.
const defaultName = "hearth"

// Settings are what administrators set while the server runs.
type Settings struct {
	CommunityName string `json:"communityName" doc:"Stands in the titles of pages and in mails."`
	Signup        string `json:"signup" enum:"open|invite" doc:"Who may join: everybody, or only people with an account."`
	SignupFixed   bool   `json:"signupFixed" doc:"Whether signup is set where the server is started (--signup) and cannot be changed here."`
}

// CommunityName returns the name of the community, for pages; the default if it
// cannot be read.
func (s *Service) CommunityName(ctx context.Context) string {
	name := ""
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		name, err = r.Setting(store.SettingCommunityName)
		return err
	})
	if err != nil {
		return defaultName
	}
	return cmp.Or(name, defaultName)
}

// getSettings returns the settings.
func (s *Service) getSettings(ctx context.Context, by store.Viewer, _ core.None) (out Settings, err error) {
	err = s.read(ctx, by, func(r *store.Reader) (err error) {
		out, err = s.settings(r)
		return err
	})
	return out, err
}

func (s *Service) settings(r *store.Reader) (out Settings, err error) {
	if out.CommunityName, err = r.Setting(store.SettingCommunityName); err != nil {
		return out, err
	}
	if out.Signup, err = r.Setting(store.SettingSignup); err != nil {
		return out, err
	}
	out.CommunityName, out.SignupFixed = cmp.Or(out.CommunityName, defaultName), s.signup != ""
	out.Signup = cmp.Or(s.signup, out.Signup, "open")
	return out, nil
}

// UpdateSettingsIn has the settings to change. Omitted ones keep their value.
type UpdateSettingsIn struct {
	CommunityName core.Opt[string] `json:"communityName,omitzero" max:"60" line:"true" doc:"Null or empty is hearth."`
	Signup        core.Opt[string] `json:"signup,omitzero" enum:"open|invite"`
}

// updateSettings changes settings at once. It returns Conflict, with the code
// signup_fixed, for signup if that is set where the server is started.
func (s *Service) updateSettings(ctx context.Context, by store.Viewer, in UpdateSettingsIn) (out Settings, err error) {
	if in.Signup.Set && in.Signup.Null {
		return out, core.InvalidField("signup", "signup cannot be null. Omit it to leave it unchanged.")
	}
	err = s.write(ctx, by, func(tx *store.Tx) error {
		was, err := s.settings(&tx.Reader)
		if err != nil {
			return err
		}
		var changes []string
		if name := cmp.Or(in.CommunityName.V, defaultName); in.CommunityName.Set && name != was.CommunityName {
			changes = append(changes, "communityName "+strconv.Quote(name))
			if err := tx.SetSetting(store.SettingCommunityName, in.CommunityName.V); err != nil {
				return err
			}
		}
		if in.Signup.Set && in.Signup.V != was.Signup {
			if was.SignupFixed {
				return core.New(core.Conflict, "signup_fixed", "Sign-up is set where the server is started (--signup). Remove the setting there to change it here.")
			}
			changes = append(changes, "signup "+in.Signup.V)
			if err := tx.SetSetting(store.SettingSignup, in.Signup.V); err != nil {
				return err
			}
		}
		if len(changes) > 0 {
			if err := tx.Audit(by, "settings.update", "", strings.Join(changes, ", ")); err != nil {
				return err
			}
		}
		out, err = s.settings(&tx.Reader)
		return err
	})
	return out, err
}

package admin

import (
	"testing"

	_ "modernc.org/sqlite"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// What is set where the server is started cannot be changed by administrators;
// sending its value again, and changing other settings, they can.
func TestSignupIsFixed(t *testing.T) {
	db := storetest.Open(t)
	s := New(Config{DB: db.DB, Fixed: map[string]string{"signup": "invite", "accent": "#123456"}})
	update := func(in UpdateSettingsIn) (Settings, error) {
		return s.UpdateSettings.Call(t.Context(), store.Viewer{Kind: store.Operator}, in)
	}
	if _, err := update(UpdateSettingsIn{Signup: core.Some("open"),
		CommunityName: core.Some("Mill Lane")}); core.As(err).Kind != core.Conflict || core.As(err).Code != "signup_fixed" {
		t.Errorf("got %v, want signup_fixed", err)
	}
	got, err := s.GetSettings.Call(t.Context(), store.Viewer{Kind: store.Operator}, core.None{})
	if err != nil || got.Signup != "invite" || !got.SignupFixed || got.CommunityName != "hearth" {
		t.Errorf("after it was refused: %+v, %v", got, err)
	}
	if got, err = update(UpdateSettingsIn{Signup: core.Some("invite"), CommunityName: core.Some("Mill Lane")}); err != nil ||
		got.CommunityName != "Mill Lane" {
		t.Errorf("with the value that is set: %+v, %v", got, err)
	}
	if _, err := update(UpdateSettingsIn{Accent: core.Some("#654321")}); core.As(err).Code != "setting_fixed" {
		t.Errorf("got %v, want setting_fixed", err)
	}
	if got.Accent == nil || *got.Accent != "#123456" || len(got.Fixed) != 2 {
		t.Errorf("got %+v", got)
	}
}

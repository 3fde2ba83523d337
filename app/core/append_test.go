package core

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// What a PublicUser encodes is what its tags describe, whatever is in it.
func TestPublicUserJSON(t *testing.T) {
	text, at := "a \"quoted\"\n<b> 🌿 \u2028 \x01 \xff غ", store.Time(1_700_000_000_000_123)
	full := PublicUser{ID: "i", Name: text, Email: text, AvatarURL: &text, IsBot: true, PresenceStatus: "away",
		ProfileStatus: &ProfileStatus{Text: text, Emoji: text, UpdatedAt: at}, LastSeenAt: &at}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the test leaves out %s", v.Type().Field(i).Name)
		}
	}
	type plain PublicUser // without the method
	for _, u := range []PublicUser{{}, full} {
		got, err := json.Marshal([]PublicUser{u, u}, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal([]plain{plain(u), plain(u)}, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

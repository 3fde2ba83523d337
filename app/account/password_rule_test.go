package account

import (
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/store"
)

// Passwords that are common, repeated, in a sequence or made of what everybody knows
// of the account are easy to guess; nothing is asked of what they are made of.
func TestEasyToGuess(t *testing.T) {
	context := []string{"ada.lovelace@mill-lane.example", "Ada Lovelace", "Mühle 7", "hearth"}
	for _, easy := range []string{
		"leavemealone", "LeaveMeAlone", "needforspeed", "1qaz2wsx3edc", // common
		"password1234", "2026-Football!", "qwertyuiop12", "...Sunshine...", // common with something before or after it
		"passwordpassword", "123456123456", "xyz!xyz!xyz!", "aaaaaaaaaaaa", // repeated
		"abcdefghijkl", "9876543210987", "aabbccddeeff", "111222333444", // in a sequence
		"adalovelace1815", "Lovelace-Ada-1", "ada.lovelace@mill-lane.example", // the address and the name
		"mill lane 2026", "hearthhearth12", "mühle7mühle7mühle7abc", // the server
	} {
		if !easyToGuess(easy, context) {
			t.Errorf("%q is not easy to guess", easy)
		}
	}
	for _, good := range []string{
		"correct horse battery", "another long password", "twelve chars", "h5x!k2v9q0wz", "!§%&/=?+*#-_", "яблоко и груша", "水の上の青い月は丸い",
		"ada and the steam engine", "hearth of the old mill", "password of my uncle", "correct horsecorrect horse",
	} {
		if easyToGuess(good, context) {
			t.Errorf("%q is easy to guess", good)
		}
	}
	if n := strings.Count(commonPasswords, "\n"); n < 3000 {
		t.Errorf("there are %d common passwords", n)
	}
}

// An agent cannot register with a password that is easy to guess, and nothing of it
// is stored.
func TestRegisterWithAWeakPassword(t *testing.T) {
	h := open(t)
	err := h.db.Write(t.Context(), func(tx *store.Tx) error { return tx.SetSetting(store.SettingCommunityName, "Mill Lane") })
	if err != nil {
		t.Fatal(err)
	}
	in := RegisterAgentIn{Email: "scout@example.net", Name: "Bench Finder"}
	for n, weak := range []string{"password1234", "scout@example.net", "bench finder 1", "millLane-2026"} {
		in.Password = weak
		_, err := h.RegisterAgent.Call(t.Context(), store.Viewer{IP: randomText(6)}, in)
		if e := core.As(err); e.Kind != core.Invalid || e.Code != "weak_password" || e.Field != "password" {
			t.Errorf("%d: %q: %v", n, weak, err)
		}
	}
	in.Password = "four benches by the river"
	if _, err := h.RegisterAgent.Call(t.Context(), store.Viewer{IP: randomText(6)}, in); err != nil {
		t.Error(err)
	}
}

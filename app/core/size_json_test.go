package core

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

func TestSizeInJSON(t *testing.T) {
	now := store.Time(1_773_480_413_000_001)
	text := "x"
	type inner struct {
		Text string  `json:"a_longer_name"`
		More *string `json:"more"`
	}
	for _, v := range []any{
		"", "a", `"\`, "\x00\x1f\n", "\u2028<", "🍎", "\xff\xc0", strings.Repeat("\x01", 20_000),
		0, -9_223_372_036_854_775_808, 1.0 / 3, true, now, &now, (*string)(nil), []string{}, []int{1, 2},
		map[string]int{"a": 1}, jsontext.Value(`{"k":[1,2]}`), inner{}, []inner{{"\x01", &text}, {}},
		PublicUser{ID: "x", Name: `"`, AvatarURL: &text, LastSeenAt: &now, ProfileStatus: &ProfileStatus{}},
	} {
		b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		if n := SizeInJSON(v); n < len(b) || n > 6*len(b)+1000 {
			t.Errorf("%.100q: %d, and there are %d bytes", b, n, len(b))
		}
	}
}

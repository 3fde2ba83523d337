package core_test

import (
	"strings"
	"testing"

	"hearth/app/core"
)

// Null is no text of an array, wherever that is.
func TestNullInAnArray(t *testing.T) {
	type input struct {
		Items []string           `json:"items"`
		Opt   core.Opt[[]string] `json:"opt,omitzero"`
		Text  string             `json:"text"`
		Share *float64           `json:"share"`
		Count *int               `json:"count"`
		Inner []struct {
			Items []string `json:"items"`
		} `json:"inner"`
	}
	for body, want := range map[string]string{
		`{"items":[null]}`:                             "items[0] must be text, not null.",
		`{"items":["a",null]}`:                         "items[1] must be text, not null.",
		`{"items":["a",1]}`:                            "items[1] must be text, not this number.",
		`{"opt":[null,"a"]}`:                           "opt[0] must be text, not null.",
		`{"inner":[{"items":[]},{"items":["",null]}]}`: "inner[1].items[1] must be text, not null.",
		`{"items":null,"opt":null,"text":null}`:        "",
		`{"items":["null",""]}`:                        "",
		`{"share":1e400}`:                              "share must be a number, not one as large as this.",
		`{"share":"1"}`:                                "share must be a number, not this text.",
		`{"count":1.5}`:                                "count must be a whole number, not this number.",
		`{"share":1.5,"count":1}`:                      "",
	} {
		var in input
		err := core.DecodeObject([]byte(body), &in)
		if got := ""; err != nil {
			if got = core.As(err).Msg; got != want || core.As(err).Kind != core.Invalid || !strings.HasPrefix(want, core.As(err).Field+" ") {
				t.Errorf("%s: %s (%s)", body, got, core.As(err).Field)
			}
		} else if want != "" {
			t.Errorf("%s is accepted: %+v", body, in)
		}
	}
}

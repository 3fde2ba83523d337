package op

import (
	"reflect"
	"slices"
	"testing"
)

type inner struct {
	Inner string `json:"inner"`
}

type word string

// The members of a JSON object are the exported fields with a name, and those of
// structs that are embedded without one.
func TestBodyFields(t *testing.T) {
	type embedded struct {
		inner
		Deep string `json:"deep,omitzero"`
	}
	type named struct {
		Hidden string `json:"hidden"`
	}
	var of struct {
		embedded
		named    `json:"named"`
		word     `json:"-"`
		Plain    inner  `json:"plain"`
		Tagless  string // without a name
		Left     string `json:"-"`
		internal string
		Last     int `json:"last,omitempty"`
	}
	_ = of.internal
	var got []string
	for _, f := range bodyFields(reflect.TypeOf(of)) {
		got = append(got, jsonName(f))
	}
	if want := []string{"inner", "deep", "plain", "last"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

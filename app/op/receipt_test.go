package op

import (
	"reflect"
	"testing"

	"hearth/app/core"
)

// A value counts as sent if it is what the caller sent, whole: a list that is longer,
// shorter or has other elements does not, nor does a value of another kind.
func TestIsSent(t *testing.T) {
	text, other := "a", "b"
	for name, tc := range map[string]struct {
		v, sent any
		want    bool
	}{
		"the same text":         {"a", "a", true},
		"another text":          {"a", "b", false},
		"the same number":       {1, int64(1), true},
		"another number":        {1, 2, false},
		"a text for a number":   {"1", 1, false},
		"the same list":         {[]string{"a", "b"}, []string{"a", "b"}, true},
		"a longer list":         {[]string{"a", "b"}, []string{"a"}, false},
		"a shorter list":        {[]string{"a"}, []string{"a", "b"}, false},
		"a list with another":   {[]string{"a", "b"}, []string{"a", "c"}, false},
		"a list of other kinds": {[]string{"1"}, []int{1}, false},
		"nothing was sent":      {"a", nil, false},
		"a text behind another": {&text, "a", true},
		"another behind one":    {&other, "a", false},
		"no text behind one":    {(*string)(nil), "a", false},
		"an optional text":      {"a", core.Opt[string]{Set: true, V: "a"}, true},
		"another optional text": {"a", core.Opt[string]{Set: true, V: "b"}, false},
		"an optional null":      {"", core.Opt[string]{Set: true, Null: true}, false},
		"an optional left out":  {"", core.Opt[string]{}, false},
	} {
		if got := isSent(reflect.ValueOf(tc.v), reflect.ValueOf(tc.sent)); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

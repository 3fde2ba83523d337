package op

import (
	"reflect"
	"testing"
)

// A value counts as sent if it is what the caller sent, whole: a list that is longer,
// shorter or has other elements does not, nor does a value of another kind.
func TestIsSent(t *testing.T) {
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
	} {
		if got := isSent(reflect.ValueOf(tc.v), reflect.ValueOf(tc.sent)); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

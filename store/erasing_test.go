package store

import "testing"

// The accounts that are read as deleted are found by their whole id.
func TestErasing(t *testing.T) {
	const a, b = "0198c0de-0000-7000-8000-00000000000a", "0198c0de-0000-7000-8000-00000000000b"
	both := erasing(a + "1700000000123 " + b + "1700000000456")
	for _, tc := range []struct {
		e    erasing
		id   string
		at   Time
		want bool
	}{
		{"", "", 0, false},
		{"", a, 0, false},
		{both, "", 0, false}, // a message of the server has no sender
		{both, a, 1700000000123, true},
		{both, b, 1700000000456, true},
		{both, a[:35] + "c", 0, false},
	} {
		at, ok := tc.e.has(tc.id)
		if at != tc.at || ok != tc.want {
			t.Errorf("%q in %q: %d, %v", tc.id, tc.e, at, ok)
		}
		want := tc.id
		if tc.want {
			want = DeletedUserID
		}
		if got := tc.e.shown(tc.id); got != want {
			t.Errorf("%q is shown as %q", tc.id, got)
		}
	}
}

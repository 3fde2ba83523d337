package store

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// Ids cannot be guessed: those that are made in the same moment have 62 random bits,
// and those that are not ordered 122.
func TestIDsAreRandom(t *testing.T) {
	for name, tc := range map[string]struct {
		id     func() string
		random int
	}{"NewTimeID": {func() string { return NewTimeID(1) }, 62}, "NewID": {NewID, 122}} {
		var ones, zeros uuid.UUID
		seen := map[string]bool{}
		for range 200 {
			id := uuid.MustParse(tc.id())
			seen[id.String()] = true
			for i, b := range id {
				ones[i] |= b
				zeros[i] |= ^b
			}
		}
		varied := 0
		for i := range ones {
			varied += bits.OnesCount8(ones[i] & zeros[i])
		}
		if varied != tc.random || len(seen) != 200 {
			t.Errorf("%s: %d bits differ among %d of 200 ids, want %d", name, varied, len(seen), tc.random)
		}
	}
}

// An id of a moment begins with its milliseconds and the fraction of a millisecond, so
// that ids of later moments sort later.
func TestIDsOfMoments(t *testing.T) {
	before := ""
	for _, at := range []Time{0, 1, 999, 1000, 1_000_999, 1_773_476_813_000_000, 1_773_476_813_000_500, 1_773_476_813_000_999,
		5_000_000_000_000_001} {
		ms, fraction := uint64(at)/1000, uint64(at)%1000*4096/1000
		want := fmt.Sprintf("%08x-%04x-7%03x-", ms>>16, ms&0xffff, fraction)
		got := NewTimeID(at)
		if !strings.HasPrefix(got, want) || !strings.ContainsAny(got[19:20], "89ab") || !ValidID(got) || got <= before {
			t.Errorf("of %d: %s after %s, want %s", at, got, before, want)
		}
		before = got
	}
}

// An id has hyphens at four places and lower-case hexadecimal digits at all others.
func TestValidID(t *testing.T) {
	const id = "01234567-89ab-cdef-0123-456789abcdef"
	for i := range id {
		for _, c := range "-0189afg/:`AFé" {
			s := id[:i] + string(c) + id[i+1:]
			want := c != 'é' && (c == '-') == (id[i] == '-') && strings.ContainsRune("-0189af", c)
			if ValidID(s) != want {
				t.Errorf("%s is valid: %v", s, !want)
			}
		}
	}
	for s, want := range map[string]bool{id: true, "": false, id[1:]: false, id + "0": false} {
		if ValidID(s) != want {
			t.Errorf("%q is valid: %v", s, !want)
		}
	}
}

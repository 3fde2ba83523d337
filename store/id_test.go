package store

import (
	"math/bits"
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

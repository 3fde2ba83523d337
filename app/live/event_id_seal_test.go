package live

import (
	"crypto/aes"
	"encoding/binary"
	"encoding/hex"
	"testing"
)

func newTestIDs(t *testing.T) eventIDs {
	t.Helper()
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	return eventIDs{block}
}

// Numbers below 2 to the power of 48 can be sealed and opened again.
func TestSealedNumbersAreBounded(t *testing.T) {
	ids := newTestIDs(t)
	for _, tc := range []struct {
		n  int64
		ok bool
	}{{0, true}, {1, true}, {1<<48 - 1, true}, {1 << 48, false}, {1<<48 + 1, false}, {-1, false}, {-1 << 63, false}} {
		for _, sealed := range []string{ids.Seal(tc.n), ids.SealPosition(tc.n)} {
			if n, ok := ids.Open(sealed); ok != tc.ok || ok && n != tc.n {
				t.Errorf("%d is opened as %d, %v, want %v", tc.n, n, ok, tc.ok)
			}
		}
	}
}

// A position has the number and four random bytes, each of which varies, so that
// two positions of one moment are hardly ever equal.
func TestPositionsAreRandom(t *testing.T) {
	ids := newTestIDs(t)
	var varies [aes.BlockSize]bool
	var first []byte
	for range 64 {
		b, err := hex.DecodeString(ids.SealPosition(7))
		if err != nil {
			t.Fatal(err)
		}
		ids.block.Decrypt(b, b)
		if n := binary.BigEndian.Uint64(b[:8]); n != 7 {
			t.Fatalf("the position has the number %d, want 7", n)
		}
		if first == nil {
			first = b
		}
		for i := range b {
			varies[i] = varies[i] || b[i] != first[i]
		}
	}
	if want := [aes.BlockSize]bool{8: true, 9: true, 10: true, 11: true}; varies != want {
		t.Errorf("the bytes that vary are %v, want %v", varies, want)
	}
}

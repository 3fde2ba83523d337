package account

import (
	"crypto/sha256"
	"testing"
	"time"
)

// A token is valid until exactly a minute after it expires, and from exactly a minute
// before it was issued: for a clock that was set back. The session decides when it ends.
func TestTokenSkewExactly(t *testing.T) {
	for name, tc := range map[string]struct {
		claim  string
		before time.Duration // of the claim before the clock
		ok     bool
	}{
		"expired for less than a minute": {"exp", 59 * time.Second, true},
		"expired for a minute":           {"exp", 60 * time.Second, false},
		"issued in a minute":             {"iat", -60 * time.Second, true},
		"issued in more than a minute":   {"iat", -61 * time.Second, false},
		"valid in a minute":              {"nbf", -60 * time.Second, true},
		"valid in more than a minute":    {"nbf", -61 * time.Second, false},
	} {
		tk := testTokens()
		c := goodClaims()
		c[tc.claim] = tk.now().Add(-tc.before).Unix()
		if _, err := tk.parse(forge(hs256, c, sha256.New, testKey)); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

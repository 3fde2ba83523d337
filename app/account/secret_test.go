package account

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"
)

// The checksum of a key is as it was when keys were first made: those that people have
// must stay valid.
func TestChecksumStays(t *testing.T) {
	for _, key := range []string{
		"oc_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg44vpWv",
		"cl_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg26PNRj",
	} {
		if prefix := key[:3]; !validKey(key, prefix) {
			t.Errorf("%s is not valid, its checksum is %s", key, checksum(key[:len(key)-keyChecksum]))
		}
	}
}

// No character of a key is likelier than another: bytes that would make some so are
// left out.
func TestCharactersOfKeys(t *testing.T) {
	reader := rand.Reader
	t.Cleanup(func() { rand.Reader = reader })
	rand.Reader = bytes.NewReader(append([]byte{248, 255, 247, 248, 0}, bytes.Repeat([]byte{61, 62}, 21)...))
	if got, want := newKey("x_")[:2+keyRandom], "x_z0"+strings.Repeat("z0", 21)[:keyRandom-2]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The secrets in links have as many random bytes as nobody guesses, and no two are
// the same.
func TestSecretsInLinks(t *testing.T) {
	h := open(t)
	if token := h.ask("ada@example.org").token; len(token) != 43 { // 32 bytes
		t.Errorf("the token of a sign-in link is %q", token)
	}
	if token := h.invite(h.promote(), 1).Token; len(token) != 32 { // 24 bytes
		t.Errorf("the token of an invitation is %q", token)
	}
}

// A password is hashed as the hash is that an account without a password is compared
// with: else the time would tell which accounts have one.
func TestHashTakesAsLongAsTheDummy(t *testing.T) {
	h := open(t)
	hash, err := h.HashPassword(t.Context(), "a password")
	if err != nil {
		t.Fatal(err)
	}
	form := func(hash string) string { return strings.Join(strings.Split(hash, "$")[:4], "$") }
	if form(hash) != form(dummyHash) || len(hash) != len(dummyHash) {
		t.Errorf("got %s, the other is %s", hash, dummyHash)
	}
}

// Secrets that are generated have 32 random bytes.
func TestGeneratedSecretsHave32Bytes(t *testing.T) {
	h := open(t)
	for name, secret := range map[string]string{"of tokens": string(h.jwt.key), "of codes": string(h.codeKey),
		"of a claim": claimToken(t, h)} {
		b, err := base64.RawURLEncoding.DecodeString(secret)
		if err != nil || len(b) != 32 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}

// The hash of a code depends on a secret of the server, which a restart does not change:
// a million codes are quickly tried.
func TestHashOfACodeIsKeyed(t *testing.T) {
	h, elsewhere := open(t), open(t)
	again, err := New(Config{DB: h.db.DB, Mail: h.mail, BaseURL: "http://hearth.test", JWTSecret: strings.Repeat("x", 32)})
	if err != nil {
		t.Fatal(err)
	}
	hash := h.codeHash("ada@example.org", "123456")
	if again.codeHash("ADA@example.org", "123456") != hash {
		t.Error("another one after a restart")
	}
	if elsewhere.codeHash("ada@example.org", "123456") == hash || (&Service{}).codeHash("ada@example.org", "123456") == hash {
		t.Error("the same on another server, or without a secret")
	}
	if h.codeHash("ben@example.org", "123456") == hash || h.codeHash("ada@example.org", "123457") == hash {
		t.Error("the same of another address or code")
	}
}

// Codes have six digits and are drawn from all numbers of six digits.
func TestCodes(t *testing.T) {
	const n = 2000
	seen, digits := map[string]bool{}, [6]map[byte]bool{}
	for range n {
		code := newCode()
		if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
			t.Fatalf("a code is %q", code)
		}
		seen[code] = true
		for i := range digits {
			if digits[i] == nil {
				digits[i] = map[byte]bool{}
			}
			digits[i][code[i]] = true
		}
	}
	for i, d := range digits {
		if len(d) != 10 {
			t.Errorf("digit %d has %d values", i+1, len(d))
		}
	}
	if len(seen) < n*98/100 { // two of 2,000 are equal about twice
		t.Errorf("of %d codes %d are different", n, len(seen))
	}
	if maxWrongCodesOfAll != 100 {
		t.Errorf("%d wrong codes end all", maxWrongCodesOfAll)
	}
}

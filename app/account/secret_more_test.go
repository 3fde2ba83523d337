package account

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Secrets that are generated have 32 random bytes.
func TestGeneratedSecretsHave32Bytes(t *testing.T) {
	h := open(t)
	for name, secret := range map[string]string{"of tokens": string(h.jwt.key), "of codes": string(h.codeKey), "of a claim": claimToken(t, h)} {
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

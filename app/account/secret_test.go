package account

import (
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

// The hash of a code depends on a secret of the server, which a restart does not change:
// a million codes are quickly tried.
func TestHashOfACodeIsKeyed(t *testing.T) {
	h, elsewhere := open(t), open(t)
	again, err := New(Config{DB: h.db.DB, Mail: h.cfg.Mail, BaseURL: "http://hearth.test", JWTSecret: strings.Repeat("x", 32)})
	if err != nil {
		t.Fatal(err)
	}
	hash := h.codeHash("ada@example.org", "123456")
	if again.codeHash("ADA@example.org", "123456") != hash {
		t.Error("the hash differs after a restart")
	}
	if elsewhere.codeHash("ada@example.org", "123456") == hash || (&Service{}).codeHash("ada@example.org", "123456") == hash {
		t.Error("the same on another server, or without a secret")
	}
	if h.codeHash("ben@example.org", "123456") == hash || h.codeHash("ada@example.org", "123457") == hash {
		t.Error("the same of another address or code")
	}
}

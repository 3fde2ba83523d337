package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/store"
)

var testKey = []byte("a key of thirty-two bytes or more")

func testTokens() tokens {
	at := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	return tokens{key: testKey, now: func() time.Time { return at }}
}

// forge signs claims by hand, without the defaults of the library.
func forge(header string, claims map[string]any, mac func() hash.Hash, key []byte) string {
	payload, err := json.Marshal(claims, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString(payload)
	h := hmac.New(mac, key)
	h.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func goodClaims() map[string]any {
	now := testTokens().now().Unix()
	return map[string]any{
		"iss": tokenIssuer, "aud": []string{tokenAudience}, "sub": "3f0c1d3e-7a35-4bb0-9d0e-5f2b5c8a1e11",
		"jti": "9b2f4c60-1c1e-4e39-8f57-0a7d3c6b2d22",
		"iat": now, "exp": now + 3600, "epoch": 3, "email": "ada@example.org",
	}
}

const hs256 = `{"alg":"HS256","typ":"JWT"}`

func TestTokenRoundTrip(t *testing.T) {
	tk := testTokens()
	epoch := int64(7)
	want := claims{Email: "ada@example.org", Epoch: &epoch, Embedded: true}
	want.ID, want.Subject = store.NewID(), store.NewID()
	text, err := tk.sign(want, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tk.parse(text)
	if err != nil || got.ID != want.ID || got.Subject != want.Subject || got.UserID != want.Subject || got.Email != want.Email ||
		*got.Epoch != epoch || !got.Embedded || !got.ExpiresAt.Equal(tk.now().Truncate(time.Second).Add(time.Hour)) {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
	part := strings.Split(text, ".")
	payload, err := base64.RawURLEncoding.DecodeString(part[1])
	if err != nil {
		t.Fatal(err)
	}
	var member map[string]any
	if err := json.Unmarshal(payload, &member); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sub", "userId", "email", "iat", "exp", "iss", "aud", "jti", "epoch", "embedded"} {
		if member[name] == nil {
			t.Errorf("the token does not contain %s: %s", name, payload)
		}
	}
	if header, _ := base64.RawURLEncoding.DecodeString(part[0]); !strings.Contains(string(header), `"alg":"HS256"`) {
		t.Errorf("the header is %s", header)
	}
}

func TestForgedTokens(t *testing.T) {
	tk := testTokens()
	if _, err := tk.parse(forge(hs256, goodClaims(), sha256.New, testKey)); err != nil {
		t.Fatalf("forge makes no valid token: %v", err)
	}
	with := func(name string, v any) string {
		c := goodClaims()
		if c[name] = v; v == nil {
			delete(c, name)
		}
		return forge(hs256, c, sha256.New, testKey)
	}
	good := with("iat", tk.now().Unix())
	body := strings.Split(good, ".")
	longest := with("email", strings.Repeat("x", 1293))
	if _, err := tk.parse(longest); err != nil || len(longest) != maxBearer {
		t.Errorf("the longest, of %d bytes: %v", len(longest), err)
	}
	for name, text := range map[string]string{
		"no algorithm":        base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + body[1] + ".",
		"no algorithm signed": forge(`{"alg":"none"}`, goodClaims(), sha256.New, testKey),
		"another algorithm":   forge(`{"alg":"HS512"}`, goodClaims(), sha512.New, testKey),
		"asymmetric":          forge(`{"alg":"RS256"}`, goodClaims(), sha256.New, testKey),
		"a key of its own":    forge(`{"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"}}`, goodClaims(), sha256.New, []byte{0, 0, 0}),
		"an empty key":        forge(hs256, goodClaims(), sha256.New, nil),
		"another key":         forge(hs256, goodClaims(), sha256.New, []byte("another key of thirty-two bytes.")),
		"expired":             with("exp", tk.now().Unix()-61),
		"no exp":              with("exp", nil),
		"exp is text":         with("exp", "2099-01-01"),
		"no sub":              with("sub", nil),
		"no iss":              with("iss", nil),
		"another iss":         with("iss", "https://evil.example"),
		"no aud":              with("aud", nil),
		"another aud":         with("aud", "elsewhere"),
		"no jti":              with("jti", nil),
		"jti is no id":        with("jti", "1' OR 1=1"),
		"sub is no id":        with("sub", "ada"),
		"no epoch":            with("epoch", nil),
		"epoch is text":       with("epoch", "3"),
		"not yet":             with("nbf", tk.now().Unix()+3600),
		"issued tomorrow":     with("iat", tk.now().Unix()+86400),
		"unsigned":            body[0] + "." + body[1] + ".",
		"two parts":           body[0] + "." + body[1],
		"four parts":          good + ".x",
		"a space":             good[:20] + " " + good[20:],
		"a line break":        good[:20] + "\n" + good[20:],
		"JSON serialization":  `{"payload":"` + body[1] + `","protected":"` + body[0] + `","signature":"` + body[2] + `"}`,
		"empty":               "",
		"dots":                "..",
		"a byte too long":     with("email", strings.Repeat("x", 1294)),
		"very long":           good + strings.Repeat("A", maxBearer),
	} {
		if c, err := tk.parse(text); err == nil {
			t.Errorf("%s: accepted as %+v", name, c)
		}
	}
	for i := range good {
		changed := []byte(good)
		if changed[i] = 'A'; good[i] == 'A' {
			changed[i] = 'B'
		}
		// The last character of a part has unused bits.
		if i+1 < len(good) && good[i+1] != '.' {
			if _, err := tk.parse(string(changed)); err == nil {
				t.Fatalf("accepted with another character at %d", i)
			}
		}
	}
}

func FuzzToken(f *testing.F) {
	tk := testTokens()
	good := forge(hs256, goodClaims(), sha256.New, testKey)
	f.Add(good)
	f.Add("")
	f.Add("..")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add(forge(hs256, map[string]any{"exp": -1, "aud": []any{1, nil}, "epoch": 1e300}, sha256.New, testKey))
	sign := func(payload string) string {
		signed := base64.RawURLEncoding.EncodeToString([]byte(hs256)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
		h := hmac.New(sha256.New, testKey)
		h.Write([]byte(signed))
		return signed + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := tk.parse(text); err == nil && !strings.HasPrefix(good, text[:strings.LastIndexByte(text, '.')]) {
			t.Fatalf("accepted: %q", text)
		}
		// The decoded bytes must be signed with the key.
		if c, err := tk.parse(sign(text)); err == nil && (!store.ValidID(c.ID) || !store.ValidID(c.Subject)) {
			t.Fatalf("accepted: %q as %+v", text, c)
		}
	})
}

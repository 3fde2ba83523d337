package app

import (
	"testing"
)

func TestBaseURLOf(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		":8080":          "http://localhost:8080",
		"0.0.0.0:8080":   "http://localhost:8080",
		"[::]:8080":      "http://localhost:8080",
		"[::1]:8080":     "http://[::1]:8080",
		"127.0.0.1:80":   "http://127.0.0.1",
		"[::1]:80":       "http://[::1]",
		"example.org:81": "http://example.org:81",
	} {
		if got := BaseURLOf(addr); got != want {
			t.Errorf("BaseURLOf(%q) = %q, want %q", addr, got, want)
		}
	}
}

func TestConfigDefaults(t *testing.T) {
	c := Config{BaseURL: "https://chat.example.org:8443/"}
	if err := c.fill(); err != nil {
		t.Fatal(err)
	}
	if c.DB != "hearth.db" || c.Addr != "127.0.0.1:8080" || c.BaseURL != "https://chat.example.org:8443" ||
		c.MailFrom != "hearth <hearth@chat.example.org>" || c.Now == nil || c.Log == nil || c.Out == nil {
		t.Errorf("%+v", c)
	}
	c = Config{Addr: "127.0.0.1:9999"}
	if err := c.fill(); err != nil || c.BaseURL != "http://127.0.0.1:9999" {
		t.Errorf("%q, %v", c.BaseURL, err)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []Config{
		{BaseURL: "chat.example.org"}, {BaseURL: "ftp://example.org"}, {BaseURL: "https://"}, {BaseURL: "https://example.org/chat"},
		{BaseURL: "https://example.org?x"}, {BaseURL: "https://u:p@example.org"}, {LegacyBaseURL: "old"},
		{Signup: "closed"}, {EmbedModel: "m"}, {EmbedKey: "k"},
		{OpsAddr: ":9090"}, {OpsAddr: "0.0.0.0:9090"}, {OpsAddr: "192.0.2.1:9090"}, {OpsAddr: "127.0.0.1"}, {OpsAddr: "example.org:9090"},
	} {
		if err := c.fill(); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	for _, addr := range []string{"127.0.0.1:9090", "localhost:0", "[::1]:9090", "127.8.8.8:1"} {
		if err := (&Config{OpsAddr: addr}).fill(); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// A base URL is what a browser sends as its origin.
func TestBaseURLIsAnOrigin(t *testing.T) {
	for in, want := range map[string]string{
		"https://chat.example.org:443/": "https://chat.example.org", "http://chat.example.org:80": "http://chat.example.org",
		"http://chat.example.org:443": "http://chat.example.org:443", "HTTPS://Chat.Example.org": "https://chat.example.org",
		"https://bücher.example": "https://xn--bcher-kva.example", "https://BÜCHER.example:8443": "https://xn--bcher-kva.example:8443",
		"http://my_host:8080": "http://my_host:8080", "http://[::1]:8080": "http://[::1]:8080", "http://[2001:DB8::1]:80": "http://[2001:db8::1]",
	} {
		c := Config{BaseURL: in, LegacyBaseURL: in}
		if err := c.fill(); err != nil || c.BaseURL != want || c.LegacyBaseURL != want {
			t.Errorf("%s: %q and %q, %v; want %q", in, c.BaseURL, c.LegacyBaseURL, err, want)
		}
	}
	c := Config{BaseURL: "https://\u202ebücher.example"}
	if err := c.fill(); err == nil {
		t.Error("an invalid host is accepted")
	}
}

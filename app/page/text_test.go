package page

import (
	"net/url"
	"strings"
	"testing"
)

func TestLinkify(t *testing.T) {
	longest := "http://a.example/" + strings.Repeat("x", maxAddress-len("http://a.example/")-1)
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain", "plain"},
		{"see https://a.example/x.", "see [https://a.example/x]."},
		{"(https://a.example/x_(y))", "([https://a.example/x_(y)])"},
		{"HTTPS://A.example", "[HTTPS://A.example]"},
		{"https://a.example, https://b.example!", "[https://a.example], [https://b.example]!"},
		{"line\nhttps://a.example/\nend", "line\n[https://a.example/]\nend"},
		{"xhttps://a.example", "xhttps://a.example"},
		{"https://", "https://"},
		{"https://.", "https://."},
		{"https://?q", "https://?q"},
		{"javascript:alert(1)", "javascript:alert(1)"},
		{"https://user:pw@bank.example/", "https://user:pw@bank.example/"},
		{"<https://a.example/>", "<[https://a.example/]>"},
		{`"https://a.example/"`, `"[https://a.example/]"`},
		{"https://a.example/?a=1&b=[2]", "[https://a.example/?a=1&b=[2]]"},
		{"看https://a.example/。", "看https://a.example/。"},
		{"看 https://a.example/路。", "看 [https://a.example/路]。"},
		{"https://a.example/\u202egpj.exe", "[https://a.example/]\u202egpj.exe"},
		{"https://a.example/%zz", "https://a.example/%zz"},
		{"http://@http://a.example http://b.example", "http://@http://a.example [http://b.example]"},
		{"http://%zz\"http://a.example", "http://%zz\"[http://a.example]"},
		{"https://a.example/x)] (https://b.example/[(x)]))", "[https://a.example/x])] ([https://b.example/[(x)]]))"},
		{"a://b http:/ ://", "a://b http:/ ://"},
		{longest, "[" + longest + "]"},
		{longest + "y http://b.example", longest + "y [http://b.example]"},
	} {
		var b strings.Builder
		for _, s := range linkify(c.in) {
			if s.URL != "" {
				b.WriteString("[" + s.Text + "]")
			} else {
				b.WriteString(s.Text)
			}
		}
		if got := b.String(); got != c.want {
			t.Errorf("linkify(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzLinkify(f *testing.F) {
	f.Add("a https://x.example/(b). c")
	f.Add("\xffhttps://\x00")
	f.Fuzz(func(t *testing.T, in string) {
		var b strings.Builder
		for _, s := range linkify(in) {
			b.WriteString(s.Text)
			if s.URL == "" {
				continue
			}
			u, err := url.Parse(s.URL)
			if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
				t.Errorf("%q became a link", s.URL)
			}
		}
		if b.String() != in {
			t.Errorf("text changed: %q became %q", in, b.String())
		}
	})
}

func TestPerson(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Ada Okafor", "AO"}, {"ada", "A"}, {"Ada Maria von Okafor", "AO"}, {"", "·"}, {"🍞 🔥", "·"},
		{"جَميل الحسن", "جا"}, {"(Zoë)", "Z"}, {"agent-4f", "A4"},
	} {
		if got := (Person{Name: c.name}).Initials(); got != c.want {
			t.Errorf("initials of %q are %q, want %q", c.name, got, c.want)
		}
	}
}

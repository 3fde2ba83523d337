package core

import "testing"

// Text without a visible character counts as empty.
func TestInvisibleTextIsEmpty(t *testing.T) {
	for _, text := range []string{"\u200b", "\u200b \u2060\ufeff", "\u202e\u202c", "\u3164", "\u115f\u1160", "\uffa0", "\u2800", "\u00ad",
		"\ufe0f", "\U000e0061", "\u180e", "\x1b"} {
		in := valid()
		in.Title = text
		if err := Check(&in); !IsKind(err, Invalid) || As(err).Field != "title" {
			t.Errorf("%+q is accepted as a title of %d characters: %v", text, len([]rune(text)), err)
		}
		in = valid()
		in.Patched = Some(text)
		if err := Check(&in); !IsKind(err, Invalid) || As(err).Field != "patched" {
			t.Errorf("%+q is accepted as a change: %v", text, err)
		}
	}
	for _, text := range []string{"👩‍👩‍👧", "❤️x", "a\u200bb", "\u0301a", "ﷺ."} {
		in := valid()
		in.Patched = Some(text)
		if err := Check(&in); err != nil || in.Patched.V != text {
			t.Errorf("%+q became %+q: %v", text, in.Patched.V, err)
		}
	}
}

// Addresses with invisible characters look like other addresses.
func TestLookalikeAddresses(t *testing.T) {
	for _, mail := range []string{"ada@example.org\u200b", "a\u200dda@example.org", "a\u202eda@example.org", "ada@exam\u00adple.org",
		"ada@example.org\ufeff", "\u3164@example.org",
		"ada@example.org\r\nBcc: x@example.org", "\"ada b\"@example.org", "ada@example.org.", "<ada@example.org>", "ada@a@example.org", "ada@",
		"@example.org", "ada@example.org,ben@example.org"} {
		if validEmail(mail) {
			t.Errorf("%+q is accepted as an e-mail address", mail)
		}
	}
	for _, link := range []string{"https://hearth.test@evil.example/", "https://user:password@example.org/", "http://@example.org",
		"java\tscript:alert(1)", "//example.org", "https:example.org", "https:///x", "https://example.org/\u0000", "data:text/html,x"} {
		if validURL(link) {
			t.Errorf("%+q is accepted as a web address", link)
		}
	}
}

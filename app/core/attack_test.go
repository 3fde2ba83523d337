package core

import "testing"

// A name, a title or a message that shows nothing is not there.
func TestWhatShowsNothingIsNothing(t *testing.T) {
	for _, text := range []string{"\u200b", "\u200b \u2060\ufeff", "\u202e\u202c", "\u3164", "\u115f\u1160", "\uffa0", "\u2800", "\u00ad", "\ufe0f", "\U000e0061", "\u180e", "\x1b"} {
		in := valid()
		in.Title = text
		if err := Check(&in); !IsKind(err, Invalid) || As(err).Field != "title" {
			t.Errorf("%+q is taken for a title of %d characters: %v", text, len([]rune(text)), err)
		}
		in = valid()
		in.Patched = Some(text)
		if err := Check(&in); !IsKind(err, Invalid) || As(err).Field != "patched" {
			t.Errorf("%+q is taken for a change: %v", text, err)
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

// Addresses are what people see of them.
func TestAddressesThatLookLikeOthers(t *testing.T) {
	for _, mail := range []string{"ada@example.org\u200b", "a\u200dda@example.org", "a\u202eda@example.org", "ada@exam\u00adple.org", "ada@example.org\ufeff", "\u3164@example.org",
		"ada@example.org\r\nBcc: x@example.org", "\"ada b\"@example.org", "ada@example.org.", "<ada@example.org>", "ada@a@example.org", "ada@", "@example.org", "ada@example.org,ben@example.org"} {
		if validEmail(mail) {
			t.Errorf("%+q is taken for an e-mail address", mail)
		}
	}
	for _, link := range []string{"https://hearth.test@evil.example/", "https://user:password@example.org/", "http://@example.org", "java\tscript:alert(1)", "//example.org", "https:example.org", "https:///x", "https://example.org/\u0000", "data:text/html,x"} {
		if validURL(link) {
			t.Errorf("%+q is taken for a web address", link)
		}
	}
}

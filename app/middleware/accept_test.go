package middleware

import (
	"net/http/httptest"
	"testing"
)

func TestAccepted(t *testing.T) {
	const html, md, atom = "text/html", "text/markdown", "application/atom+xml"
	for accept, want := range map[string]string{
		"": html, "*/*": html, "text/*": html, "application/xhtml+xml": html, "image/png": html, ";": html,
		"text/html;q=x, text/markdown;q=y": html,
		"text/markdown":                    md, "TEXT/Markdown": md, "text/markdown, */*": md, "text/markdown, text/html": md,
		"text/html, text/markdown":       html,
		"text/html;q=0.5, text/markdown": md, "text/markdown;q=0.2, */*;q=0.8": html, "text/markdown;q=0": html,
		"image/png, application/atom+xml;q=0.1":                           atom,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": html,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := Accepted(r, html, md, atom); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}

func TestHasTag(t *testing.T) {
	for header, want := range map[string]bool{
		``: false, `"a"`: true, `W/"a"`: true, `"b"`: false, `"b", "a"`: true, `"b",W/"a"`: true, `*`: true, `a`: false, `"a`: false,
		`"aa"`: false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("If-None-Match", header)
		if got := HasTag(r, `"a"`); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

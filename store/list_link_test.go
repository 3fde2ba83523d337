package store_test

import (
	"testing"

	"hearth/store"
)

// Links that differ only in what does not change the page have one key.
func TestLinkKey(t *testing.T) {
	for link, want := range map[string]string{
		"https://a.example/x":                           "a.example/x",
		"http://WWW.A.Example.:80/x/":                   "a.example/x",
		"https://a.example:443/x//#part":                "a.example/x",
		"https://a.example:8443":                        "a.example:8443",
		"https://a.example/?b=2&a=1":                    "a.example?a=1&b=2",
		"https://a.example/x?utm_source=y&&a=1&gclid=z": "a.example/x?a=1",
		"https://a.example/x?utm_source=y":              "a.example/x",
		"https://a.example/x?UTM_Source=y&Gclid=z":      "a.example/x",
		"https://a.example/x?a=Y&A=y":                   "a.example/x?A=y&a=Y",
		"https://a.example/%7Ex?q=%20":                  "a.example/%7Ex?q=%20",
		"soup":                                          "",
		"/x":                                            "",
		"mailto:a@a.example":                            "",
		"https:///x":                                    "",
		"":                                              "",
		"https://%zz/":                                  "",
	} {
		if got := store.LinkKey(link); got != want {
			t.Errorf("%q: got %q, want %q", link, got, want)
		}
	}
}

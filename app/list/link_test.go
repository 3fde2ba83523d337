package list

import (
	"strings"
	"testing"
)

// An item whose content is one address of the web, and nothing else, has it as its
// link.
func TestLinkAlone(t *testing.T) {
	for content, want := range map[string]bool{
		"https://a.example/x?y=1#z": true, "http://a.example": true,
		"": false, "soup": false, "a.example": false, "https://": false, "https:///x": false,
		"see https://a.example": false, "https://a.example x": false, "https://a.example\nhttps://b.example": false,
		"ftp://a.example/": false, "javascript:alert(1)": false, "mailto:a@a.example": false,
		"https://ada@a.example/": false, "https://ada:secret@a.example/": false, "https://%zz.example/": false,
		"https://a.example/" + strings.Repeat("x", 2030): true, "https://a.example/" + strings.Repeat("x", 2031): false,
	} {
		i, err := NewItem{Content: content}.row()
		if err != nil && want {
			t.Errorf("%.60q: %v", content, err)
		}
		if got := i.SourceURL != ""; got != want || want && i.SourceURL != content {
			t.Errorf("%.60q: the link is %.60q, want one: %v", content, i.SourceURL, want)
		}
	}
}

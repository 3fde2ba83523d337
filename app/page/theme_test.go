package page

import (
	"io"
	"net/http/httptest"
	"regexp"
	"testing"

	"hearth/web"
)

// In the theme of every accent, all that is read has the contrast that WCAG 2
// asks for, in light and dark.
func TestThemeContrast(t *testing.T) {
	t.Parallel()
	light, dark := schemes()
	for n := range 17 * 17 * 17 {
		accent := color{uint8(n % 17 * 15), uint8(n / 17 % 17 * 15), uint8(n / 289 * 15)}
		for _, s := range []scheme{light, dark} {
			th := themeFor(accent, s)
			for _, pair := range []struct {
				what     string
				on, text color
			}{
				{"accent on paper", s.paper, th.accent}, {"accent on surface", s.surface, th.accent}, {"accent on sunken", s.sunken, th.accent},
				{"accent on soft", th.soft, th.accent}, {"accent on own", th.own, th.accent},
				{"strong on paper", s.paper, th.strong}, {"strong on sunken", s.sunken, th.strong}, {"strong on soft", th.soft, th.strong},
				{"strong on own", th.own, th.strong},
				{"button", th.accent, th.onAccent}, {"button under the pointer", th.strong, th.onAccent},
				{"ink on soft", th.soft, s.ink}, {"soft ink on soft", th.soft, s.inkSoft}, {"ink on own", th.own, s.ink},
				{"soft ink on own", th.own, s.inkSoft},
			} {
				if c := pair.on.contrast(pair.text); c < minContrast {
					t.Errorf("%s, dark %v, %s: %s on %s has the contrast %.2f", accent, s.dark, pair.what, pair.text, pair.on, c)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// An accent that can be read is used as it is.
func TestThemeKeepsAccent(t *testing.T) {
	light, _ := schemes()
	for _, text := range []string{"#1d4ed8", "#0f5f4a", "#a3122e", "#5b21b6"} {
		got := themeFor(hex(text), light).accent
		for i := range 3 {
			if d := int(got[i]) - int(hex(text)[i]); d < -2 || d > 2 {
				t.Errorf("%s becomes %s", text, got)
			}
		}
	}
}

// The schemes have the colors of the style sheet.
func TestSchemes(t *testing.T) {
	assets, err := web.NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	assets.ServeHTTP(rec, httptest.NewRequest("GET", "/static/app.css", nil))
	css, err := io.ReadAll(rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	light, dark := schemes()
	for name, want := range map[string][2]color{
		"paper": {light.paper, dark.paper}, "surface": {light.surface, dark.surface}, "sunken": {light.sunken, dark.sunken},
		"ink": {light.ink, dark.ink}, "ink-soft": {light.inkSoft, dark.inkSoft},
	} {
		found := regexp.MustCompile(`--`+name+`: (#[0-9a-f]{6});`).FindAllSubmatch(css, -1)
		if len(found) != 2 || hex(string(found[0][1])) != want[0] || hex(string(found[1][1])) != want[1] {
			t.Errorf("--%s is %s in the style sheet, and %v here", name, found, want)
		}
	}
}

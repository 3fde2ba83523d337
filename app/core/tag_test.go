package core

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTagsIn(t *testing.T) {
	long := strings.Repeat("x", MaxTag)
	for text, want := range map[string][]string{
		"":                                     nil,
		"no tags":                              nil,
		"# #1 #2026 ## #- #_":                  nil,
		"#Decision we meet on Monday":          {"decision"},
		"(#decision) “#fact”, #fact.":          {"decision", "fact"},
		"a#b c/#d &#amp; #x#y":                 {"x"},
		"https://a.example/#part www.a.ex/?#q": nil,
		"(https://a.example/x?y=#z) #after":    {"after"},
		"#to-do- #snake_case #3d":              {"to-do", "snake_case", "3d"},
		"#Straße #STRASSE":                     {"strasse"},
		"#قرار و #تصمیم\u200cگیری":             {"قرار", "تصمیم\u200cگیری"},
		"#決定。 ＃東京":                             {"決定", "東京"},
		"#हिंदी":                               {"हिंदी"},
		"#🌱 #🌱leaf":                            nil,
		"#" + long + " #" + long + "y":         {long},
		"line\n#next\t#tab":                    {"next", "tab"},
		"\xff#x \xff# #\xff":                   {"x"},
	} {
		if d := cmp.Diff(want, TagsIn(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	var many strings.Builder
	for i := range 30 {
		many.WriteString(" #t" + strings.Repeat("x", i))
	}
	if n := len(TagsIn(many.String())); n != MaxTags {
		t.Errorf("%d tags, want %d", n, MaxTags)
	}
}

func TestCaptureOf(t *testing.T) {
	for text, want := range map[string]string{
		"nothing":                 "",
		"#garden":                 "observation none",
		"#fact #decision":         "fact none",
		"#x #decision":            "decision none",
		"#commitment":             "commitment open",
		"#reminder":               "reminder open",
		"#todo":                   "observation open",
		"#decision #To-Do":        "decision open",
		"#reminder #done":         "reminder closed",
		"#todo #done #commitment": "commitment closed",
	} {
		got := ""
		if c := CaptureOf(text); c != nil {
			got = c.Kind + " " + c.Status
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzTagsIn(f *testing.F) {
	f.Add("#a ＃b https://#c")
	f.Fuzz(func(t *testing.T, text string) {
		tags := TagsIn(text)
		again, err := FoldTags(tags)
		if err != nil || cmp.Diff(tags, again) != "" {
			t.Errorf("%q: %q is folded to %q, %v", text, tags, again, err)
		}
	})
}

func BenchmarkTagsInWithout(b *testing.B) {
	text := strings.Repeat("Who brings the bread? ", 10)
	for b.Loop() {
		if TagsIn(text) != nil {
			b.Fatal("tags")
		}
	}
}

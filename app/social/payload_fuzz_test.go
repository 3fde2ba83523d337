package social_test

import (
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"hearth/app/social"
	"hearth/store"
)

// A payload says exactly what is published: read again it is the same, and that
// of another text is another one.
func FuzzPayload(f *testing.F) {
	for _, text := range []string{"Soup", "", " soup", "a\"b\\c", "é", "e\u0301", "\u2028<script>", "日本語\n"} {
		f.Add(text, "Soup")
	}
	to := social.Audience{UserIDs: []string{store.NewID()}, ConversationIDs: []string{}}
	f.Fuzz(func(t *testing.T, text, other string) {
		if !utf8.ValidString(text) || !utf8.ValidString(other) {
			return // a request with such text is refused
		}
		payload := func(text string) string {
			p, err := social.StoryPublication(text, to, 1_000_000)
			if err != nil {
				t.Fatal(err)
			}
			canonical, err := social.Canonical(p)
			if err != nil {
				t.Fatal(err)
			}
			return canonical
		}
		first := payload(text)
		var read social.Publication
		if err := json.Unmarshal([]byte(first), &read); err != nil {
			t.Fatal(err)
		}
		again, err := social.Canonical(read)
		if err != nil || again != first || read.Story.Text != text {
			t.Errorf("%s is read as %s: %v", first, again, err)
		}
		if (payload(other) == first) != (text == other) {
			t.Errorf("%q and %q have one payload", text, other)
		}
	})
}

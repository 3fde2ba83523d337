package store

import (
	"slices"
	"strings"
	"testing"
)

// The tokens of messages are those of the index in files that there are: who changes
// them has to write all of them again. They are of the text that a message has now, also
// when it has been prepared with another.
func TestTokensOfMessages(t *testing.T) {
	const sender = "0198c0de-1234-7abc-8000-00000000000a"
	from := senderToken + "0198c0de1234"
	for name, c := range map[string]struct {
		m    Message
		want []string
	}{
		"a text":       {Message{Content: "Tomatoes 東京"}, []string{"tom", "toma", "tomato", "東", "京", "東京"}},
		"a file":       {Message{Content: "a", Attachments: `[{"name":"b.txt","mimeType":"text/plain"}]`}, []string{"a", "b", "txt", hasToken + HasFile}},
		"two files":    {Message{Attachments: `[{"name":"b","mimeType":"image/png"},{"name":"c","mimeType":"video/mp4"}]`}, []string{"b", "c", hasToken + HasFile, hasToken + HasImage, hasToken + HasVideo}},
		"a voice note": {Message{Transcript: "so it is", Attachments: `[{"name":"n","mimeType":"audio/ogg"}]`}, []string{"so", "it", "is", "n", hasToken + HasFile, hasToken + HasAudio}},
		"a link":       {Message{Content: "http://b"}, []string{"htt", "http", "b", hasToken + HasLink}},
		"a safe link":  {Message{Content: "https://b"}, []string{"htt", "http", "b", hasToken + HasLink}},
		"no link":      {Message{Content: "http:/b"}, []string{"htt", "http", "b"}},
		"nothing":      {Message{Content: "..."}, nil},
	} {
		m := c.m
		m.SenderID, m.ConversationID, m.CreatedAt = sender, "conversation", idEpoch+5
		want := slices.Sorted(slices.Values(append(c.want, anyToken, from)))
		for _, prepared := range []string{"", m.Content, "other words"} {
			m := m
			if prepared != "" {
				m.Content = prepared
				m.Prepare()
				m.Content = c.m.Content
			}
			id, got := Document(&m)
			if id != 5<<12|0x46a || !slices.Equal(got, want) {
				t.Errorf("%s, prepared with %q: %x %q, want %q", name, prepared, id, got, want)
			}
		}
	}
}

// A text that is folded in pieces, because some of it is not ASCII, has each letter folded.
func TestWordsOfAllLetters(t *testing.T) {
	const letters = "AZazBYbyMm09"
	if got, want := Words("é"+letters+"é"), " e"+strings.ToLower(letters)+"e "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Words("Zoë AZ ZA é"), " zoe az za e "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A mark belongs to the symbol before it, which is a word without it.
func TestWordsOfSymbolsWithMarks(t *testing.T) {
	if got, want := Words("a\u2602\u20e3b \u2602\u20e3\u2602"), " a \u2602 b \u2602 \u2602 "; got != want {
		t.Errorf("%+q, want %+q", got, want)
	}
}

// Places that overlap or touch are marked as one, letters are where their accents are,
// and a phrase of a script without spaces is found within a run.
func TestMarksThatTouch(t *testing.T) {
	for _, c := range []struct {
		text   string
		phrase bool
		terms  string // with / between them
		want   string
	}{
		{"Tomatoes", false, "tom/toma", "[Tomatoes]"},
		{"会議室", false, "会議/議室", "[会議室]"},
		{"会議室", false, "会/議/室", "[会議室]"},
		{"会議室", false, "室/会", "[会]議[室]"},
		{"x 会議室長", false, "会議室/議", "x [会議室]長"},
		{"明日の会議は三時", true, "会議", "明日の[会議]は三時"},
		{"会議は a", true, "会議は a", "[会議は a]"},
		{"明日の会議は a", true, "会議は a", "明日の[会議は a]"},
		{"a 会議は", true, "a 会議", "[a 会議]は"},
		{"un cafe\u0301 noir", false, "café", "un [cafe\u0301] noir"},
		{"un cafe\u0301 noir", true, "café noir", "un [cafe\u0301 noir]"},
		{"un cafe\u0301s noir", false, "cafés", "un [cafe\u0301s] noir"},
		{"e\u0301", false, "é", "[e\u0301]"},
	} {
		var terms []Term
		for term := range strings.SplitSeq(c.terms, "/") {
			terms = append(terms, Term{Words: Words(term), Phrase: c.phrase})
		}
		var b strings.Builder
		text, at := []rune(c.text), 0
		for _, m := range Marks(c.text, terms) {
			b.WriteString(string(text[at:m[0]]) + "[" + string(text[m[0]:m[1]]) + "]")
			at = m[1]
		}
		if got := b.String() + string(text[at:]); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.terms, c.text, got, c.want)
		}
		for _, term := range terms {
			if !term.in(Words(c.text)) {
				t.Errorf("%q is not in %q", term.Words, c.text)
			}
		}
	}
}

// The searched part of a name ends after so many characters.
func TestLengthOfNameKeys(t *testing.T) {
	for _, n := range []int{79, 80, 81} {
		if got := len(nameKeys(strings.Repeat("渡", n))); got != min(n, 80) {
			t.Errorf("%d characters have %d keys", n, got)
		}
	}
}

package chat

import (
	"strings"
	"testing"
)

// What a list of conversations shows of a message: its text, or what its files are.
func TestPreviewOf(t *testing.T) {
	picture, sound, text := Attachment{MimeType: "image/png"}, Attachment{MimeType: "audio/ogg"}, Attachment{MimeType: "text/plain"}
	for _, c := range []struct {
		m     Message
		want  string
		voice bool
	}{
		{Message{}, "", false},
		{Message{Content: strings.Repeat("é", 100), Attachments: []Attachment{sound}}, strings.Repeat("é", 100), false},
		{Message{Content: strings.Repeat("é", 101)}, strings.Repeat("é", 100), false},
		{Message{Attachments: []Attachment{sound}}, "Voice note", true},
		{Message{FilesJSON: `[{"mimeType":"audio/ogg"}]`}, "Voice note", true},
		{Message{FilesJSON: `[{"mimeType":"audio/ogg"}]`, Attachments: []Attachment{picture}}, "Photo", false},
		{Message{FilesJSON: `[`}, "", false},
		{Message{Attachments: []Attachment{sound, sound}}, "File", false},
		{Message{Attachments: []Attachment{picture, picture}}, "Photo", false},
		{Message{Attachments: []Attachment{picture, text}}, "File", false},
		{Message{Attachments: []Attachment{text}}, "File", false},
	} {
		if got := c.m.Preview(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.m, got, c.want)
		}
		if got := c.m.VoiceNote(); got != c.voice {
			t.Errorf("%+v: a voice note: %v", c.m, got)
		}
	}
}

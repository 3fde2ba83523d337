package chat

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// AppendJSON writes the same as encoding by the struct tags, whatever the message.
func TestAppendJSON(t *testing.T) {
	text, at := "a \"quoted\"\n<b> 🌿 \u2028 \x01 \xff غ", store.Time(1_700_000_000_000_123)
	full := Message{
		ID: "i", ConversationID: "c", SenderID: "s", Content: text, MessageType: "card", CardKind: &text, CardPayload: &text,
		ViaSecretary: true, CreatedAt: at, Sender: Sender{ID: "s", Name: text, Email: text}, ReplyToID: &text,
		ReplyTo:   &Quote{ID: "q", Content: text, SenderID: "s", SenderName: text},
		Reactions: []ReactionSummary{{Emoji: "👍", Count: 2, ByMe: true, Kind: &text}},
		Mentions:  []string{"u", text}, Places: []store.Mention{{UserID: "u"}},
		Attachments: []Attachment{{URL: "u", MimeType: "m", Name: text, Size: 7}}, Transcript: &text, EditedAt: &at, DeletedAt: &at,
		Agent: &Agent{ID: "k", Name: text},
	}
	files, err := json.Marshal(full.Attachments, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	full.FilesJSON = string(files)
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the test leaves out %s", v.Type().Field(i).Name)
		}
	}
	type plainMessage Message // without the methods
	type plain struct {
		Messages []plainMessage `json:"messages"`
		HasMore  bool           `json:"hasMore"`
	}
	listed := full // with its attachments as they are
	listed.FilesJSON = ""
	for _, p := range []MessagePage{{}, {Messages: []Message{{}}}, {Messages: []Message{listed}},
		{Messages: []Message{full, {Content: "x"}, full}, HasMore: true}} {
		got, err := p.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		same := plain{HasMore: p.HasMore}
		for _, m := range p.Messages {
			same.Messages = append(same.Messages, plainMessage(m))
		}
		nested, err := json.Marshal(p.Messages, jsontext.AllowInvalidUTF8(true))
		if err != nil || !strings.Contains(string(got), string(nested)) {
			t.Errorf("as elements: %s, %v", nested, err)
		}
		want, err := json.Marshal(same, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func BenchmarkPageJSON(b *testing.B) {
	p := MessagePage{Messages: make([]Message, 50)}
	for i := range p.Messages {
		id := store.NewID()
		p.Messages[i] = Message{ID: id, ConversationID: id, SenderID: id,
			Content:     "Does anyone have spare tomato seedlings? Mine were eaten by snails again, all of them but one.",
			MessageType: "text", CreatedAt: 1_700_000_000_000_000, Sender: Sender{ID: id, Name: "Ada", Email: id + "@users.invalid"}}
	}
	b.Run("own", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf, _ = p.AppendJSON(buf[:0])
		}
	})
	b.Run("tags", func(b *testing.B) {
		type plain Message
		same := make([]plain, len(p.Messages))
		for i := range same {
			same[i] = plain(p.Messages[i])
		}
		for b.Loop() {
			json.Marshal(same)
		}
	})
}

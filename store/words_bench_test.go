package store

import (
	"strings"
	"testing"
)

// BenchmarkDocument makes the tokens of messages as the index has them.
func BenchmarkDocument(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": "Does anyone have spare tomato seedlings? Mine were eaten by snails again, all of them but one, sadly.",
		"emoji": "Does anyone have spare tomato seedlings? Mine were eaten by snails again, all of them but one, sadly. 🍅",
		"long":  strings.Repeat("🧨", 20_000),
		"prose": strings.Repeat("Does anyone have spare tomato seedlings? Mine were eaten by snails again, all of them. ", 200),
		"cjk":   "明日の会議は三時から始まります。議題は来月の祭りの準備と会計の報告です。遅れないでください。",
	} {
		b.Run(name, func(b *testing.B) {
			m := Message{ConversationID: "c", SenderID: "0d9f1c52-7a31-4e0b-9c44-5b1f0e6a77a1", Content: text, Type: "text"}
			b.ReportAllocs()
			for range b.N {
				Document(&m)
			}
		})
	}
}

package chat_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/chat"
	"hearth/store"
)

// A reply that is sent with another act is returned as it is listed: with whom it
// mentions.
func TestReplyReturnsMentions(t *testing.T) {
	w := newWorld(t)
	var id string
	var text jsontext.Value
	w.ok(w.db.Write(w.ctx, func(tx *store.Tx) (err error) {
		id, text, err = w.s.Reply(tx, as(w.Ada), w.Ben.ID, "Hello @Ben and @Cléo")
		return err
	}))
	var got chat.Message
	w.ok(json.Unmarshal(text, &got))
	if !slices.Equal(got.Mentions, []string{w.Ben.ID}) {
		t.Errorf("it mentions %v", got.Mentions)
	}
	listed, err := json.Marshal(w.page(w.Ada, chat.ListMessagesIn{ConversationID: id}).Messages[0])
	w.ok(err)
	if string(text) != string(listed) {
		t.Errorf("returned %s, listed %s", text, listed)
	}
}

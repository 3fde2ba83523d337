package app_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/store"
)

// However long the messages are, and however long their characters are in JSON, those from
// after a moment are answered, in several parts.
func TestLongMessagesAreAnswered(t *testing.T) {
	w := newWorld(t)
	var conversation string
	const messages = 240
	err := w.app.DB().Write(context.Background(), func(tx *store.Tx) (err error) {
		conversation, _, err = tx.InsertDirect(w.cast.Ada.ID, w.cast.Ben.ID, "")
		for i := range messages {
			tx.Now = tx.Tick()
			if err == nil {
				text := fmt.Sprint(i) + strings.Repeat([]string{"\U0001f34e", "\x01"}[i*2/messages], 19_990)
				err = tx.Send(&store.Message{ConversationID: conversation, SenderID: w.cast.Ada.ID, Content: text, Type: "text"}, nil)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	type part struct {
		Messages []struct {
			CreatedAt store.Time `json:"createdAt"`
		} `json:"messages"`
		Truncated bool `json:"truncated"`
	}
	read := func(path string, at store.Time) (p part) {
		t.Helper()
		res := w.json("ben", "GET", path+url.QueryEscape(at.String()), "")
		if err := json.Unmarshal(res.body, &p); res.status != 200 || err != nil {
			t.Fatalf("%s: %d %.200s %v", path, res.status, res.body, err)
		}
		if len(res.body) > 7<<20 {
			t.Errorf("%s: %d bytes", path, len(res.body))
		}
		return p
	}
	found, parts := 0, 0
	for since, more := w.cast.Ada.CreatedAt, true; more; parts++ {
		p := read("/api/chat/messages/since?since=", since)
		if found += len(p.Messages); len(p.Messages) > 0 {
			since = p.Messages[len(p.Messages)-1].CreatedAt
		}
		more = p.Truncated
	}
	if found != messages || parts > messages/8 {
		t.Errorf("since: %d messages in %d parts", found, parts)
	}
}

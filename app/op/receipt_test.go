package op

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

type (
	noteIn struct {
		Text core.Opt[string] `json:"text,omitzero"`
		List []noteIn         `json:"list"`
	}
	noteOut struct {
		ID     string    `json:"id"`
		Text   string    `json:"text" read:"own"`
		Quote  *string   `json:"quote" read:"others"`
		Status string    `json:"status" read:"others=offline"`
		List   []noteOut `json:"list"`
	}
)

func (n *noteOut) note(context.Context, store.Viewer, noteIn) (noteOut, error) { return *n, nil }
func (n *noteOut) fail(context.Context, store.Viewer, noteIn) (noteOut, error) {
	e := core.New(core.Conflict, "changed", "Ben has changed it.").InReceipts("It has changed.")
	e.Current = []byte(`{"text":"secret"}`)
	return *n, e
}

// A key without the scope read gets what it sent, and nothing with the tag read besides.
func TestWhatNeedsRead(t *testing.T) {
	quote := "secret"
	inner := []noteOut{{ID: "2", Text: "b", Quote: &quote}, {ID: "3", Text: "secret"}}
	out := &noteOut{ID: "1", Text: "a", Quote: &quote, Status: "away", List: inner}
	in := noteIn{Text: core.Some("a"), List: []noteIn{{Text: core.Some("b")}}}
	note := New(nil, out.note, Spec{Summary: "Note", Guard: Member})
	fail := New(nil, out.fail, Spec{Summary: "Fail", Guard: Member})
	for name, tc := range map[string]struct {
		read            bool
		want, msg, curr string
	}{
		"without read": {false, `{"id":"1","text":"a","quote":null,"status":"offline","list":[{"id":"2","text":"b","quote":null,"status":"offline","list":[]},{"id":"3","text":"","quote":null,"status":"offline","list":[]}]}`, "It has changed.", ""},
		"with read":    {true, `{"id":"1","text":"a","quote":"secret","status":"away","list":[{"id":"2","text":"b","quote":"secret","status":"","list":[]},{"id":"3","text":"secret","quote":null,"status":"","list":[]}]}`, "Ben has changed it.", `{"text":"secret"}`},
	} {
		by := store.Viewer{Kind: store.Agent, UserID: "u", CanWrite: true, CanRead: tc.read}
		got, err := note.Call(t.Context(), by, in)
		if b, _ := json.Marshal(got); err != nil || string(b) != tc.want {
			t.Errorf("%s: got %s, %v", name, b, err)
		}
		_, err = fail.Call(t.Context(), by, in)
		if e := core.As(err); e.Msg != tc.msg || string(e.Current) != tc.curr {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

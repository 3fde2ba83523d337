package chat_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
)

// An export that ends before it has all messages returns what ended it, and not that
// messages are missing.
func TestExportReturnsWhatEndsIt(t *testing.T) {
	w := newWorld(t)
	c := w.group(w.Ada)
	w.send(w.Ada, c.ID, "one")
	closed := errors.New("the connection is closed")
	var fails error
	parts := w.s.Exports()
	part := func(name string) (string, error) {
		var out bytes.Buffer
		e := &core.Export{By: as(w.Ada), Until: in(1e15), JSON: jsontext.NewEncoder(&out), Turn: func(_ context.Context, page func() error) error {
			if fails != nil {
				return fails
			}
			return page()
		}}
		err := parts[name](w.ctx, e)
		return out.String(), err
	}
	_, err := part("conversations")
	w.ok(err)
	n, err := part("messageCount")
	if w.ok(err); n != "1\n" {
		t.Fatalf("%s messages", n)
	}
	fails = closed
	if _, err := part("messages"); !errors.Is(err, closed) {
		t.Errorf("got %v, want that %v", err, closed)
	}
}

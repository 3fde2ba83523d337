package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
	"hearth/store/storetest"
)

// noter is a service whose operations write to a database.
type noter struct {
	db    *storetest.DB
	lose  bool // close the database after the write
	notes int
}

func (n *noter) write(ctx context.Context) error {
	n.notes++
	err := n.db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("note", "x") })
	if err == nil && n.lose {
		err = n.db.Close()
	}
	return err
}

func (n *noter) Note(ctx context.Context, _ store.Viewer, _ core.None) (book, error) {
	return book{ID: someID}, n.write(ctx)
}

func (n *noter) Forget(ctx context.Context, _ store.Viewer, _ core.None) (core.None, error) {
	return core.None{}, n.write(ctx)
}

func (n *noter) Refuse(ctx context.Context, _ store.Viewer, _ core.None) (core.None, error) {
	if err := n.write(ctx); err != nil {
		return core.None{}, err
	}
	return core.None{}, core.New(core.Conflict, "taken", "It is taken.")
}

func newNoter(t *testing.T, lose bool) *toy {
	n := &noter{db: storetest.OpenEmpty(t), lose: lose}
	limits := op.NewLimits(n.db.Clock.Now, true)
	limits.Answers = n.db.DB
	spec := op.Spec{Summary: "Note", Guard: op.Public}
	return newToy(t, func(c *toyConfig) {
		c.more = []Route{
			{"POST", "/api/note", 201, op.New(limits, n.Note, spec)},
			{"POST", "/api/forget", 204, op.New(limits, n.Forget, spec)},
			{"POST", "/api/refuse", 204, op.New(limits, n.Refuse, spec)},
		}
	})
}

// A request that is sent again with its key is answered with the same status, type
// and body.
func TestRepeatedRequests(t *testing.T) {
	y := newNoter(t, false)
	for path, status := range map[string]int{"/api/note": 201, "/api/forget": 204, "/api/refuse": 409} {
		first := y.do("", "POST", path, "", "Idempotency-Key", "k")
		again := y.do("", "POST", path, "", "Idempotency-Key", "k")
		if first.Code != status || again.Code != status || again.Body.String() != first.Body.String() || again.Header().Get(replayedHeader) != "true" || first.Header().Get(replayedHeader) != "" {
			t.Errorf("%s: %d %s, and again: %d %s %v", path, first.Code, first.Body, again.Code, again.Body, again.Header())
		}
		if kind := first.Header().Values("Content-Type"); strings.Join(kind, " ") != strings.Join(again.Header().Values("Content-Type"), " ") || (len(kind) == 0) != (status == http.StatusNoContent) {
			t.Errorf("%s: the type is %q, and again %q", path, kind, again.Header().Values("Content-Type"))
		}
	}
}

// What was done is answered even if the answer cannot be kept, which is in the log.
func TestAnswersThatCannotBeKept(t *testing.T) {
	for path, status := range map[string]int{"/api/note": 201, "/api/forget": 204} {
		y := newNoter(t, true)
		if w := y.do("", "POST", path, "", "Idempotency-Key", "k"); w.Code != status || !strings.Contains(y.log.String(), "error=") {
			t.Errorf("%s: %d %s, and the log: %s", path, w.Code, w.Body, y.log)
		}
		y = newNoter(t, true)
		if w := y.do("", "POST", path, ""); w.Code != status || strings.Contains(y.log.String(), "error=") {
			t.Errorf("%s without a key: %d %s, and the log: %s", path, w.Code, w.Body, y.log)
		}
	}
}

package live

import (
	"errors"
	"testing"

	"hearth/app/core"
	"hearth/store"
)

// Rendering that panics, fails or returns another number of events than it was
// given is an error, so that nothing is taken for rendered.
func TestFailedRenderIsAnError(t *testing.T) {
	for _, tc := range []struct {
		name   string
		render func() ([][]byte, error)
		ok     bool
	}{
		{"as many as were given", func() ([][]byte, error) { return [][]byte{nil, []byte("{}")}, nil }, true},
		{"one too few", func() ([][]byte, error) { return [][]byte{nil}, nil }, false},
		{"one too many", func() ([][]byte, error) { return [][]byte{nil, nil, nil}, nil }, false},
		{"an error", func() ([][]byte, error) { return [][]byte{nil, nil}, errors.New("fails") }, false},
		{"a panic", func() ([][]byte, error) { panic("boom") }, false},
	} {
		e := core.Event{Kind: "note", Render: func(*store.Reader, store.Viewer, []store.Event) ([][]byte, error) { return tc.render() }}
		data, err := new(Hub).render(nil, e, store.Viewer{}, make([]store.Event, 2))
		if (err == nil) != tc.ok || tc.ok && len(data) != 2 {
			t.Errorf("%s: %q, %v", tc.name, data, err)
		}
	}
}

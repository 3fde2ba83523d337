package account

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// An export is of the moment of the request, however long ago the last write was; its
// name has the day.
func TestExportIsOfItsMoment(t *testing.T) {
	h := open(t)
	h.db.Clock.Advance(100 * 24 * time.Hour)
	var name string
	var b bytes.Buffer
	err := h.Export(t.Context(), storetest.Human(h.cast.Ada), ExportIn{Range: "last_hour"}, func(n string) io.Writer { name = n; return &b })
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		ExportedAt store.Time  `json:"exportedAt"`
		Range      ExportRange `json:"range"`
	}
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	now := h.db.Now()
	if out.ExportedAt != now || out.Range.Since == nil || *out.Range.Since != now.Add(-time.Hour) {
		t.Errorf("at %v, exported at %v, the range is %+v", now, out.ExportedAt, out.Range)
	}
	if want := "hearth-last_hour-" + now.Go().Format(time.DateOnly) + ".json"; name != want {
		t.Errorf("the name is %s, want %s", name, want)
	}
}

// An export has nothing of writes that were not made when it began, also if those had
// begun before: what it counts is what it reads later.
func TestExportBesideAWrite(t *testing.T) {
	var until, at store.Time
	h := open(t, func(c *Config) {
		c.Exports = func() map[string]core.ExportFunc {
			return map[string]core.ExportFunc{"messages": func(_ context.Context, e *core.Export) error {
				until = e.Until
				return e.Value([]int{})
			}}
		}
	})
	h.db.Clock.Advance(time.Second)
	err := h.db.Write(t.Context(), func(tx *store.Tx) error {
		at = tx.Now
		return h.Export(t.Context(), storetest.Human(h.cast.Ada), ExportIn{Range: "all_time"}, func(string) io.Writer { return io.Discard })
	})
	if err != nil || until == 0 || until >= at {
		t.Errorf("the export has what was written until %v, while there is a write of %v: %v", until, at, err)
	}
}

package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"hearth/store"
)

// settle does what follows the deletion of an account within a day.
func (w *world) settle() {
	w.t.Helper()
	w.clock.Advance(24 * time.Hour)
	if err := w.app.Collect(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	settleDeletions(w.t, w.app.DB())
}

// settleDeletions is settle for a database without a server.
func settleDeletions(t testing.TB, db *store.DB) {
	t.Helper()
	ctx := context.Background()
	if err := db.IndexAll(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Vacuum(ctx); err != nil {
		t.Fatal(err)
	}
}

// idTraces returns the rows that have an id. The ledger has it for good, and the
// log of events for a week: an id alone names nobody.
func (w *world) idTraces(id string) (rows []string) {
	w.t.Helper()
	for _, row := range traces(w.t, w, id) {
		if !strings.HasPrefix(row, "erased ") && !strings.HasPrefix(row, "event ") {
			rows = append(rows, row)
		}
	}
	return rows
}

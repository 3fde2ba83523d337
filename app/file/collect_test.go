package file

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"hearth/store/storetest"
)

// logged tells of the first line that is logged.
type logged struct {
	bytes.Buffer
	then func()
}

func (l *logged) Write(p []byte) (int, error) {
	defer l.then()
	return l.Buffer.Write(p)
}

// What the job cannot delete is logged, whatever the reason is.
func TestRunLogsFailures(t *testing.T) {
	db := storetest.OpenEmpty(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	log := &logged{then: cancel}
	s, err := New(Config{DB: db.DB, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(db.Path()); err != nil {
		t.Fatal(err)
	}
	s.wake()
	s.Run(ctx)
	if !strings.Contains(log.String(), "removed or replaced") {
		t.Errorf("logged: %q", log)
	}
}

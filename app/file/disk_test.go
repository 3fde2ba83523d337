package file

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// The free space of the disk is logged once when its state changes, and new
// content is refused while only the reserve is left.
func TestDisk(t *testing.T) {
	db := storetest.Open(t)
	var log bytes.Buffer
	s, err := New(Config{DB: db.DB, DiskReserve: 100 << 20, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	free, known := int64(1<<30), true
	s.disk.free = func(string) (int64, bool) { return free, known }
	for _, tc := range []struct {
		mib  int64
		want State
		log  string
	}{
		{1000, OK, ""}, {399, Low, "WARN nearly full"}, {300, Low, ""}, {100, Low, ""}, {99, Full, "ERROR nothing new is stored"}, {1, Full, ""},
		{150, Low, "WARN nearly full"}, {400, OK, "INFO room again"}, {500, OK, ""}, {-1, OK, ""},
	} {
		log.Reset()
		free, known = tc.mib<<20, tc.mib >= 0
		d := s.Disk()
		for range 2 {
			if err := s.CheckSpace(t.Context()); core.IsKind(err, core.StorageFull) != (tc.want == Full) {
				t.Errorf("%d MiB: %v", tc.mib, err)
			}
		}
		if d.State != tc.want || s.State(t.Context()) != tc.want || known && d.Free != free || !known && d.Free != -1 {
			t.Errorf("%d MiB: %+v", tc.mib, d)
		}
		level, text, _ := strings.Cut(tc.log, " ")
		if lines := strings.Count(log.String(), "\n"); lines > 1 || (lines == 1) != (tc.log != "") || !strings.Contains(log.String(), level) ||
			!strings.Contains(log.String(), text) {
			t.Errorf("%d MiB: the log has %s", tc.mib, log.String())
		}
	}
	free, known = 101<<20, true
	err = db.Read(t.Context(), func(r *store.Reader) error { return s.checkQuotas(r, store.Viewer{}, 2<<20) })
	if !core.IsKind(err, core.StorageFull) {
		t.Errorf("a file that would take the reserve: %v", err)
	}
}

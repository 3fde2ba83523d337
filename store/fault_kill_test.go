//go:build linux

package store_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// A process killed at any moment under load loses nothing it acknowledged, and
// the next start is fast.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hearth.db")
	var seen acks
	var starts []time.Duration
	underLoad := 0
	for round := range storetest.Rounds(10, 100) {
		acked := killed(t, path, &seen)
		if acked > 0 {
			underLoad++
		}
		start := time.Now()
		db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := db.Read(context.Background(), func(r *store.Reader) error { _, err := r.Setting("last0"); return err }); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		starts = append(starts, time.Since(start))
		if err := db.Close(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if lost, wrong := checkLoad(t, path, seen.last); lost > 0 || len(wrong) > 0 {
			t.Fatalf("round %d: %d acknowledged rows lost; %s", round, lost, strings.Join(wrong, "; "))
		}
	}
	slices.Sort(starts)
	t.Logf("%d rounds, %d of them killed while writes were acknowledged; first answer after %v (median), %v (slowest)",
		len(starts), underLoad, starts[len(starts)/2], starts[len(starts)-1])
	if underLoad == 0 {
		t.Error("no process was killed under load, so the test proves nothing")
	}
	if median := starts[len(starts)/2]; median > time.Second {
		t.Errorf("a start takes %v", median)
	}
}

// killed runs a loaded process on the file and kills it at a random moment. It
// returns how many writes it acknowledged.
func killed(t *testing.T, path string, seen *acks) (acked int) {
	t.Helper()
	cmd := child(t, "load", path, "FULL", "1", "8", "0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	output := lines(stdout)
	// While the file is opened the moment is a random time, later a random number of
	// writes.
	if rand.IntN(4) == 0 {
		timer := time.AfterFunc(time.Duration(rand.Int64N(int64(100*time.Millisecond))), func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	until := 1 + rand.IntN(1500)
	for line := range output {
		if seen.parse(line) {
			if acked++; acked == until {
				cmd.Process.Kill()
			}
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the process was not killed: %v", err)
	}
	return acked
}

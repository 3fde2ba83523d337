package social_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/app/social"
)

const warmEnv = "HEARTH_WARM"

// TestWarmChild is run in a child process, in which nothing was compared before.
func TestWarmChild(t *testing.T) {
	if os.Getenv(warmEnv) == "" {
		t.Skip("runs as the child process of TestWarmMemory and BenchmarkWarm")
	}
	heap, resident := memory(t)
	start := time.Now()
	social.Warm()
	took := time.Since(start)
	start = time.Now()
	social.Warm()
	again := time.Since(start)
	heapAfter, residentAfter := memory(t)
	fmt.Printf("warm took=%d again=%d heap=%d resident=%d\n", took.Microseconds(), again.Microseconds(), heapAfter-heap, residentAfter-resident)
}

var residentSize = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// memory returns the bytes of the heap that are in use, and those of the process
// that are in memory, the pages of its file among them; 0 where the system does
// not tell.
func memory(t *testing.T) (heap, resident int64) {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, _ := os.ReadFile("/proc/self/status")
	if found := residentSize.FindSubmatch(status); found != nil {
		kb, err := strconv.ParseInt(string(found[1]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		resident = kb << 10
	}
	return int64(m.HeapAlloc), resident
}

// warmed runs TestWarmChild and returns what it measured, in microseconds and
// bytes.
func warmed(t testing.TB) map[string]float64 {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestWarmChild$")
	cmd.Env = append(os.Environ(), warmEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[string]float64{}
	for word := range strings.FieldsSeq(string(out)) {
		if name, value, ok := strings.Cut(word, "="); ok {
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				got[name] = n
			}
		}
	}
	if got["took"] == 0 {
		t.Fatalf("the child process measured nothing:\n%s", out)
	}
	return got
}

// What the comparison of texts keeps in memory is less than 10 MiB, with the
// pages of the embedded table that it has read.
func TestWarmMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory for each page that is read")
	}
	const limit = 10 << 20
	if got := warmed(t); got["heap"] > limit || got["resident"] > limit {
		t.Errorf("the heap grows by %.1f MiB and the process by %.1f MiB", got["heap"]/(1<<20), got["resident"]/(1<<20))
	}
}

// BenchmarkWarm prepares the comparison of texts in a new process. "heap-MiB" is
// what stays on the heap, "resident-MiB" what the process grew by, and "again-µs"
// what the same texts take then.
func BenchmarkWarm(b *testing.B) {
	sum := map[string]float64{}
	for range b.N {
		for name, v := range warmed(b) {
			sum[name] += v / float64(b.N)
		}
	}
	b.ReportMetric(sum["took"]/1000, "warm-ms")
	b.ReportMetric(sum["again"], "again-µs")
	b.ReportMetric(sum["heap"]/(1<<20), "heap-MiB")
	b.ReportMetric(sum["resident"]/(1<<20), "resident-MiB")
}

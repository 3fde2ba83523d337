//go:build linux

package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// BenchmarkStart starts the server. "first-ms" is the time until it answers the
// first request. "publish-ms" is the time of the first ask after that, and
// "later-ms" of the second. "idle-MiB" is the memory of a server that nobody used.
// With HEARTH_LONG the file has a million messages.
func BenchmarkStart(b *testing.B) {
	program, path := storetest.Program(b), filepath.Join(b.TempDir(), "hearth.db")
	who := clients(b, path, 1)[0]
	if storetest.Long() {
		fillFile(b, path, who, 1_000_000)
	}
	var first, publish, later time.Duration
	idle := 0
	ask := func(p *process, i int) time.Duration {
		start := time.Now()
		a := p.ask(who, "POST", "/api/intents", map[string]any{"kind": "ask", "terms": fmt.Sprint("a ladder for house number ", i),
			"confirm": true, "expiresAt": time.Now().Add(time.Second)})
		if a.status != 201 {
			b.Fatalf("%d %s", a.status, a.body.Code)
		}
		return time.Since(start)
	}
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		p := serve(b, exec.Command(program, serveArgs(path)...))
		if a := p.ask(nil, "GET", "/health", nil); a.status != 200 {
			b.Fatal(a.status)
		}
		first += time.Since(start)
		time.Sleep(500 * time.Millisecond) // it is idle
		idle += residentKB(b, p.cmd.Process.Pid)
		publish += ask(p, 2*i)
		later += ask(p, 2*i+1)
		p.kill()
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(each(first), "first-ms")
	b.ReportMetric(each(publish), "publish-ms")
	b.ReportMetric(each(later), "later-ms")
	b.ReportMetric(float64(idle)/float64(b.N)/1024, "idle-MiB")
}

// fillFile sends n messages in the file at path, and indexes them.
func fillFile(b *testing.B, path string, who *client, n int) {
	db, err := store.Open(b.Context(), path, store.Options{Schema: storetest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	fill(b, db, who.conversation, who.userID, n)
	index(b, db)
}

var resident = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// residentKB returns how much memory a process has.
func residentKB(b *testing.B, pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	found := resident.FindSubmatch(status)
	if found == nil {
		b.Fatalf("%s", status)
	}
	kb, err := strconv.Atoi(string(found[1]))
	if err != nil {
		b.Fatal(err)
	}
	return kb
}

package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearth/store/storetest"
)

// running is a server that listens.
type running struct {
	*App
	url string
	ops string
}

func run(t *testing.T) *running {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), Config{
		DB: filepath.Join(t.TempDir(), "h.db"), Schema: storetest.Schema(t), BaseURL: "http://" + ln.Addr().String(),
		OpsAddr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Out: io.Discard, Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	ops, err := a.ListenOps()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, a.Close()); err != nil {
			t.Error(err)
		}
	})
	return &running{a, "http://" + ln.Addr().String(), "http://" + ops}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// The metrics count by operation and contain no content or addresses.
func TestMetrics(t *testing.T) {
	s := run(t)
	get(t, s.url+"/health")
	get(t, s.url+"/api/lists?public=true")
	get(t, s.url+"/api/no/such/secret-word")
	get(t, s.url+"/secret-word")
	get(t, s.url+"/")
	status, text := get(t, s.ops+"/metrics")
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(text, "\nhearth_write_queue 0\n") && time.Now().Before(deadline); {
		status, text = get(t, s.ops+"/metrics") // jobs of the start write, too
	}
	if status != http.StatusOK {
		t.Fatal(status)
	}
	for _, want := range []string{
		`hearth_http_requests_total{op="Health",status="200"} 1`,
		`hearth_http_requests_total{op="Lists",status="200"} 1`,
		`hearth_http_requests_total{op="none",status="404"} 1`,
		`hearth_http_requests_total{op="GET /{$}",status="200"} 1`,
		`hearth_http_requests_total{op="page",status="404"} 1`,
		`hearth_http_request_seconds_count{op="Health"} 1`,
		"hearth_write_group_size_count ", "hearth_write_commit_seconds_count ", "hearth_write_queue 0", "hearth_mail_queue 0",
		"hearth_streams 0", "hearth_database_bytes ", "hearth_database_log_bytes ", "go_goroutines ", "process_resident_memory_bytes ",
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("no metric %q", want)
		}
	}
	if strings.Contains(text, "secret-word") {
		t.Error("the metrics contain an address")
	}
	if status, _ := get(t, s.ops+"/debug/pprof/goroutine?debug=1"); status != http.StatusOK {
		t.Errorf("profiles: %d", status)
	}
	foreign, err := http.NewRequest("GET", s.ops+"/debug/pprof/cmdline", nil)
	if err != nil {
		t.Fatal(err)
	}
	foreign.Host = "rebound.example:9090" // a foreign name that resolves to this machine
	res, err := http.DefaultClient.Do(foreign)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("with a foreign host name: %d", res.StatusCode)
	}
	if status, _ := get(t, s.url+"/metrics"); status != http.StatusNotFound {
		t.Errorf("metrics on the public address: %d", status)
	}
	if status, _ := get(t, s.url+"/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("profiles on the public address: %d", status)
	}
}

// Every transport refuses requests from other sites' pages.
func TestOtherSites(t *testing.T) {
	s := run(t)
	for _, path := range []string{"/login", "/api/auth/logout"} {
		for origin, refused := range map[string]bool{"https://evil.example": true, s.url: false} {
			req, _ := http.NewRequest("POST", s.url+path, strings.NewReader("email=x"))
			req.Header.Set("Origin", origin)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if (resp.StatusCode == http.StatusForbidden) != refused {
				t.Errorf("POST %s from %s: %s", path, origin, resp.Status)
			}
		}
	}
}

func TestHeaderLimit(t *testing.T) {
	s := run(t)
	req, _ := http.NewRequest("GET", s.url+"/health", nil)
	req.Header.Set("X-Large", strings.Repeat("x", 40<<10))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("40 KiB of header: %s", resp.Status)
	}
}

// Headers and idle connections time out. Responses have no time limit when they
// start, because some are streams.
func TestServerLimits(t *testing.T) {
	s := run(t).server(nil)
	if s.ReadHeaderTimeout != 5*time.Second || s.IdleTimeout != time.Minute || s.MaxHeaderBytes != 16<<10 || s.WriteTimeout != 0 {
		t.Errorf("%+v", s)
	}
}

// A server that cannot listen on the ops address fails before it serves.
func TestOpsAddressTaken(t *testing.T) {
	s := run(t)
	other, err := New(t.Context(), Config{
		DB: filepath.Join(t.TempDir(), "h.db"), Schema: storetest.Schema(t), OpsAddr: strings.TrimPrefix(s.ops, "http://"),
		Log: slog.New(slog.DiscardHandler), Out: io.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ListenOps(); err == nil || !strings.Contains(err.Error(), "--ops-addr") {
		t.Errorf("%v", err)
	}
}

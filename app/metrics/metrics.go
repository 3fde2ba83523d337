// Package metrics counts requests and times, never people or content.
package metrics

import (
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// Metrics has the counters of a server.
type Metrics struct {
	set     *metrics.Set
	group   *metrics.PrometheusHistogram // writes that shared one commit
	commit  *metrics.PrometheusHistogram // time from the beginning of a group of writes until it is on disk
	buckets []float64                    // of times to answer
	streams map[string]bool
}

// New returns counters at zero.
func New() *Metrics {
	metrics.ExposeMetadata(true)
	set := metrics.NewSet()
	return &Metrics{
		set:     set,
		group:   set.NewPrometheusHistogramExt("hearth_write_group_size", metrics.ExponentialBuckets(1, 2, 9)),
		commit:  set.NewPrometheusHistogramExt("hearth_write_commit_seconds", metrics.ExponentialBuckets(0.0001, 2.5, 12)),
		buckets: metrics.ExponentialBuckets(0.0002, 2.5, 12),
		streams: map[string]bool{},
	}
}

// Stream excludes an operation from the times, because its responses last as long as the client stays.
func (m *Metrics) Stream(op string) { m.streams[op] = true }

// Request counts a response. op is the operation or page, or "".
func (m *Metrics) Request(op string, status int, took time.Duration) {
	if op == "" {
		op = "none"
	}
	label := "{op=" + strconv.Quote(op)
	m.set.GetOrCreateCounter("hearth_http_requests_total" + label + `,status="` + strconv.Itoa(status) + `"}`).Inc()
	if !m.streams[op] {
		m.set.GetOrCreatePrometheusHistogramExt("hearth_http_request_seconds"+label+"}", m.buckets).Update(took.Seconds())
	}
}

// Group counts a transaction of some writes.
func (m *Metrics) Group(writes int, took time.Duration) {
	m.group.Update(float64(writes))
	m.commit.Update(took.Seconds())
}

// Gauge registers a value that is computed when it is read.
func (m *Metrics) Gauge(name string, value func() float64) { m.set.NewGauge(name, value) }

// Counter registers a count that is read when it is requested.
func (m *Metrics) Counter(name string, value func() float64) {
	m.set.RegisterMetricsWriter(func(w io.Writer) { metrics.WriteCounterFloat64(w, name, value()) })
}

// FileSize returns a gauge of a file's size. It does not open the file, because closing it drops SQLite's
// locks.
func FileSize(path string) func() float64 {
	return func() float64 {
		fi, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return float64(fi.Size())
	}
}

// Handler serves metrics and profiles on the operator's own listener. It answers only loopback hosts: the
// name of a foreign page may resolve to this machine.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.set.WritePrometheus(w)
		metrics.WriteProcessMetrics(w)
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Loopback(net.JoinHostPort((&url.URL{Host: r.Host}).Hostname(), "0")) {
			http.Error(w, "Open this as localhost, or by a loopback address.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Loopback reports whether addr, a host and a port, is of this machine.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip, _ := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || ip.IsLoopback())
}

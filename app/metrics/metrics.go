// Package metrics counts requests and times, never people or content.
package metrics

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics has the counters of a server.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	group    prometheus.Histogram
	commit   prometheus.Histogram
	streams  map[string]bool
}

// New returns counters at zero.
func New() *Metrics {
	m := &Metrics{
		streams:  map[string]bool{},
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hearth_http_requests_total", Help: "Requests answered, by operation or page and status.",
		}, []string{"op", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hearth_http_request_seconds", Help: "Time to answer a request, by operation or page, without live streams.",
			Buckets: prometheus.ExponentialBuckets(0.0002, 2.5, 12),
		}, []string{"op"}),
		group: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hearth_write_group_size", Help: "Writes that shared one commit.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 9),
		}),
		commit: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hearth_write_commit_seconds", Help: "Time from the beginning of a group of writes until it is on disk.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2.5, 12),
		}),
	}
	m.registry.MustRegister(m.requests, m.took, m.group, m.commit,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Stream excludes an operation from the times, because its responses last as long as the client stays.
func (m *Metrics) Stream(op string) { m.streams[op] = true }

// Request counts a response. op is the operation or page, or "".
func (m *Metrics) Request(op string, status int, took time.Duration) {
	if op == "" {
		op = "none"
	}
	m.requests.WithLabelValues(op, strconv.Itoa(status)).Inc()
	if !m.streams[op] {
		m.took.WithLabelValues(op).Observe(took.Seconds())
	}
}

// Group counts a transaction of some writes.
func (m *Metrics) Group(writes int, took time.Duration) {
	m.group.Observe(float64(writes))
	m.commit.Observe(took.Seconds())
}

// Gauge registers a value that is computed when it is read.
func (m *Metrics) Gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// Counter registers a count that is read when it is requested.
func (m *Metrics) Counter(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
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
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
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

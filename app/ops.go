package app

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what the server counts about itself. They say how much and how
// fast, never who or what.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	group    prometheus.Histogram
	commit   prometheus.Histogram
	streams  map[string]bool // operations that last as long as their stream
}

func newMetrics() *metrics {
	m := &metrics{
		streams:  map[string]bool{},
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hearth_http_requests_total", Help: "Requests answered, by operation and status.",
		}, []string{"op", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hearth_http_request_seconds", Help: "Time to answer a request, by operation; live streams apart.",
			Buckets: prometheus.ExponentialBuckets(0.0002, 2.5, 12),
		}, []string{"op"}),
		group: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hearth_write_group_size", Help: "Writes that shared one commit.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 9),
		}),
		commit: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "hearth_write_commit_seconds", Help: "Time from the begin of a group of writes until it is on disk.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2.5, 12),
		}),
	}
	m.registry.MustRegister(m.requests, m.took, m.group, m.commit,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// onRequest counts an answer. op is the operation's name, of which there are
// as many as the table has rows; "" is an address that nobody has.
func (m *metrics) onRequest(op string, status int, took time.Duration) {
	if op == "" {
		op = "none"
	}
	m.requests.WithLabelValues(op, strconv.Itoa(status)).Inc()
	if !m.streams[op] {
		m.took.WithLabelValues(op).Observe(took.Seconds())
	}
}

func (m *metrics) onGroup(writes int, took time.Duration) {
	m.group.Observe(float64(writes))
	m.commit.Observe(took.Seconds())
}

// gauge registers a value that is asked for when it is read.
func (m *metrics) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// watch adds what the parts of a can tell about themselves.
func (m *metrics) watch(a *App) {
	m.gauge("hearth_write_queue", "Writes waiting for the writer.", func() float64 { return float64(a.db.Queued()) })
	m.gauge("hearth_mail_queue", "Mails waiting for the mail server.", func() float64 { return float64(a.mail.Waiting()) })
	m.gauge("hearth_streams", "Live streams open.", func() float64 { return float64(a.hub.Streams()) })
	m.gauge("hearth_database_bytes", "Size of the database file.", fileSize(a.db.Path()))
	m.gauge("hearth_database_log_bytes", "Size of its write-ahead log.", fileSize(a.db.Path()+"-wal"))
}

// fileSize asks the folder and does not open the file, which would drop the
// locks that SQLite holds on it.
func fileSize(path string) func() float64 {
	return func() float64 {
		fi, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return float64(fi.Size())
	}
}

// opsHandler serves metrics and profiles. It is for the operator's own
// listener only, and answers only to names of this machine: a page elsewhere
// may have its own name lead here, and would read as its own what it gets.
func (m *metrics) opsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if loopback(net.JoinHostPort((&url.URL{Host: r.Host}).Hostname(), "0")) != nil {
			http.Error(w, "Ask for this as localhost, or by an address of this machine.", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Package app composes the packages of hearth into one server.
package app

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"hearth/app/metrics"
	"hearth/store"
)

// Config is the configuration of a server. The zero value of a field means
// what its comment says; only Schema is required.
type Config struct {
	DB            string         // the database file; hearth.db
	Schema        string         // schema.sql, to make a new file from
	Addr          string         // where to listen; 127.0.0.1:8080
	BaseURL       string         // what links begin with; made from Addr
	LegacyBaseURL string         // a second host of the same interface, accepted as origin, never written into links
	ContextLane   bool           // whether conversations have a Context lane
	PublicKey     string         // the published agent key; made at first start
	BridgeSecret  string         // shared with the one trusted peer; "" disables the bridge
	JWTSecret     string         // signs user tokens; made at first start
	SMTPURL       string         // smtp:// or smtps://; "" writes mail to the log
	MailFrom      string         // sender of mails; hearth@ the base URL's host
	Signup        string         // "open" or "invite"; open
	AllowNet      []string       // hosts or CIDRs outside the public internet that may be reached
	TrustedProxy  []netip.Prefix // whose X-Forwarded-For is believed; none
	OpsAddr       string         // loopback address of metrics and profiling; none
	NoRateLimits  bool           // lifts the general limits of writes per account, for benchmarks and imports

	Version string           // what /health reports
	Log     *slog.Logger     // slog.Default()
	Out     io.Writer        // where the start lines for people go; os.Stdout
	Now     func() time.Time // the wall clock; time.Now
	Store   store.Options    // for tests: how the file is opened; Schema and Now are filled in
}

// fill sets defaults and refuses invalid values.
func (c *Config) fill() error {
	if c.DB == "" {
		c.DB = "hearth.db"
	}
	if c.Addr == "" {
		c.Addr = "127.0.0.1:8080"
	}
	if c.BaseURL == "" {
		c.BaseURL = BaseURLOf(c.Addr)
	}
	if c.Signup == "" {
		c.Signup = "open"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Out == nil {
		c.Out = os.Stdout
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Signup != "open" && c.Signup != "invite" {
		return fmt.Errorf("--signup is open (anybody may join) or invite (only who has an account), not %q", c.Signup)
	}
	if err := webAddress("--base-url", &c.BaseURL); err != nil {
		return err
	}
	if c.LegacyBaseURL != "" {
		if err := webAddress("--legacy-base-url", &c.LegacyBaseURL); err != nil {
			return err
		}
	}
	if c.MailFrom == "" {
		u, _ := url.Parse(c.BaseURL)
		c.MailFrom = "hearth <hearth@" + u.Hostname() + ">"
	}
	if c.OpsAddr != "" && !metrics.Loopback(c.OpsAddr) {
		return fmt.Errorf("--ops-addr must be a loopback address such as 127.0.0.1:9090, not %q, because metrics and profiles are not protected; reach it from elsewhere through an SSH tunnel", c.OpsAddr)
	}
	return nil
}

// webAddress refuses what cannot be the beginning of links, and removes a slash
// at the end.
func webAddress(flag string, s *string) error {
	u, err := url.Parse(*s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%s is the address people open, such as https://chat.example.org, without a path; not %q", flag, *s)
	}
	*s = u.Scheme + "://" + u.Host
	return nil
}

// BaseURLOf returns how a browser on this machine reaches a server that
// listens on addr.
func BaseURLOf(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if port == "80" {
		return "http://" + strings.TrimSuffix(net.JoinHostPort(host, ""), ":")
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Package app puts the rooms together into one server.
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

	"hearth/store"
)

// Config is everything a server is told from outside. The zero value of a
// field means what its comment says; only Schema must be given.
type Config struct {
	DB            string         // the database file; hearth.db
	Schema        string         // schema.sql, to make a new file from
	Addr          string         // where to listen; 127.0.0.1:8080
	BaseURL       string         // what links begin with; made from Addr
	LegacyBaseURL string         // a second host of the same interface, accepted as origin, never written into links
	ContextLane   bool           // whether conversations have a Context lane
	PublicKey     string         // the published agent key; made at first start
	BridgeSecret  string         // shared with the one trusted peer; "" switches the bridge off
	JWTSecret     string         // signs user tokens; made at first start
	SMTPURL       string         // smtp:// or smtps://; "" writes mail to the log
	MailFrom      string         // sender of mails; hearth@ the base URL's host
	Signup        string         // "open" or "invite"; open
	AllowNet      []string       // hosts or CIDRs outside the public internet that may be reached
	TrustedProxy  []netip.Prefix // whose X-Forwarded-For is believed; none
	OpsAddr       string         // loopback address of metrics and profiling; none

	Version string           // what /health reports
	Log     *slog.Logger     // slog.Default()
	Out     io.Writer        // where the start lines for people go; os.Stdout
	Now     func() time.Time // the wall clock; time.Now
	Store   store.Options    // for tests: how the file is opened; Schema and Now are filled in
}

// fill puts in what was left out and refuses what cannot be meant.
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
	return loopback(c.OpsAddr)
}

// webAddress refuses what links cannot begin with, and takes a slash off the end.
func webAddress(flag string, s *string) error {
	u, err := url.Parse(*s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%s is the address people open, such as https://chat.example.org, without a path; not %q", flag, *s)
	}
	*s = u.Scheme + "://" + u.Host
	return nil
}

// loopback refuses to show metrics and profiles to others: they are not
// guarded by any sign-in.
func loopback(addr string) error {
	if addr == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(addr)
	ip, _ := netip.ParseAddr(host)
	if err != nil || host != "localhost" && !ip.IsLoopback() {
		return fmt.Errorf("--ops-addr must be an address of this machine alone, such as 127.0.0.1:9090, not %q; reach it from elsewhere through an SSH tunnel", addr)
	}
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

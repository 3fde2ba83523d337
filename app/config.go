// Package app composes the packages of hearth into one server.
package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/idna"

	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/metrics"
	"hearth/app/page"
	"hearth/store"
)

// Config is the configuration of a server. Comments give the defaults of zero fields. Only Schema is required.
type Config struct {
	DB            string         // database file; hearth.db
	Schema        string         // schema.sql, to create a new file
	Addr          string         // address to listen on; 127.0.0.1:8080
	BaseURL       string         // prefix of links; derived from Addr
	LegacyBaseURL string         // a second URL of the same server, accepted as origin, not used in links
	ContextLane   bool           // whether conversations have a Context lane
	PublicKey     string         // the published agent key; generated at first start
	BridgeSecret  string         // shared with the trusted peer service; "" disables the bridge
	JWTSecret     string         // signs user tokens; generated at first start
	MailFrom      string         // sender of mails; hearth@ and the host of BaseURL
	Signup        string         // "open" or "invite"; "" leaves it to the administrators, at first open
	CommunityName string         // "", as in the next three, leaves it to the administrators
	Accent        string         // color of links and buttons, as #rrggbb
	Welcome       string         // text for new people
	DateLanguage  string         // of dates on pages: auto, or a language of admin.Languages
	AllowNet      []string       // hosts or prefixes outside the public internet that the server may connect to
	TrustedProxy  []netip.Prefix // proxies whose X-Forwarded-For is trusted; none
	QuotaAccount  int64          // bytes of files per account; 2 GiB
	QuotaServer   int64          // bytes of the database; no limit
	DiskReserve   int64          // free bytes that new content leaves on the disk; 256 MiB, no check below 0
	TranscribeURL string         // OpenAI-compatible service that transcribes voice notes; none
	EmbedModel    string         // its model; required with EmbedURL
	EmbedKey      string         // its key; none
	OpsAddr       string         // loopback address for metrics and profiling; none
	NoRateLimits  bool           // disables the general limits of writes per account, for benchmarks and imports
	page.Settings                // what pages show, too

	Version string           // for /health
	Log     *slog.Logger     // slog.Default()
	Out     io.Writer        // output for people at start; os.Stdout
	Now     func() time.Time // wall clock; time.Now
	Store   store.Options    // for tests: options of the database; New sets Schema and Now

	// Command runs a command line in the server, for an operator.
	Command func(ctx context.Context, a *App, c Command) Ran

	WebhookDelays []time.Duration // for tests: between the attempts of a delivery

	command   bool // the file is opened for one command: see OpenDatabase
	mailNamed bool // mails are from the community, because MailFrom was not set
}

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
	if c.QuotaAccount == 0 {
		c.QuotaAccount = 2 << 30
	}
	if c.QuotaAccount < 0 || c.QuotaServer < 0 {
		return fmt.Errorf("--quota-account and --quota-server must not be negative")
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
	if c.Signup != "" && c.Signup != "open" && c.Signup != "invite" {
		return fmt.Errorf("--signup must be open (everybody can join) or invite (only invited people can), not %q", c.Signup)
	}
	if err := cmp.Or(c.checkCommunity(), c.checkEmbed()); err != nil {
		return err
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
		c.mailNamed = true
		u, _ := url.Parse(c.BaseURL)
		c.MailFrom = "hearth <hearth@" + u.Hostname() + ">"
	}
	if c.OpsAddr != "" && !metrics.Loopback(c.OpsAddr) {
		return fmt.Errorf("--ops-addr must be a loopback address such as 127.0.0.1:9090, not %q, because metrics and profiles are not "+
			"protected; use an SSH tunnel for remote access", c.OpsAddr)
	}
	return nil
}

func (c *Config) checkCommunity() error {
	in := admin.UpdateSettingsIn{}
	flags := map[string]string{"communityName": "--community-name", "accent": "--accent", "welcome": "--welcome",
		"dateLanguage": "--date-language"}
	for _, set := range []struct {
		value *string
		in    *core.Opt[string]
	}{{&c.CommunityName, &in.CommunityName}, {&c.Accent, &in.Accent}, {&c.Welcome, &in.Welcome}, {&c.DateLanguage, &in.DateLanguage}} {
		if *set.value != "" {
			*set.in = core.Some(*set.value)
		}
	}
	if err := in.Check(); err != nil {
		e := core.As(err)
		return fmt.Errorf("%s: %s", flags[e.Field], e.Msg)
	}
	c.CommunityName, c.Accent, c.Welcome, c.DateLanguage = in.CommunityName.V, in.Accent.V, in.Welcome.V, in.DateLanguage.V
	return nil
}

func (c *Config) fixed() map[string]string {
	all := map[string]string{"communityName": c.CommunityName, "accent": c.Accent, "welcome": c.Welcome, "dateLanguage": c.DateLanguage,
		"signup": c.Signup}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// webAddress writes the URL as browsers do in Host and Origin: no slash at the end, no default port, and an ASCII
// host.
func webAddress(flag string, s *string) error {
	u, err := url.Parse(*s)
	if err != nil || !fetch.IsWeb(u) || strings.Trim(u.Path, "/") != "" || u.RawQuery+u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%s must be the public URL without a path, such as https://chat.example.org, not %q", flag, *s)
	}
	name := strings.ToLower(u.Hostname())
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		if name, err = idna.Lookup.ToASCII(name); err != nil {
			return fmt.Errorf("%s must have the name of a host, not %q: %w", flag, u.Hostname(), err)
		}
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]" // an IPv6 address
	}
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		name += ":" + port
	}
	*s = u.Scheme + "://" + name
	return nil
}

// BaseURLOf returns the URL of a server that listens on addr, for a browser on the same machine.
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

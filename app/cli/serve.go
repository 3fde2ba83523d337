package cli

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"hearth/app"
)

// serverFlags are the settings of a server; each has an environment variable.
func serverFlags(db cli.Flag) []cli.Flag {
	env := func(names ...string) []string { return names }
	return []cli.Flag{
		db,
		&cli.StringFlag{Name: "addr", EnvVars: env("HEARTH_ADDR"), Value: "127.0.0.1:8080", Usage: "`ADDRESS` to listen on"},
		&cli.StringFlag{Name: "base-url", EnvVars: env("HEARTH_BASE_URL"), Usage: "the `URL` people open; links begin with it (default: from --addr)"},
		&cli.StringFlag{Name: "legacy-base-url", EnvVars: env("HEARTH_LEGACY_BASE_URL"), Usage: "a second `URL` of the same server: accepted, never written into links"},
		&cli.BoolFlag{Name: "context-lane", EnvVars: env("CHAT_CONTEXT_LANE"), Usage: "give conversations a Context lane"},
		&cli.StringFlag{Name: "public-agent-key", EnvVars: env("PUBLIC_AGENT_KEY"), Usage: "the published `KEY` for agents without account (default: made at first start)"},
		&cli.StringFlag{Name: "bridge-secret", EnvVars: env("HEARTH_BRIDGE_SECRET"), Usage: "`SECRET` shared with the one trusted peer service (default: no bridge)"},
		&cli.StringFlag{Name: "jwt-secret", EnvVars: env("HEARTH_JWT_SECRET"), Usage: "`SECRET` that signs user tokens (default: made at first start)"},
		&cli.StringFlag{Name: "smtp-url", EnvVars: env("HEARTH_SMTP_URL"), Usage: "mail server, smtp://user:password@host:587 or smtps://… (`URL`; default: mail is shown here)"},
		&cli.StringFlag{Name: "mail-from", EnvVars: env("HEARTH_MAIL_FROM"), Usage: "sender of mails (`ADDRESS`; default: hearth@ the base URL's host)"},
		&cli.StringFlag{Name: "signup", EnvVars: env("HEARTH_SIGNUP"), Value: "open", Usage: "`WHO` may join: open for anybody, invite for people who have an account"},
		&cli.StringSliceFlag{Name: "allow-net", EnvVars: env("HEARTH_ALLOW_NET"), Usage: "`HOST` or prefix outside the public internet that mail, webhooks and previews may reach; repeatable"},
		&cli.StringSliceFlag{Name: "trusted-proxy", EnvVars: env("HEARTH_TRUSTED_PROXY"), Usage: "`PREFIX` of proxies whose X-Forwarded-For is believed; repeatable"},
		&cli.StringFlag{Name: "rate-limits", EnvVars: env("HEARTH_RATE_LIMITS"), Value: "on", Usage: "`on` or off: the general limits of writes per account; off is for benchmarks and imports"},
		&cli.StringFlag{Name: "ops-addr", EnvVars: env("HEARTH_OPS_ADDR"), Usage: "loopback `ADDRESS` for metrics and profiles (default: none)"},
	}
}

func (e Env) config(c *cli.Context) (app.Config, error) {
	cfg := app.Config{
		DB: c.String("db"), Schema: e.Schema, Addr: c.String("addr"), BaseURL: c.String("base-url"), LegacyBaseURL: c.String("legacy-base-url"),
		ContextLane: c.Bool("context-lane"), PublicKey: c.String("public-agent-key"), BridgeSecret: c.String("bridge-secret"),
		JWTSecret: c.String("jwt-secret"), SMTPURL: c.String("smtp-url"), MailFrom: c.String("mail-from"), Signup: c.String("signup"),
		AllowNet: c.StringSlice("allow-net"), OpsAddr: c.String("ops-addr"),
		Version: e.Version, Log: e.logger(), Out: e.Out, Now: e.Now,
	}
	switch c.String("rate-limits") {
	case "on":
	case "off":
		cfg.NoRateLimits = true
	default:
		return cfg, usagef("--rate-limits is on or off, not %q", c.String("rate-limits"))
	}
	for _, s := range c.StringSlice("trusted-proxy") {
		p, err := netip.ParsePrefix(strings.TrimSpace(s))
		if ip, ipErr := netip.ParseAddr(strings.TrimSpace(s)); ipErr == nil {
			p, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if err != nil {
			return cfg, usagef("--trusted-proxy is an address or a prefix such as 10.0.0.0/8, not %q", s)
		}
		cfg.TrustedProxy = append(cfg.TrustedProxy, p.Masked())
	}
	return cfg, nil
}

// Serve is "hearth serve".
func Serve(env Env) *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "start the server",
		Description: describe("Serves the pages and the JSON interface from one database file, which is made at the first start.\n"+
			"Without a mail server, sign-in links are shown here. Ctrl-C stops it in good order.",
			"hearth serve",
			"hearth serve --db /var/lib/hearth/hearth.db --addr 127.0.0.1:8080 --base-url https://chat.example.org"),
		Flags: serverFlags(dbFlag()),
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			cfg, err := env.config(c)
			if err != nil {
				return err
			}
			return env.serve(c.Context, cfg, nil)
		},
	}
}

// serve listens first, so that the address in links is the one it has, and
// serves until ctx ends. greet, if there is one, says more about the server.
func (e Env) serve(ctx context.Context, cfg app.Config, greet func(*app.App) error) (err error) {
	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Is another server running there? Choose another address with --addr", cfg.Addr, err)
	}
	defer ln.Close()
	if cfg.BaseURL == "" {
		cfg.BaseURL = app.BaseURLOf(ln.Addr().String())
	}
	a, err := app.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() {
		if e := a.Close(); err == nil {
			err = e
		}
	}()
	ops, err := a.ListenOps()
	if err != nil {
		return err
	}
	e.say("hearth %s\n  address   %s", e.Version, cfg.BaseURL)
	if listens := app.BaseURLOf(ln.Addr().String()); listens != cfg.BaseURL {
		e.say("  listens   %s", ln.Addr())
	}
	e.say("  database  %s", absolute(cfg.DB))
	e.say("  mail      %s", mailLine(cfg))
	e.say("  agents    %s", a.PublicKey())
	if ops != "" {
		e.say("  metrics   http://%s/metrics", ops)
	}
	if greet != nil {
		if err := greet(a); err != nil {
			return err
		}
	}
	link, err := a.ClaimURL(ctx)
	if err != nil {
		return err
	}
	if link != "" {
		e.say("\nNobody runs this server yet. Open this link to become its admin; it works once:\n  %s\n", link)
	}
	if err := a.Run(ctx, ln); err != nil {
		return err
	}
	e.say("Stopped; everything acknowledged is in %s.", absolute(cfg.DB))
	return nil
}

func mailLine(cfg app.Config) string {
	if cfg.SMTPURL == "" {
		return "shown here, because no mail server is set (--smtp-url)"
	}
	_, host, _ := strings.Cut(cfg.SMTPURL, "://")
	return "through " + host[strings.LastIndexByte(host, '@')+1:]
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

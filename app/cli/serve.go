package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"hearth/app"
	"hearth/app/admin"
	"hearth/app/core"
)

func serverFlags(db cli.Flag) []cli.Flag {
	env := func(names ...string) []string { return names }
	return []cli.Flag{
		db,
		&cli.StringFlag{Name: "addr", EnvVars: env("HEARTH_ADDR"), Value: "127.0.0.1:8080", Usage: "`ADDRESS` to listen on"},
		&cli.StringFlag{Name: "base-url", EnvVars: env("HEARTH_BASE_URL"),
			Usage: "the public `URL`, with which links start (default: from --addr)"},
		&cli.StringFlag{Name: "legacy-base-url", EnvVars: env("HEARTH_LEGACY_BASE_URL"),
			Usage: "a second `URL` of the same server: accepted, not used in links"},
		&cli.BoolFlag{Name: "context-lane", EnvVars: env("CHAT_CONTEXT_LANE"), Usage: "enable the Context lane of conversations"},
		&cli.StringFlag{Name: "public-agent-key", EnvVars: env("PUBLIC_AGENT_KEY"),
			Usage: "the published `KEY` for agents without an account (default: generated at first start)"},
		&cli.StringFlag{Name: "bridge-secret", EnvVars: env("HEARTH_BRIDGE_SECRET"),
			Usage: "`SECRET` shared with the one trusted peer service (default: no bridge)"},
		&cli.StringFlag{Name: "bridge-secret-file", EnvVars: env("HEARTH_BRIDGE_SECRET_FILE"),
			Usage: "`FILE` with that secret: unlike an argument, it is not in the list of processes"},
		&cli.StringFlag{Name: "jwt-secret", EnvVars: env("HEARTH_JWT_SECRET"),
			Usage: "`SECRET` that signs user tokens (default: generated at first start)"},
		&cli.StringFlag{Name: "jwt-secret-file", EnvVars: env("HEARTH_JWT_SECRET_FILE"), Usage: "`FILE` with that secret"},
		&cli.StringFlag{Name: "smtp-url", EnvVars: env("HEARTH_SMTP_URL"),
			Usage: "mail server, smtp://user:password@host:587 or smtps://… (`URL`; default: mails are printed)"},
		&cli.StringFlag{Name: "smtp-url-file", EnvVars: env("HEARTH_SMTP_URL_FILE"), Usage: "`FILE` with that URL"},
		&cli.StringFlag{Name: "mail-from", EnvVars: env("HEARTH_MAIL_FROM"),
			Usage: "sender of mails (`ADDRESS`; default: hearth@ and the host of the base URL)"},
		&cli.StringFlag{Name: "signup", EnvVars: env("HEARTH_SIGNUP"),
			Usage: "`WHO` can join: open for everybody, invite for invited people only (default: as administrators set it, at first open)"},
		&cli.StringFlag{Name: "community-name", EnvVars: env("HEARTH_COMMUNITY_NAME"),
			Usage: "`NAME` of the community (default, as for the next three: as administrators set it)"},
		&cli.StringFlag{Name: "accent", EnvVars: env("HEARTH_ACCENT"), Usage: "`COLOR` of links and buttons, such as #a33b12"},
		&cli.StringFlag{Name: "welcome", EnvVars: env("HEARTH_WELCOME"), Usage: "`TEXT` that newcomers read"},
		&cli.StringFlag{Name: "date-language", EnvVars: env("HEARTH_DATE_LANGUAGE"),
			Usage: "`LANGUAGE` of dates on pages: auto (the reader's), de, en, es, fr, it, ja, nl, pl, pt, sv or tr"},
		&cli.StringSliceFlag{Name: "allow-net", EnvVars: env("HEARTH_ALLOW_NET"),
			Usage: "private `HOST` or prefix that mail, webhooks and previews may connect to; repeatable"},
		&cli.StringSliceFlag{Name: "trusted-proxy", EnvVars: env("HEARTH_TRUSTED_PROXY"),
			Usage: "`PREFIX` of proxies whose X-Forwarded-For is trusted; repeatable"},
		&cli.StringFlag{Name: "rate-limits", EnvVars: env("HEARTH_RATE_LIMITS"), Value: "on",
			Usage: "`on` or off: general limits of writes per account; off is for benchmarks and imports"},
		&cli.StringFlag{Name: "quota-account", EnvVars: env("HEARTH_QUOTA_ACCOUNT"), Value: "2GiB",
			Usage: "`SIZE` that the files of one account and its bots can take"},
		&cli.StringFlag{Name: "quota-server", EnvVars: env("HEARTH_QUOTA_SERVER"),
			Usage: "`SIZE` that the database can take (default: no limit)"},
		&cli.StringFlag{Name: "disk-reserve", EnvVars: env("HEARTH_DISK_RESERVE"), Value: "256MiB",
			Usage: "`SIZE` of the disk that new content leaves free; 0 does not watch the disk"},
		&cli.StringFlag{Name: "transcribe-url", EnvVars: env("HEARTH_TRANSCRIBE_URL"),
			Usage: "OpenAI-compatible service that transcribes voice notes (`URL`; default: none)"},
		&cli.StringFlag{Name: "embed-url", EnvVars: env("HEARTH_EMBED_URL"),
			Usage: "OpenAI-compatible service that computes vectors, by which asks and offers are matched, too (`URL`; default: none)"},
		&cli.StringFlag{Name: "embed-model", EnvVars: env("HEARTH_EMBED_MODEL"), Usage: "`MODEL` of that service; required with it"},
		&cli.StringFlag{Name: "embed-key-file", EnvVars: env("HEARTH_EMBED_KEY_FILE"),
			Usage: "`FILE` with the key of that service (default: none is sent)"},
		&cli.StringFlag{Name: "ops-addr", EnvVars: env("HEARTH_OPS_ADDR"), Usage: "loopback `ADDRESS` for metrics and profiles (default: none)"},
	}
}

func (e Env) config(c *cli.Context) (app.Config, error) {
	cfg := app.Config{
		DB: c.String("db"), Schema: e.Schema, Addr: c.String("addr"), BaseURL: c.String("base-url"), LegacyBaseURL: c.String("legacy-base-url"),
		ContextLane: c.Bool("context-lane"), PublicKey: c.String("public-agent-key"), BridgeSecret: c.String("bridge-secret"),
		JWTSecret: c.String("jwt-secret"), SMTPURL: c.String("smtp-url"), MailFrom: c.String("mail-from"), Signup: c.String("signup"),
		CommunityName: c.String("community-name"), Accent: c.String("accent"), Welcome: c.String("welcome"),
		DateLanguage: c.String("date-language"),
		AllowNet:     c.StringSlice("allow-net"), TranscribeURL: c.String("transcribe-url"), EmbedURL: c.String("embed-url"),
		EmbedModel: c.String("embed-model"), OpsAddr: c.String("ops-addr"),
		Version: e.Version, Log: e.logger(), Out: e.Out, Now: e.Now,
	}
	for name, to := range map[string]*string{"bridge-secret": &cfg.BridgeSecret, "jwt-secret": &cfg.JWTSecret, "smtp-url": &cfg.SMTPURL,
		"embed-key": &cfg.EmbedKey} {
		if err := fromFile(c, name, to); err != nil {
			return cfg, err
		}
	}
	for name, to := range map[string]*int64{"quota-account": &cfg.QuotaAccount, "quota-server": &cfg.QuotaServer,
		"disk-reserve": &cfg.DiskReserve} {
		n, err := core.ParseSize(c.String(name))
		if err != nil {
			return cfg, usagef("--%s must be a size such as 500MiB or 2GiB, not %q", name, c.String(name))
		}
		*to = n
	}
	if cfg.DiskReserve == 0 {
		cfg.DiskReserve = -1
	}
	switch c.String("rate-limits") {
	case "on":
	case "off":
		cfg.NoRateLimits = true
	default:
		return cfg, usagef("--rate-limits must be on or off, not %q", c.String("rate-limits"))
	}
	for name, member := range map[string]string{"signup": "signup", "date-language": "dateLanguage"} {
		if v := c.String(name); v != "" { // an empty variable counts as not set
			if err := acceptable[admin.UpdateSettingsIn](name, member, v); err != nil {
				return cfg, err
			}
		}
	}
	for _, s := range c.StringSlice("trusted-proxy") {
		p, err := core.ParsePrefix(strings.TrimSpace(s))
		if err != nil {
			return cfg, usagef("--trusted-proxy must be an address or a prefix such as 10.0.0.0/8, not %q", s)
		}
		cfg.TrustedProxy = append(cfg.TrustedProxy, p)
	}
	return cfg, nil
}

const maxSecret = 4096

func fromFile(c *cli.Context, name string, to *string) error {
	path := c.String(name + "-file")
	if path == "" {
		return nil
	}
	if *to != "" {
		return usagef("send --%s or --%s-file, not both", name, name)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("--%s-file: %w", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return fmt.Errorf("--%s-file: %w", name, err)
	}
	text := strings.TrimRight(string(b), "\r\n")
	if text == "" || len(b) > maxSecret || strings.ContainsAny(text, "\r\n\x00") {
		return usagef("--%s-file: %s must have one line of at most %d bytes", name, path, maxSecret)
	}
	*to = text
	return nil
}

// Serve is "hearth serve".
func Serve(env Env) *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "start the server",
		Description: describe("Serves the web pages and the JSON API from one database file, which is created at the first start.\n"+
			"Without a mail server, sign-in links are printed here. Ctrl-C shuts it down gracefully.",
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

// memoryTarget is a soft limit: above it the garbage collector runs more often.
const memoryTarget = 192 << 20

// serve listens first, so that links have the assigned port.
func (e Env) serve(ctx context.Context, cfg app.Config, greet func(*app.App) error) (err error) {
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryTarget))
	}
	ln, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. If another server uses the address, choose another one with --addr", cfg.Addr, err)
	}
	defer ln.Close()
	if cfg.BaseURL == "" {
		cfg.BaseURL = app.BaseURLOf(ln.Addr().String())
	}
	cfg.Command = e.runFor
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
	e.print("hearth %s\n  address   %s", e.Version, cfg.BaseURL)
	if listens := app.BaseURLOf(ln.Addr().String()); listens != cfg.BaseURL {
		e.print("  listens   %s", ln.Addr())
	}
	e.print("  database  %s", absolute(cfg.DB))
	e.print("  mail      %s", mailLine(cfg))
	e.print("  agents    %s", a.PublicKey())
	if ops != "" {
		e.print("  metrics   http://%s/metrics", ops)
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
		e.print("\nThis server has no administrator yet. Open this link to become one; it works once:\n  %s\n", link)
	}
	if err := a.Run(ctx, ln); err != nil {
		return err
	}
	e.print("Stopped. All acknowledged data is saved in %s.", absolute(cfg.DB))
	return nil
}

// runFor runs a command in the server of its database.
func (e Env) runFor(ctx context.Context, a *app.App, c app.Command) app.Ran {
	var out, errs bytes.Buffer
	e.Out, e.Err, e.In, e.app, e.from = &out, &errs, nil, a, c
	code := Run(ctx, c.Args, e, All())
	return app.Ran{Out: out.String(), Err: errs.String(), Code: code}
}

func mailLine(cfg app.Config) string {
	if cfg.SMTPURL == "" {
		return "printed here, because no mail server is configured (--smtp-url)"
	}
	_, host, _ := strings.Cut(cfg.SMTPURL, "://")
	return "via " + host[strings.LastIndexByte(host, '@')+1:]
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

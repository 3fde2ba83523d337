package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"

	"hearth/app"
	"hearth/app/admin"
	"hearth/app/demo"
	"hearth/app/fetch"
)

// serverFlags returns the settings of a server, which fill cfg. Each has its environment variable.
func serverFlags(db *option, cfg *app.Config) []*option {
	return []*option{
		db,
		text("addr", "127.0.0.1:8080", "`ADDRESS` to listen on", &cfg.Addr),
		text("base-url", "", "the public `URL`, with which links start (default: from --addr)", &cfg.BaseURL),
		text("legacy-base-url", "", "a second `URL` of the same server: accepted, not used in links", &cfg.LegacyBaseURL),
		{name: "context-lane", env: "CHAT_CONTEXT_LANE", yes: true, usage: "enable quiet notes (the Context lane of the API)",
			set: func(v ...string) error { cfg.ContextLane = v[0] == "true"; return nil }},
		{name: "public-agent-key", env: "PUBLIC_AGENT_KEY",
			usage: "the published `KEY` for agents without an account (default: generated at first start)", set: into(&cfg.PublicKey)},
		text("bridge-secret", "", "`SECRET` shared with the one trusted peer service (default: no bridge)", &cfg.BridgeSecret),
		fileOf("bridge-secret", "`FILE` with that secret: unlike an argument, it is not in the list of processes", &cfg.BridgeSecret),
		text("jwt-secret", "", "`SECRET` that signs user tokens (default: generated at first start)", &cfg.JWTSecret),
		fileOf("jwt-secret", "`FILE` with that secret", &cfg.JWTSecret),
		text("smtp-url", "", "mail server, smtp://user:password@host:587 or smtps://… (`URL`; default: mails are printed)", &cfg.SMTPURL),
		fileOf("smtp-url", "`FILE` with that URL", &cfg.SMTPURL),
		text("mail-from", "", "sender of mails (`ADDRESS`; default: hearth@ and the host of the base URL)", &cfg.MailFrom),
		choice[admin.UpdateSettingsIn](text("signup", "", "`WHO` can join: open for everybody, invite for invited people only "+
			"(default: as administrators set it, at first open)", &cfg.Signup), "signup"),
		text("community-name", "", "`NAME` of the community (default, as for the next three: as administrators set it)", &cfg.CommunityName),
		text("accent", "", "`COLOR` of links and buttons, such as #a33b12", &cfg.Accent),
		text("welcome", "", "`TEXT` that newcomers read", &cfg.Welcome),
		choice[admin.UpdateSettingsIn](text("date-language", "",
			"`LANGUAGE` of dates on pages: auto (the reader's), de, en, es, fr, it, ja, nl, pl, pt, sv or tr", &cfg.DateLanguage), "dateLanguage"),
		many("allow-net", "private `HOST` or prefix that mail, webhooks and previews may connect to; repeatable",
			func(all ...string) error { cfg.AllowNet = all; return nil }),
		many("trusted-proxy", "`PREFIX` of proxies whose X-Forwarded-For is trusted; repeatable", func(all ...string) error {
			for _, s := range all {
				p, err := fetch.ParsePrefix(strings.TrimSpace(s))
				if err != nil {
					return usagef("--trusted-proxy must be an address or a prefix such as 10.0.0.0/8, not %q", s)
				}
				cfg.TrustedProxy = append(cfg.TrustedProxy, p)
			}
			return nil
		}),
		parsed("rate-limits", "on", "`on` or off: general limits of writes per account; off is for benchmarks and imports", func(s string) error {
			if cfg.NoRateLimits = s == "off"; !cfg.NoRateLimits && s != "on" {
				return usagef("--rate-limits must be on or off, not %q", s)
			}
			return nil
		}),
		sized("quota-account", "2GiB", "`SIZE` that the files of one account and its bots can take", &cfg.QuotaAccount, 0),
		sized("quota-server", "", "`SIZE` that the database can take (default: no limit)", &cfg.QuotaServer, 0),
		sized("disk-reserve", "256MiB", "`SIZE` of the disk that new content leaves free; 0 does not watch the disk", &cfg.DiskReserve, -1),
		text("transcribe-url", "", "OpenAI-compatible service that transcribes voice notes (`URL`; default: none)", &cfg.TranscribeURL),
		text("embed-url", "", "OpenAI-compatible service that computes vectors, by which asks and offers are matched, too (`URL`; default: none)",
			&cfg.EmbedURL),
		text("embed-model", "", "`MODEL` of that service; required with it", &cfg.EmbedModel),
		fileOf("embed-key", "`FILE` with the key of that service (default: none is sent)", &cfg.EmbedKey),
		text("ops-addr", "", "loopback `ADDRESS` for metrics and profiles (default: none)", &cfg.OpsAddr),
	}
}

// text returns an option that is a setting of a server, with its variable. to may be nil.
func text(name, value, usage string, to *string) *option {
	return &option{name: name, env: "HEARTH_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")), value: value, usage: usage, set: into(to)}
}

func into(to *string) func(...string) error {
	return func(v ...string) error {
		if to != nil {
			*to = v[len(v)-1]
		}
		return nil
	}
}

// parsed returns an option whose text is parsed.
func parsed(name, value, usage string, parse func(string) error) *option {
	o := text(name, value, usage, nil)
	o.set = func(v ...string) error { return parse(v[len(v)-1]) }
	return o
}

func many(name, usage string, set func(...string) error) *option {
	o := text(name, "", usage, nil)
	o.many, o.set = true, set
	return o
}

// sized returns a flag of a number of bytes. 0 is none.
func sized(name, value, usage string, to *int64, none int64) *option {
	return parsed(name, value, usage, func(s string) error {
		n, err := parseSize(s)
		if err != nil {
			return usagef("--%s must be a size such as 500MiB or 2GiB, not %q", name, s)
		}
		*to = cmp.Or(n, none)
		return nil
	})
}

// serving returns a command that serves with the settings of its flags.
func (e Env) serving(k *Command, db *option, serve func(c *call, cfg app.Config) error) *Command {
	cfg := app.Config{Schema: e.Schema, Version: e.Version, Log: e.logger(), Out: e.Out, Now: e.Now}
	k.options = append(serverFlags(db, &cfg), k.options...)
	k.do = func(c *call, _ []string) error {
		cfg.DB = c.String("db")
		return serve(c, cfg)
	}
	return k
}

// parseSize returns a number of bytes such as 500MiB, 2GiB, 20 MB or 4096. An empty text is 0. 2G is 2GiB.
func parseSize(s string) (int64, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return 0, nil
	case strings.ContainsAny(s[len(s)-1:], "KMGTkmgt"):
		s += "iB"
	}
	n, err := humanize.ParseBytes(s)
	if n > math.MaxInt64 {
		err = strconv.ErrRange
	}
	return int64(n), err
}

const maxSecret = 4096

// fileOf returns the flag of a file with the value of the flag name.
func fileOf(name, usage string, to *string) *option {
	return parsed(name+"-file", "", usage, func(path string) (err error) {
		switch {
		case path == "":
			return nil
		case *to != "":
			return usagef("send --%s or --%s-file, not both", name, name)
		}
		*to, err = readLine(path, "--"+name+"-file")
		return err
	})
}

func readLine(path, flag string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	line := strings.TrimRight(string(b), "\r\n")
	if line == "" || len(b) > maxSecret || strings.ContainsAny(line, "\r\n\x00") {
		return "", usagef("%s: %s must have one line of at most %d bytes", flag, path, maxSecret)
	}
	return line, nil
}

// Serve is "hearth serve".
func Serve(env Env) *Command {
	return env.serving(&Command{
		name: "serve", usage: "start the server",
		about: "Serves the web pages and the JSON API from one database file, which is created at the first start.\n" +
			"Without a mail server, sign-in links are printed here. Ctrl-C shuts it down gracefully.",
		examples: []string{"hearth serve",
			"hearth serve --db /var/lib/hearth/hearth.db --addr 127.0.0.1:8080 --base-url https://chat.example.org"},
	}, dbFlag(), func(c *call, cfg app.Config) error { return env.serve(c.ctx, cfg, nil) })
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
		return fmt.Errorf("cannot listen on %s: %w. If another server uses the address, choose a different address with --addr", cfg.Addr, err)
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
	return e.print("Stopped. All acknowledged data is saved in %s.", absolute(cfg.DB))
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

const demoLinks = 3

// Demo is "hearth demo".
func Demo(env Env) *Command {
	db := word("db", "store the sample data in this new `FILE` (default: a temporary file)")
	return env.serving(&Command{
		name: "demo", usage: "run a server with sample data",
		about: "Creates a community with some weeks of conversations and lists, serves it, and prints links to sign\n" +
			"in as some of its members. Two agents answer when they are asked. Without --db everything is deleted when the command ends.",
		examples: []string{"hearth demo"},
		options:  []*option{{name: "seed", value: "1", number: true, usage: "`NUMBER` that seeds the random sample data"}},
	}, db, env.demo)
}

func (e Env) demo(c *call, cfg app.Config) error {
	if cfg.DB == "" {
		dir, err := os.MkdirTemp("", "hearth-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		cfg.DB = filepath.Join(dir, "demo.db")
	}
	info, err := demo.Seed(c.ctx, cfg.DB, e.Schema, uint64(c.Int("seed")), e.Now())
	if err != nil {
		return err
	}
	cfg.ContextLane = true
	ctx, cancel := context.WithCancel(c.ctx)
	var agents sync.WaitGroup
	defer agents.Wait()
	defer cancel()
	return e.serve(c.ctx, cfg, func(a *app.App) error {
		for _, agent := range info.Agents {
			agents.Go(func() { agent.Run(ctx, a.Lane) })
		}
		e.print("\nSample data: %d people, %d conversations with %d messages, %d lists with %d items.",
			len(info.People), info.Conversations, info.Messages, info.Lists, info.Items)
		return e.demoLinks(c.ctx, a, info.People)
	})
}

func (e Env) demoLinks(ctx context.Context, a *app.App, people []demo.Person) error {
	e.print("Sign in as one of them. Each link works once, within 15 minutes. Use two browsers to chat with yourself:")
	for _, p := range people[:min(len(people), demoLinks)] {
		link, err := a.LinkFor(ctx, p.Email, false, "")
		if err != nil {
			return fmt.Errorf("sign-in link for %s: %w", p.Email, err)
		}
		e.print("  %-16s %s", p.Name, link)
	}
	return e.print("More links, while this is running:  hearth user link --db %s EMAIL\n", absolute(a.DB().Path()))
}

package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/account"
	"hearth/app/api"
	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/store"
)

// Database is a database as a command works with it: the server that has it open, or the file itself.
type Database struct {
	App *App // nil if a server has the file open

	path string
}

// How long a command waits for another command, or for a server that starts or stops, and how long a server waits for
// a command.
const (
	inUseTime       = 10 * time.Second
	inUseTimeServer = time.Second
)

// openDatabase opens the file once no command has it open.
func (a *App) openDatabase(ctx context.Context, opt store.Options) (err error) {
	end := time.Now().Add(inUseTimeServer)
	if a.cfg.command {
		end = time.Now().Add(inUseTime)
	}
	for {
		a.db, err = store.Open(ctx, a.cfg.DB, opt)
		if !errors.Is(err, store.ErrInUse) || time.Now().After(end) || served(ctx, a.cfg.DB) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// served reports whether a server can be reached by the path of its database.
func served(ctx context.Context, db string) bool {
	path, err := store.Resolve(db)
	if err != nil {
		return false
	}
	conn, err := dialSocket(ctx, path)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// OpenDatabase finds the server of the database of cfg, or opens the file, which must exist, if none runs. Nothing may
// be written to the output of a protocol through cfg.Out and cfg.Log.
func OpenDatabase(ctx context.Context, cfg Config) (*Database, error) {
	path, err := store.Resolve(cfg.DB)
	if err != nil {
		return nil, err
	}
	cfg.command = true
	for {
		if served(ctx, path) {
			return &Database{path: path}, nil
		}
		a, err := New(ctx, cfg)
		if err == nil {
			return &Database{App: a, path: path}, nil
		}
		if !errors.Is(err, store.ErrInUse) || !served(ctx, path) { // else one has started meanwhile
			return nil, err
		}
	}
}

// Close closes the file, if it is open.
func (d *Database) Close() error {
	if d.App == nil {
		return nil
	}
	return d.App.Close()
}

// RoundTrip implements http.RoundTripper. The host of a request does not matter.
func (d *Database) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = "localhost"
	if d.App == nil {
		return (&http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialSocket(ctx, d.path)
		}}).RoundTrip(r)
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &memory{header: http.Header{}}
	d.App.serveOperator(w, r)
	return &http.Response{StatusCode: max(w.status, http.StatusOK), Header: w.header, Body: io.NopCloser(&w.body), Request: r, ProtoMajor: 1,
		ProtoMinor: 1}, nil
}

type memory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (m *memory) Header() http.Header         { return m.header }
func (m *memory) Write(b []byte) (int, error) { return m.body.Write(b) }
func (m *memory) WriteHeader(status int) {
	if m.status == 0 {
		m.status = status
	}
}

// ActAs is the header of a request of an operator with the address of the account that the request acts as.
const ActAs = "Hearth-As"

// Command is a command line that a server runs for an operator.
type Command struct {
	Args    []string `json:"args"`
	DB      string   `json:"db"`      // as the operator names it
	BaseURL string   `json:"baseUrl"` // of links; "" is that of the server
}

// Ran is what a command printed, and its exit status.
type Ran struct {
	Out  string `json:"out"`
	Err  string `json:"err"`
	Code int    `json:"code"`
}

const commandPath = "/command"

// Run has the server of the database run a command.
func (d *Database) Run(ctx context.Context, c Command) (ran Ran, err error) {
	body, err := json.Marshal(c)
	if err != nil {
		return ran, err
	}
	res, err := d.post(ctx, commandPath, body)
	if err != nil {
		return ran, err
	}
	defer res.Body.Close()
	return ran, json.UnmarshalRead(res.Body, &ran)
}

const copyPath = "/copy"

// Path returns the path of the file.
func (d *Database) Path() string { return d.path }

// Copy writes the file to w as it is at one moment. A server sends it, so that a backup is where the command runs, and
// may be where the server cannot write.
func (d *Database) Copy(ctx context.Context, w io.Writer) error {
	if d.App != nil {
		return d.App.db.Copy(ctx, w)
	}
	res, err := d.post(ctx, copyPath, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err = io.Copy(w, res.Body); errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the server of %s could not send it to the end; its log says why", d.path)
	}
	return err
}

// post sends what a command asks of the server of the database.
func (d *Database) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := d.RoundTrip(req)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("the server of %s did not answer: %w", d.path, err)
	case res.StatusCode != http.StatusOK:
		res.Body.Close()
		return nil, fmt.Errorf("the server of %s does not know this command; use its own version of hearth", d.path)
	}
	return res, nil
}

// serveOperator serves who may use the database file: that is the permission.
func (a *App) serveOperator(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == commandPath && a.cfg.Command != nil:
		var c Command
		if err := json.UnmarshalRead(r.Body, &c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := json.MarshalWrite(w, a.cfg.Command(r.Context(), a, c)); err != nil {
			a.cfg.Log.Warn("the result of a command could not be sent", "error", err)
		}
	case r.URL.Path == copyPath:
		if err := a.db.Copy(r.Context(), w); err != nil {
			a.cfg.Log.Warn("the database could not be sent to a command", "error", err)
			panic(http.ErrAbortHandler)
		}
	case r.Header.Get(ActAs) != "":
		h, err := a.acting()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	default:
		a.handler.ServeHTTP(w, r)
	}
}

// newActing returns the handler of the API for requests with the header ActAs.
func (a *App) newActing() (http.Handler, error) {
	stack, err := middleware.New(middleware.Config{BaseURLs: []string{a.cfg.BaseURL}, Log: a.cfg.Log, Now: a.cfg.Now})
	if err != nil {
		return nil, err
	}
	return api.New(api.Config{Services: a.Services, Auth: acting{a.Account, a.db}, Stack: stack, Site: api.Site{BaseURL: a.cfg.BaseURL},
		Version: a.cfg.Version})
}

type acting struct {
	*account.Service
	db *store.DB
}

func (a acting) Caller(r *http.Request) (v store.Viewer, err error) {
	who := r.Header.Get(ActAs)
	var u store.User
	err = a.db.Read(r.Context(), func(r *store.Reader) error {
		u, err = account.Find(r, who)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNoRow):
		return v, core.New(core.Conflict, "no_account", "there is no account with the address or the id %q; see: hearth user ls", who)
	case err != nil:
		return v, err
	case u.SuspendedAt != 0 || u.IsSystem:
		return v, core.New(core.Conflict, "no_account", "the account of %s is suspended or belongs to the server", who)
	}
	return store.Viewer{Kind: store.Human, UserID: u.ID, Name: u.Name, Email: u.Email, OwnerID: u.BotOwnerID, CanRead: true,
		CanWrite: true}, nil
}

// LinkFor returns a one-time sign-in link for the account of an address or with an id. The account of an address is made
// if create is set and there is none. The link starts with base, or else with the base URL of the server.
func (a *App) LinkFor(ctx context.Context, who string, create bool, base string) (string, error) {
	if base != "" {
		if err := webAddress("--base-url", &base); err != nil {
			return "", err
		}
	}
	link, err := a.Account.LinkFor(ctx, who, create)
	if base != "" {
		link = base + strings.TrimPrefix(link, a.cfg.BaseURL)
	}
	return link, err
}

// storedBaseURL sets the base URL of the server's last start.
func (c *Config) storedBaseURL(ctx context.Context, db *store.DB) error {
	var stored string
	err := db.Read(ctx, func(r *store.Reader) (err error) {
		stored, err = r.Setting(baseURLSetting)
		return err
	})
	if err != nil || stored == "" {
		return err
	}
	c.BaseURL, c.MailFrom = stored, ""
	return c.fill()
}

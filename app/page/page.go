// Package page is the HTML transport: it answers with pages and takes forms,
// over the same operations as the JSON transport. Every form is a plain POST
// that ends in a redirect or in the same form with its error, so that
// everything works without scripts.
package page

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/file"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/app/people"
	"hearth/app/social"
)

// Config is what pages are made from.
type Config struct {
	Account   *account.Service
	Chat      *chat.Service
	List      *list.Service
	Admin     *admin.Service
	Lane      *lane.Service
	Files     *file.Store
	People    *people.Service
	Social    *social.Service
	BaseURL   string // what links and the examples for agents begin with
	PublicKey string // the published agent key
	MailToLog bool   // the server sends no mail; its log has the links
	Vectors   string // the host of the service that computes vectors of asks and offers; "" for none
	Log       *slog.Logger
	Now       func() time.Time  // the wall clock; time.Now if nil
	Stack     *middleware.Stack // shared with the other transports; one of its own if nil
	// Position returns where the event log ends, as lastEventId of a stream
	// that is to continue from there. If nil, streams begin when they open.
	Position func(context.Context) (string, error)
}

// site serves the pages.
type site struct {
	Config
	views     *views
	languages struct {
		sync.Mutex
		views map[string]*views
	}
	tags      pageTags
	addresses map[string]string // of pages, by their templates
	savers    *locks            // of people; see alone
	saving    *locks            // of addresses
}

// New returns the handler of all pages and of the files below /static/.
func New(cfg Config) (http.Handler, error) {
	views, err := loadViews()
	if err != nil {
		return nil, err
	}
	s := &site{Config: cfg.withDefaults(), views: views, addresses: addresses(), savers: newLocks(), saving: newLocks()}
	s.tags.now = s.Now
	if s.Stack == nil {
		if s.Stack, err = middleware.New(middleware.Config{BaseURLs: []string{s.BaseURL}, Log: s.Log, Now: s.Now}); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /static/", views.assets)
	for _, r := range routes() {
		mux.Handle(r.pattern, s.handler(r))
	}
	return s.Stack.Handler(s.recorded(mux), func(w http.ResponseWriter, r *http.Request, err error) {
		s.fail(newVisit(w, r), err)
	}), nil
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Position == nil {
		c.Position = func(context.Context) (string, error) { return "", nil }
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	return c
}

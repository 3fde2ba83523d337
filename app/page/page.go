// Package page is the HTML transport. It serves pages and forms over the same operations as the JSON
// transport. A form is a plain POST that ends in a redirect, or in the form with its error: all works without
// scripts.
package page

import (
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/middleware"
)

// Config is the configuration of the pages.
type Config struct {
	domain.Services
	Settings
	BaseURL   string // prefix of links and examples
	PublicKey string // the published agent key
	Log       *slog.Logger
	Now       func() time.Time
	Stack     *middleware.Stack // shared by the transports
}

// Settings are the settings of a server that pages show.
type Settings struct {
	SMTPURL  string // smtp:// or smtps://; "" prints mails to Out
	EmbedURL string // OpenAI-compatible service that computes vectors of asks and offers; none
}

type site struct {
	Config
	views     *views
	languages struct {
		sync.Mutex
		views map[string]*views
	}
	paths map[string]string             // of pages, by template
	pages map[string]func(*visit) error // by template
}

// New returns the handler of all pages and of the files below /static/.
func New(cfg Config) (http.Handler, error) {
	views, err := loadViews()
	if err != nil {
		return nil, err
	}
	s := &site{Config: cfg, views: views, paths: map[string]string{}, pages: map[string]func(*visit) error{}}
	// /chat/{id}/people and /chat/invite/{token} overlap, so the parts of a conversation have their own mux.
	mux, parts := http.NewServeMux(), http.NewServeMux()
	mux.Handle("GET /static/", views.assets)
	mux.Handle("GET /chat/{id}/{part}", parts)
	for _, r := range s.routes() {
		if path, ok := strings.CutPrefix(r.pattern, "GET "); ok && r.template != "" && s.pages[r.template] == nil {
			s.paths[r.template], s.pages[r.template] = path, r.handle
		}
		if strings.HasPrefix(r.pattern, "GET /chat/{id}/") || r.pattern == "/" {
			parts.Handle(r.pattern, s.handler(r))
		}
		if !strings.HasPrefix(r.pattern, "GET /chat/{id}/") {
			mux.Handle(r.pattern, s.handler(r))
		}
	}
	return s.Stack.Handler(s.recorded(mux), func(w http.ResponseWriter, r *http.Request, err error) {
		s.fail(newVisit(w, r), err)
	}), nil
}

type route struct {
	pattern  string // method and path, as in http.ServeMux
	guard    guard
	handle   func(*visit) error
	template string // the page that it shows, also with an error; "" if it only redirects
}

type guard uint8

const (
	anyone   guard = iota
	bearer         // anyone, with any or no session: the form has a secret or signs in
	person         // a signed-in person; guests are redirected to the sign-in page
	importer       // as person; the form may have a text file
	joiner         // as bearer, with a valid invitation in the address; the form may have a picture
	public         // anyone; all guests get the same page, with an ETag, until a list changes
	forms          // as public; a key may read the other formats of a list
)

func (g guard) needsAccount() bool { return g == person || g == importer }

// routes returns all pages. The mux, the templates and the tests of all pages use this table.
func (s *site) routes() []route {
	return slices.Concat(s.listRoutes(), s.chatRoutes(), s.thoughtRoutes(), s.accountRoutes(), s.settingsRoutes(), s.peopleRoutes(),
		s.askRoutes(), s.draftRoutes(), s.storyRoutes(), s.inboxRoutes(), s.adminRoutes(), s.invitationRoutes(), []route{
			{"GET /docs", anyone, s.docs, "docs"},
			{"GET /docs/{name}", anyone, s.docs, "docs"},
			{"GET /theme/{accent}", anyone, s.themeShow, ""},
			{"GET /manifest.webmanifest", anyone, s.manifest, ""},
			{"/", anyone, func(*visit) error { return core.ErrNotFound }, errorPage},
		})
}

var wildcard = regexp.MustCompile(`\{([a-zA-Z_]+)\}`)

// pageOf returns the page to reload after a form, because the form's address may be no page. It is "" for
// other requests.
func (s *site) pageOf(v *visit) string {
	if v.r.Method != http.MethodPost {
		return ""
	}
	return v.address(s.paths[v.template])
}

// address returns a path with the parameters of the visit's path.
func (v *visit) address(path string) string {
	return wildcard.ReplaceAllStringFunc(path, func(name string) string {
		return url.PathEscape(v.r.PathValue(strings.Trim(name, "{}")))
	})
}

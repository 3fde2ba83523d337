package page

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"hearth/app/core"
)

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
	public         // anyone; all guests get the same page, with an ETag, until a list changes
	forms          // as public; a key may read the other formats of a list
)

func (g guard) needsAccount() bool { return g == person || g == importer }

// routes returns all pages. The mux, the templates and the tests of all pages use this table.
func (s *site) routes() []route {
	return slices.Concat(s.listRoutes(), s.chatRoutes(), s.thoughtRoutes(), s.accountRoutes(), s.settingsRoutes(), s.peopleRoutes(),
		s.askRoutes(), s.draftRoutes(), s.storyRoutes(), s.reviewRoutes(), s.adminRoutes(), s.invitationRoutes(), []route{
			{"GET /docs", anyone, s.docsIndex, "docs"},
			{"GET /docs/{name}", anyone, s.docsShow, "docs"},
			{"GET /theme/{accent}", anyone, s.themeShow, ""},
			{"GET /manifest.webmanifest", anyone, s.manifest, ""},
			{"/", anyone, s.notFound, errorPage},
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

func (s *site) notFound(*visit) error { return core.ErrNotFound }

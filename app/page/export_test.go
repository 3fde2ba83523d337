package page

import (
	"slices"
	"strings"

	"hearth/app/core"
	"hearth/app/domain"
)

// Route is a row of the table of pages, for the tests that walk all of them.
type Route struct {
	Pattern  string
	Person   bool // needs a signed-in person
	Template string
}

func table() []route {
	s := &site{Config: Config{Services: domain.Described()}}
	return s.routes()
}

// Routes returns the table of pages.
func Routes() []Route {
	return core.Map(table(), func(r route) Route { return Route{r.pattern, r.guard.needsAccount(), r.template} })
}

// Addresses returns the paths of the pages with each template.
func Addresses() map[string]string {
	out := map[string]string{}
	for _, r := range table() {
		if path, ok := strings.CutPrefix(r.pattern, "GET "); ok && out[r.template] == "" {
			out[r.template] = path
		}
	}
	return out
}

// Templates returns the templates in the table.
func Templates() []string { return templates() }

func templates() (names []string) {
	for _, r := range table() {
		if r.template != "" && !slices.Contains(names, r.template) {
			names = append(names, r.template)
		}
	}
	return names
}

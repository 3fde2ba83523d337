package page

import "hearth/app/core"

// Route is a row of the table of pages, for the tests that walk all of them.
type Route struct {
	Pattern  string
	Person   bool // needs a signed-in person
	Template string
}

// Routes returns the table of pages.
func Routes() []Route {
	return core.Map(routes(), func(r route) Route { return Route{r.pattern, r.guard.needsAccount(), r.template} })
}

// Addresses returns the paths of the pages with each template.
func Addresses() map[string]string { return addresses() }

// Templates returns the templates in the table.
func Templates() []string { return templates() }

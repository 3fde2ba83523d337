package page

import "hearth/app/core"

// Route is a row of the table of pages, for the tests that walk all of them.
type Route struct {
	Pattern string
	Person  bool // needs a signed-in person
}

// Routes returns the table of pages.
func Routes() []Route {
	return core.Map(routes(), func(r route) Route { return Route{r.pattern, r.guard.needsAccount()} })
}

// Templates returns the templates in the table.
func Templates() []string { return templates() }

// Package page is the HTML door: forms, sessions and page values over the
// same operations the JSON door calls. Every form is a plain POST that ends
// in a redirect or in the same form with its error, so that everything works
// without scripts.
package page

// Frame is what every page needs around its content.
type Frame struct {
	Title  string
	Layout string  // "" (one column), "narrow" (a single form) or "chat"
	Here   string  // the part of the site: "lists", "chat", "settings", "login"
	Me     *Person // nil for a guest
	Unread int     // unread messages of all conversations
	Path   string  // where signing in leads back to
	Done   string  // what was just done, as a sentence
}

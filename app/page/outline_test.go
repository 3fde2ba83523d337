package page

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// outline is what a person can read and do on a page: its title, headings, landmarks,
// forms with their fields and links, in order. A block of lines below a landmark or a form
// is indented. A link is in it once.
type outline struct {
	b      bytes.Buffer
	linked map[string]bool
}

func outlineOf(t *testing.T, text []byte) string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	o := outline{linked: map[string]bool{}}
	o.walk(doc, 0)
	return o.b.String()
}

func (o *outline) walk(n *html.Node, depth int) {
	if line := o.line(n); line != "" {
		fmt.Fprintf(&o.b, "%s%s\n", strings.Repeat(" ", depth), line)
		if slices.Contains([]string{"header", "nav", "main", "aside", "footer", "section", "form", "dialog"}, n.Data) {
			depth++
		}
	}
	for c := range n.ChildNodes() {
		o.walk(c, depth)
	}
}

// line returns the line of an element, or "".
func (o *outline) line(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	name := attr(n, "aria-label")
	switch n.Data {
	case "title", "h1", "h2", "h3", "h4":
		return n.Data + " " + spoken(n)
	case "header", "nav", "main", "aside", "footer", "dialog":
		return strings.TrimSpace(n.Data + " " + name)
	case "section":
		if name == "" {
			return ""
		}
		return "section " + name
	case "form":
		return words("form", strings.ToLower(attr(n, "method")), idless(attr(n, "action")), attr(n, "enctype"), attr(n, "role"))
	case "input", "textarea", "select", "button":
		return fieldLine(n)
	case "a":
		to := idless(attr(n, "href"))
		if to == "" || o.linked[to] {
			return ""
		}
		o.linked[to] = true
		return "a " + to
	}
	return ""
}

// fieldLine returns the line of a field or button: its name, its type, a value that the
// person does not write, and what it requires.
func fieldLine(n *html.Node) string {
	kind := attr(n, "type")
	if n.Data != "input" {
		kind = n.Data
	}
	line := words(attr(n, "name"), kind)
	switch kind {
	case "hidden", "radio", "checkbox":
		line += "=" + idless(attr(n, "value"))
	case "button":
		line = words(kind, idless(attr(n, "name")), idless(attr(n, "value")), "“"+spoken(n)+"”", idless(attr(n, "formaction")))
	case "select":
		var values []string
		for c := range n.Descendants() {
			if c.Data == "option" {
				values = append(values, attr(c, "value"))
			}
		}
		line += "=" + idless(strings.Join(values, "|"))
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "required", "checked", "disabled", "readonly", "multiple":
			line += " " + a.Key
		case "maxlength", "accept", "form":
			line += " " + a.Key + "=" + idless(a.Val)
		case "aria-invalid":
			line += " invalid"
		}
	}
	return line
}

func words(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}

// spoken returns what a screen reader says for n.
func spoken(n *html.Node) string {
	if label := attr(n, "aria-label"); label != "" {
		return label
	}
	var text []string
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			text = append(text, strings.Fields(c.Data)...)
		}
	}
	return strings.Join(text, " ")
}

var (
	anyID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64}|\b[0-9a-f]{12}\b`)
	anyHash = regexp.MustCompile(`/static/[^/]+/`)
)

func idless(s string) string {
	return anyHash.ReplaceAllString(anyID.ReplaceAllString(s, "ID"), "/static/HASH/")
}

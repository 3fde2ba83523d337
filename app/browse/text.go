package browse

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hidden are the elements whose text is left out, and breaking the ones that end a line.
var (
	hidden   = []atom.Atom{atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object}
	breaking = []atom.Atom{atom.P, atom.Div, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Tr, atom.Table, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Blockquote, atom.Pre,
		atom.Dt, atom.Dd, atom.Figure, atom.Figcaption, atom.Form, atom.Hr}
)

// pageText returns the title and the text of a page, without empty lines.
func pageText(page string) (title, text string) {
	var (
		z          = html.NewTokenizer(strings.NewReader(page))
		head, body strings.Builder
		to         = &body
		skip       atom.Atom // the element that is left out
	)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return tidy(head.String()), tidy(body.String())
		}
		switch t := z.Token(); {
		case kind == html.EndTagToken && t.DataAtom == skip:
			skip = 0
		case skip != 0:
		case kind == html.TextToken:
			to.WriteString(strings.ReplaceAll(t.Data, "\n", " "))
		case t.DataAtom == atom.Title:
			if to = &body; kind == html.StartTagToken {
				to = &head
			}
		case kind == html.StartTagToken && slices.Contains(hidden, t.DataAtom):
			skip = t.DataAtom
		case slices.Contains(breaking, t.DataAtom):
			to.WriteString("\n")
		}
	}
}

func tidy(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

package browse

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pageText returns the title and the text of an HTML page. Blocks are on lines of
// their own; scripts, styles and what is hidden by their elements are left out.
func pageText(page string) (title, text string) {
	var (
		z    = html.NewTokenizer(strings.NewReader(page))
		out  lines
		head strings.Builder
		skip atom.Atom // the element whose content is left out
	)
	inTitle := false
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if errors.Is(z.Err(), io.EOF) || z.Err() != nil {
				return strings.Join(strings.Fields(head.String()), " "), out.String()
			}
		case html.TextToken:
			switch t := string(z.Text()); {
			case skip != 0:
			case inTitle:
				head.WriteString(t)
			default:
				out.add(t)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			switch {
			case kind == html.EndTagToken && tag == skip:
				skip = 0
			case skip != 0:
			case tag == atom.Title:
				inTitle = kind == html.StartTagToken
			case hides(tag) && kind == html.StartTagToken:
				skip = tag
			case breaks(tag):
				out.breakLine()
			}
		}
	}
}

// hides reports whether the content of an element is not text of the page.
func hides(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object:
		return true
	}
	return false
}

// breaks reports whether an element begins a line.
func breaks(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Tr, atom.Table,
		atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Blockquote, atom.Pre, atom.Dt, atom.Dd,
		atom.Figure, atom.Figcaption, atom.Form, atom.Hr:
		return true
	}
	return false
}

// lines collects text, with spaces folded and without empty lines.
type lines struct {
	b     strings.Builder
	words []string
}

func (l *lines) add(text string) { l.words = append(l.words, strings.Fields(text)...) }

func (l *lines) breakLine() {
	if len(l.words) == 0 {
		return
	}
	if l.b.Len() > 0 {
		l.b.WriteByte('\n')
	}
	l.b.WriteString(strings.Join(l.words, " "))
	l.words = l.words[:0]
}

// String ends the last line and returns all of them.
func (l *lines) String() string {
	l.breakLine()
	return l.b.String()
}

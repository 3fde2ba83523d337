package browse

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"hearth/app/core"
)

func pageText(page string, most int) (title, text string) {
	var (
		z    = html.NewTokenizer(strings.NewReader(page))
		out  = lines{most: most * utf8.UTFMax}
		head = lines{most: maxTitle * utf8.UTFMax}
		skip atom.Atom // the element that is left out
	)
	inTitle := false
	for {
		kind := z.Next()
		if kind == html.ErrorToken || out.full() {
			return core.FirstRunes(head.b.String(), maxTitle), out.b.String()
		}
		switch kind {
		case html.TextToken:
			switch {
			case skip != 0:
			case inTitle:
				head.add(z.Text())
			default:
				out.add(z.Text())
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

func hides(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object:
		return true
	}
	return false
}

func breaks(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Tr, atom.Table,
		atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Blockquote, atom.Pre, atom.Dt, atom.Dd,
		atom.Figure, atom.Figcaption, atom.Form, atom.Hr:
		return true
	}
	return false
}

type lines struct {
	b    strings.Builder
	sep  string // before the next word
	most int    // bytes that are enough
}

func (l *lines) full() bool { return l.b.Len() > l.most }

func (l *lines) add(text []byte) {
	for word := range bytes.FieldsSeq(text) {
		if l.full() {
			return
		}
		if l.b.Len() > 0 {
			l.b.WriteString(l.sep)
		}
		l.b.Write(word)
		l.sep = " "
	}
}

func (l *lines) breakLine() { l.sep = "\n" }

package page

import (
	"bytes"
	"cmp"
	"errors"
	"html/template"
	"io/fs"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"hearth/app/core"
	"hearth/web"
)

type docsView struct {
	Frame
	Index bool // the first page of the handbook
	Body  template.HTML
}

func (s *site) docs(v *visit) error {
	name := cmp.Or(v.r.PathValue("name"), "index")
	pages, err := handbook()
	if err != nil {
		return err
	}
	page, ok := pages[name]
	if !ok {
		return core.ErrNotFound
	}
	return s.page(v, page.title, "docs", "wide", &docsView{Index: name == "index", Body: page.body})
}

type docsPage struct {
	title string
	body  template.HTML
}

var handbook = sync.OnceValues(func() (map[string]docsPage, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(docsLinks{}, 100))))
	files, err := fs.Glob(web.Docs(), "*.md")
	pages := map[string]docsPage{}
	for _, file := range files {
		source, readErr := fs.ReadFile(web.Docs(), file)
		var out bytes.Buffer
		err = errors.Join(err, readErr, md.Convert(source, &out))
		title, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
		pages[strings.TrimSuffix(file, ".md")] = docsPage{title, template.HTML(out.String())}
	}
	return pages, err
})

type docsLinks struct{}

func (docsLinks) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			file, anchor, _ := strings.Cut(string(link.Destination), "#")
			if name, ok := strings.CutSuffix(file, ".md"); ok && !strings.Contains(file, "/") {
				link.Destination = []byte(strings.TrimSuffix("/docs/"+name+"#"+anchor, "#"))
			}
		}
		return ast.WalkContinue, nil
	})
}

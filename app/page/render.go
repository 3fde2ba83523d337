package page

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"sync"
	"text/template/parse"

	"hearth/app/core"
	"hearth/web"
)

// views has a template set for each page. A set is made at its first use: all sets together need more memory
// than the rest of an idle server.
type views struct {
	assets *web.Assets
	parts  *fragments
	sets   map[string]func() (*template.Template, error)
}

var loadViews = sync.OnceValues(func() (*views, error) { return newViews("") })

// Load reads the embedded files ahead of New, which returns the error.
func Load() { loadViews() }

func (s *site) viewsIn(language string) (*views, error) {
	if language == "auto" || language == "en" || language == "" {
		return s.views, nil
	}
	s.languages.Lock()
	defer s.languages.Unlock()
	if s.languages.views[language] == nil {
		made, err := newViews(language)
		if err != nil {
			return nil, err
		}
		s.languages.views = map[string]*views{language: made} // one language at a time
	}
	return s.languages.views[language], nil
}

func newViews(language string) (*views, error) {
	assets, err := web.NewAssets()
	if err != nil {
		return nil, err
	}
	shared := []string{"base.html", "parts.html"}
	all, err := fs.Glob(web.Templates(), "*_parts.html")
	if err != nil {
		return nil, err
	}
	parts := &fragments{}
	empty := func() *template.Template {
		return template.New("base").Option("missingkey=error").Funcs(funcs(assets, datesIn(language), parts))
	}
	base := sync.OnceValues(func() (*template.Template, error) {
		return empty().ParseFS(web.Templates(), append(shared, all...)...)
	})
	parts.set = sync.OnceValues(func() (*template.Template, error) {
		shared, err := base()
		if err != nil {
			return nil, err
		}
		set := empty()
		return set, addUsed(set, shared, "message", "picker", "conversation")
	})
	v := &views{assets: assets, parts: parts, sets: map[string]func() (*template.Template, error){}}
	for _, name := range templates() {
		v.sets[name] = sync.OnceValues(func() (*template.Template, error) {
			shared, err := base()
			if err != nil {
				return nil, err
			}
			set, err := empty().ParseFS(web.Templates(), name+".html")
			if err == nil {
				err = addUsed(set, shared, rootOf(set))
			}
			if err != nil {
				return nil, fmt.Errorf("page: template %q: %w", name, err)
			}
			return set, nil
		})
	}
	return v, nil
}

// templates returns the names of the templates of pages.
func templates() (names []string) {
	files, _ := fs.Glob(web.Templates(), "*.html") // the pattern is valid
	for _, file := range files {
		name := strings.TrimSuffix(file, ".html")
		if name != "base" && name != "parts" && !strings.HasSuffix(name, "_parts") {
			names = append(names, name)
		}
	}
	return names
}

func rootOf(set *template.Template) string {
	if set.Lookup("fragment") != nil {
		return "fragment"
	}
	return "page"
}

// addUsed adds to set the templates that the named ones use. Each set has its own copies, because escaping
// depends on where a template is used.
func addUsed(set, base *template.Template, pending ...string) error {
	seen := map[string]bool{}
	for len(pending) > 0 {
		name := pending[0]
		pending, seen[name] = pending[1:], true
		t := set.Lookup(name)
		if t == nil {
			shared := base.Lookup(name)
			if shared == nil {
				return fmt.Errorf("no template %q", name)
			}
			var err error
			if t, err = set.AddParseTree(name, shared.Tree.Copy()); err != nil {
				return err
			}
		}
		used(t.Tree.Root, func(name string) {
			if !seen[name] {
				seen[name] = true
				pending = append(pending, name)
			}
		})
	}
	return nil
}

func used(n parse.Node, yield func(string)) {
	branch := func(b *parse.BranchNode) {
		used(b.List, yield)
		if b.ElseList != nil {
			used(b.ElseList, yield)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, n := range n.Nodes {
			used(n, yield)
		}
	case *parse.TemplateNode:
		yield(n.Name)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	}
}

// render renders a page into memory, so that a failing template sends nothing. A template that defines
// "fragment" has no frame.
func (v *views) render(name string, data any) ([]byte, error) {
	load, ok := v.sets[name]
	if !ok {
		return nil, fmt.Errorf("page: no template %q", name)
	}
	set, err := load()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, rootOf(set), data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func funcs(assets *web.Assets, d dates, parts *fragments) template.FuncMap {
	return template.FuncMap{
		"asset":        assets.URL,
		"modules":      assets.Modules,
		"fragment":     parts.render,
		"sender":       func() template.HTML { return senderInput },
		"linkify":      linkify,
		"formatted":    formatted,
		"host":         hostOf,
		"device":       device,
		"field":        newField,
		"choice":       func(p Person, checked bool) choiceView { return choiceView{p, checked} },
		"day":          d.date,
		"short":        d.short,
		"clock":        clock,
		"dayTime":      d.dateTime,
		"capped":       capped,
		"bytes":        core.Size,
		"noForm":       func() Form { return Form{} },
		"pictureForms": func(url, picture string, f Form) pictureForms { return pictureForms{url, picture != "", f} },
		"choices":      reactionChoices,
		"plural": func(n int, one, many string) string {
			if n == 1 {
				return one
			}
			return many
		},
	}
}

type pictureForms struct {
	URL  string
	Has  bool
	Form Form
}

type choiceView struct {
	Person
	Checked bool
}

// capped returns a count for a badge, at most 99+.
func capped(n int) string {
	if n > 99 {
		return "99+"
	}
	return fmt.Sprint(n)
}

// Field is a labelled control of a form with its hint and error.
type Field struct {
	ID, Name, Label, Value, Hint, Error    string
	Type, Autocomplete, Inputmode, Pattern string
	Placeholder, Class, Max                string
	Rows                                   string
	Options                                []Choice
	Required, Optional, Autofocus          bool
}

// Choice is an option of a select.
type Choice struct{ Value, Label string }

// DescribedBy names the elements that explain the field.
func (f Field) DescribedBy() string {
	var ids []string
	if f.Error != "" {
		ids = append(ids, f.ID+"-error")
	}
	if f.Hint != "" {
		ids = append(ids, f.ID+"-hint")
	}
	return strings.Join(ids, " ")
}

// newField returns a field for templates. Options are "key=value" or a flag; an unknown option is an error.
func newField(form Form, name, label string, options ...string) (Field, error) {
	f := Field{ID: form.id(name), Name: name, Label: label, Value: form.Get(name), Error: form.At(name)}
	texts := map[string]*string{
		"hint": &f.Hint, "type": &f.Type, "autocomplete": &f.Autocomplete, "inputmode": &f.Inputmode,
		"pattern": &f.Pattern, "placeholder": &f.Placeholder, "class": &f.Class, "max": &f.Max, "rows": &f.Rows,
	}
	flags := map[string]*bool{"required": &f.Required, "optional": &f.Optional, "autofocus": &f.Autofocus}
	for _, o := range options {
		key, value, isText := strings.Cut(o, "=")
		switch {
		case isText && key == "options":
			for _, c := range strings.Split(value, "|") {
				v, l, _ := strings.Cut(c, ":")
				f.Options = append(f.Options, Choice{v, l})
			}
		case isText && texts[key] != nil:
			*texts[key] = value
		case !isText && flags[key] != nil:
			*flags[key] = true
		default:
			return f, errors.New("unknown field option " + o)
		}
	}
	if form.Failed() {
		f.Autofocus = f.Error != "" // screen readers then read out its error
	}
	return f, nil
}

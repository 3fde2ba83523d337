package page

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/web"
)

// views has the templates in a language. They are parsed at the first use.
type views struct {
	assets *web.Assets
	parts  *fragments
	set    func() (*template.Template, error)
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
	v := &views{assets: assets, parts: &fragments{}}
	v.set = sync.OnceValues(func() (*template.Template, error) {
		set := template.New("").Option("missingkey=error").Funcs(funcs(assets, datesIn(language), v.parts))
		return set.ParseFS(web.Templates(), "*.html")
	})
	v.parts.set = v.set
	return v, nil
}

// render renders a page into memory, so that a failing template sends nothing. A view without a frame is a part of a
// page, for scripts.
func (v *views) render(name string, view any) ([]byte, error) {
	set, err := v.set()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	framed, ok := view.(interface{ framed() Frame })
	if !ok {
		err = set.ExecuteTemplate(&b, "page "+name, view)
		return b.Bytes(), err
	}
	frame := framed.framed()
	err = errors.Join(set.ExecuteTemplate(&b, "page", frame), set.ExecuteTemplate(&b, "page "+name, view),
		set.ExecuteTemplate(&b, "page end", frame))
	return b.Bytes(), err
}

func funcs(assets *web.Assets, d dates, parts *fragments) template.FuncMap {
	return template.FuncMap{
		"asset":        assets.URL,
		"modules":      assets.Modules,
		"fragment":     parts.render,
		"sender":       func() template.HTML { return senderInput },
		"linkify":      linkify,
		"marks":        marks,
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

// maxFragments is the limit of kept HTML in bytes, together with its keys.
const maxFragments = 8 << 20

// fragments keeps the HTML of messages and of rows. The key is the whole view, so an entry is never stale.
type fragments struct {
	set func() (*template.Template, error)

	mu   sync.Mutex
	kept map[string]template.HTML
	size int // of kept
}

// render returns the HTML of a view by the named template.
func (f *fragments) render(name string, view any) (template.HTML, error) {
	key, err := json.Marshal(view)
	if err != nil {
		return "", err
	}
	key = append(key, name...)
	f.mu.Lock()
	html, ok := f.kept[string(key)]
	f.mu.Unlock()
	if ok {
		return html, nil
	}
	set, err := f.set()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, name, view); err != nil {
		return "", err
	}
	html = template.HTML(b.String())
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size > maxFragments || f.kept == nil {
		f.kept, f.size = map[string]template.HTML{}, 0
	}
	f.kept[string(key)] = html
	f.size += len(key) + len(html)
	return html, nil
}

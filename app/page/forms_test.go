package page

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// SentForm is what a browser sends of a form as it is shown.
type SentForm struct {
	Action string
	Values url.Values
	Filled bool // with a text or a choice
	Parts  bool // sent as multipart/form-data
}

// FormsOf returns the forms of a page that are posted.
func FormsOf(t *testing.T, body string) (out []SentForm) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Data == "form" && attr(n, "method") == "post" {
			f := SentForm{Action: attr(n, "action"), Values: url.Values{}, Parts: attr(n, "enctype") == "multipart/form-data"}
			for n := range n.Descendants() {
				f.add(n)
			}
			out = append(out, f)
		}
	}
	return out
}

func (f *SentForm) add(n *html.Node) {
	name := attr(n, "name")
	switch n.Data {
	case "input":
		switch kind := attr(n, "type"); {
		case kind == "hidden":
			f.Values.Add(name, attr(n, "value"))
		case kind == "file" || slices.Contains([]string{"checkbox", "radio"}, kind) && !has(n, "checked"):
		default:
			f.Values.Add(name, attr(n, "value"))
			f.Filled = f.Filled || attr(n, "value") != ""
		}
	case "textarea":
		f.Values.Add(name, textOf(n))
		f.Filled = f.Filled || textOf(n) != ""
	case "select":
		var options []*html.Node
		for o := range n.Descendants() {
			if o.Data == "option" {
				options = append(options, o)
			}
		}
		i := slices.IndexFunc(options, func(o *html.Node) bool { return has(o, "selected") })
		f.Filled = f.Filled || i >= 0
		if len(options) > 0 {
			f.Values.Add(name, attr(options[max(0, i)], "value"))
		}
	}
}

func textOf(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// Match returns the first part of a text that matches a pattern.
func Match(t *testing.T, text, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindString(text)
	if found == "" {
		t.Fatalf("nothing matches %s in %s", pattern, text)
	}
	return found
}

// A form that shows what is stored says what it showed, or which version of it.
func TestFormsSayWhatTheyShowed(t *testing.T) {
	// These show what the person may want to send, or typed before.
	fresh := regexp.MustCompile(`^/(asks|stories|drafts/[^/]+|stories/[^/]+/reply)/preview$|` +
		`^/(login|claim|feedback|report|invitations|join/.*|login/.*|list/new|list/import|chat/new|chat/invite|` +
		`settings/api-keys|admin/reports/[^/]+|welcome|thoughts|settings/webhooks|settings/delete|` +
		`settings/secretary/answers|chat/[^/]+|chat/[^/]+/context)$|^/list/[^/]+$`)
	v := testViews(t)
	for name, full := range samples() {
		b, err := v.render(name, withMe(full))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range FormsOf(t, string(b)) {
			if !f.Values.Has("me") {
				t.Errorf("%s: the form of %s does not name its account", name, f.Action)
			}
			says := f.Values.Has("version") || f.Values.Has("revision")
			if f.Filled && !says && !fresh.MatchString(f.Action) {
				t.Errorf("%s: the form of %s shows %v and does not say so", name, f.Action, f.Values)
			}
		}
	}
}

// What somebody types in a form is kept when it fails, whichever form it is.
func TestFailedFormsKeepEveryText(t *testing.T) {
	v := testViews(t)
	for name, full := range samples() {
		b, err := v.render(name, withMe(full))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := html.Parse(strings.NewReader(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data != "form" || attr(n, "method") != "post" {
				continue
			}
			for n := range n.Descendants() {
				typed := n.Data == "textarea" || n.Data == "input" && slices.Contains([]string{"", "text", "email", "url", "number"}, attr(n, "type"))
				// A secret is not shown, and a search is no word that is sent.
				if field := attr(n, "name"); typed && field != "secret" && !slices.Contains(typedFields, field) {
					t.Errorf("%s: what is typed in %s is lost when the form fails", name, field)
				}
			}
		}
	}
}

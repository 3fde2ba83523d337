package page

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hearth/app/core"
)

// Form is what a form shows: the values to begin with or those that were
// typed, an error per field, and one about the whole.
type Form struct {
	Prefix string // before every id, where a page has the same field twice
	Values url.Values
	Errors map[string]string
	Error  string
}

// newForm returns a form with values given as name, value pairs.
func newForm(pairs ...string) Form {
	f := Form{Values: url.Values{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Values.Add(pairs[i], pairs[i+1])
	}
	return f
}

// failed returns a form that shows again what was typed, and why it did not
// do. names are the fields the form has; an error about anything else is
// shown above it.
func failed(values url.Values, err error, names ...string) Form {
	e := core.As(err)
	f := Form{Values: values}
	field, _, _ := strings.Cut(e.Field, "[")
	if slices.Contains(names, field) {
		f.Errors = map[string]string{field: plainWords(e)}
	} else {
		f.Error = plainWords(e)
	}
	return f
}

// plainWords says an error in the words of the form: operations call a field
// by its name on the wire, which nobody sees on a page.
func plainWords(e *core.Error) string {
	rest, ok := strings.CutPrefix(e.Msg, e.Field+" ")
	if e.Field == "" || !ok {
		return e.Msg
	}
	return labelOf(e.Field) + " " + strings.Replace(rest, "is required: send", "is missing:", 1)
}

// labelOf is what a page calls a field.
func labelOf(field string) string {
	name, rest, entry := strings.Cut(field, "[")
	if n, _, ok := strings.Cut(rest, "]"); entry && ok {
		if i, err := strconv.Atoi(n); err == nil && name == "items" {
			return fmt.Sprintf("Item %d", i+1)
		}
	}
	if label := map[string]string{
		"title": "Title", "description": "Description", "visibility": "Who may see it", "items": "First items",
		"content": "Text", "link": "Link", "source_note": "Note", "position": "Position", "role": "Role",
		"email": "E-mail address", "code": "Code", "name": "Name", "avatarUrl": "Address of a picture",
		"discoveryMode": "Who can find you", "text": "A line about now", "emoji": "Emoji", "presenceStatus": "How others see you",
		"scopes": "What it may do", "agentName": "Name of the agent", "expiresAt": "Ends after", "participantIds": "Who takes part",
	}[name]; label != "" {
		return label
	}
	return "This"
}

func (f Form) id(name string) string { return f.Prefix + name }

// Get returns the first value of a field.
func (f Form) Get(name string) string { return f.Values.Get(name) }

// Has tells whether value is among those of a field: a ticked box.
func (f Form) Has(name, value string) bool { return slices.Contains(f.Values[name], value) }

// At returns the error of a field.
func (f Form) At(name string) string { return f.Errors[name] }

// Failed tells whether the form is shown because something was wrong.
func (f Form) Failed() bool { return f.Error != "" || len(f.Errors) > 0 }

// status is what a page with this form is answered with.
func (f Form) status() int {
	if f.Failed() {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

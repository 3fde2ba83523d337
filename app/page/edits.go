package page

import (
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/op"
)

// versionField is the hidden field of a form that edits stored values: their digest as shown. An old form must
// not undo later changes.
const versionField = "version"

// Version returns the value of the hidden field, or "" for a form without values.
func (f Form) Version() string {
	if version := f.Get(versionField); version != "" || len(f.Values) == 0 {
		return version
	}
	var shown []string
	for _, name := range slices.Sorted(maps.Keys(f.Values)) {
		if !f.Fixed[name] {
			shown = append(shown, name, sentText(f.Values[name]))
		}
	}
	return core.Digest(strings.Join(shown, "\x00"))[:16]
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// sentText returns the values of a field as browsers send them. An unticked box equals an empty text, and outer
// spaces are ignored, because browsers drop them.
func sentText(values []string) string {
	var sent []string
	for _, value := range values {
		if value = strings.TrimSpace(newlines.Replace(value)); value != "" {
			sent = append(sent, value)
		}
	}
	slices.Sort(sent)
	return strings.Join(sent, "\x00")
}

var errChanged = core.New(core.Conflict, "changed",
	"Nothing was saved: this was changed meanwhile. The marked fields say what they are now; save again to replace that.")

// current loads what a form edits, for fill to send only what differs. If somebody changed meanwhile what the form
// shows, the error is errChanged.
func current[T any](v *visit, load func(*visit) (T, error), stored func(T) Form) (was T, err error) {
	if was, err = load(v); err == nil {
		err = v.edits(was, stored(was))
	}
	return was, err
}

func (v *visit) edits(was any, now Form) error {
	if versioned, ok := was.(op.Versioned); ok {
		v.version = versioned.Version()
	}
	v.stored = &now
	shown, version := v.form(versionField), now.Version()
	if shown == "" || shown == version {
		return nil
	}
	v.r.PostForm.Set(versionField, version)
	v.conflicts = map[string]string{}
	for name, values := range now.Values {
		if !now.Fixed[name] && v.differs(name) {
			v.conflicts[name] = nowText(name, values)
		}
	}
	if len(v.conflicts) > 0 {
		return errChanged
	}
	return nil
}

// differs reports whether a field was sent with another value than is stored.
func (v *visit) differs(name string) bool {
	return sentText(v.r.PostForm[name]) != sentText(v.stored.Values[name])
}

// fill sets the input of an operation by its tags, from the address and the form. Of a form that edits, it sets what
// differs.
func (v *visit) fill(in any) error {
	if to, ok := in.(file.Receiver); ok {
		u, err := v.upload()
		if err != nil {
			return err
		}
		to.SetFile(u)
	}
	plan, err := core.PlanOf(reflect.TypeOf(in).Elem())
	if err != nil {
		return err
	}
	for _, f := range plan.Fields {
		values, sent := v.r.PostForm[f.Name]
		switch {
		case f.Place == core.InPath && v.r.PathValue(f.Name) != "":
			values = []string{v.r.PathValue(f.Name)}
		case f.Place == core.InHeader:
			values = []string{v.version}
		case f.Place == core.InQuery:
			values = v.r.URL.Query()[f.Name]
		}
		to := reflect.ValueOf(in).Elem().FieldByIndex(f.Index)
		if core.IsOpt(to.Type()) {
			if v.stored != nil && !v.differs(f.Name) || !sent && f.Class != core.Boolean && f.Class != core.List {
				continue
			}
			to.Field(0).SetBool(true)
			to = to.Field(2)
		}
		if err := set(f, to, values); err != nil && f.Place != core.InQuery { // an address that was cut is read as far as possible
			return err
		}
	}
	return nil
}

func set(f *core.Field, to reflect.Value, values []string) error {
	if len(values) == 0 {
		return nil
	}
	value := values[0]
	switch {
	case to.Kind() == reflect.Pointer && (value == "" || f.Class == core.Object), f.Class == core.Object, f.Class == core.Value:
		return nil
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(f.Type))
		return set(f, to.Elem(), values)
	case f.Class == core.Boolean:
		to.SetBool(slices.Contains(values, "yes") || value == "true")
		return nil
	case f.Class == core.List && f.Element.Class == core.Text:
		to.Set(reflect.ValueOf(lines(strings.Join(values, "\n"))))
		return nil
	case f.Class == core.List, value == "" && f.Class != core.Text:
		return nil
	}
	return f.Parse(to, value)
}

// lines returns the lines of a text that are not blank.
func lines(text string) []string {
	out := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

var choiceLabels = map[string]map[string]string{
	"visibility":     {"private": "Private", "unlisted": "Members", "public": "Public", "public-edit": "Anyone can add"},
	"discoveryMode":  {"name": "By name", "email_only": "By e-mail address", "hidden": "Nobody"},
	"groupAdds":      {"everybody": "Everybody", "friends": "Friends", "nobody": "Nobody"},
	"presenceStatus": {"available": "Available", "away": "Away", "busy": "Busy", "invisible": "Invisible"},
	"signup":         {"open": "Everybody", "invite": "Invited people"},
	"scopes":         {"read": "Read", "write": "Write"},
	"kind": {"observation": "Observation", "fact": "Fact", "decision": "Decision", "commitment": "Commitment",
		"reminder": "Reminder"},
	"status": {"none": "None", "open": "Open", "closed": "Closed"},
	"matchingMode": {"fulfillment": "Someone who has what I look for, or looks for what I bring",
		"reciprocal": "Only someone where both is true", "shared_goal": "Someone who wants to do the same"},
	"accent":       {"": "Rust", "other": "Other"},
	"dateLanguage": {"auto": "The reader’s"},
}

var boxes = []string{"moderated", "checkable", "enabled", "openToCollaborators", "memberInvites"}

// nowText describes the current value of a field that was changed meanwhile.
func nowText(name string, values []string) string {
	if slices.Contains(boxes, name) {
		if slices.Contains(values, "yes") {
			return "Now it is ticked."
		}
		return "Now it is not ticked."
	}
	var said []string
	for _, value := range values {
		if label, ok := choiceLabels[name][value]; ok {
			value = label
		}
		if value != "" {
			said = append(said, value)
		}
	}
	if len(said) == 0 {
		return "Now it is empty."
	}
	return "Now it is “" + strings.Join(said, ", ") + "”."
}

// repeat returns the record of a form, so that a double click or a reload runs it once. id distinguishes
// forms with equal fields. Without an id each form counts.
func (v *visit) repeat(id string) *op.Repeat {
	if id == "" {
		return nil
	}
	r, _ := op.NewRepeat("page", core.Digest("form\x00"+id+"\x00"+v.r.URL.Path+"\x00"+v.r.PostForm.Encode()))
	return r // a digest is always a valid key
}

// once calls an operation for a form. A repeated form gets the first result, without what other people wrote.
func once[In, Out any](v *visit, repeat *op.Repeat, f *op.Func[In, Out], in In) (Out, error) {
	out, err := v.once(repeat, f.Op, in)
	return *out.(*Out), err
}

func (v *visit) once(repeat *op.Repeat, o *op.Operation, in any) (out any, err error) {
	out, err = o.Invoke(v.ctx(), v.by, repeat, func(to any) error {
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(in))
		return nil
	})
	var before *op.Replayed
	switch {
	case errors.As(err, &before):
		err = json.Unmarshal(before.Body, out)
	case err == nil && repeat != nil:
		if body, e := json.Marshal(repeat.Kept(reflect.ValueOf(out).Elem().Interface())); e == nil {
			_ = repeat.Finish(v.ctx(), http.StatusOK, body) // without this a repeated form is refused
		}
	}
	return out, err
}

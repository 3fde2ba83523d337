package page

import (
	"maps"
	"slices"
	"strings"

	"hearth/app/core"
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

// edits are the fields of a posted form that differ from the stored values.
type edits struct{ form, stored Form }

var errChanged = core.New(core.Conflict, "changed",
	"Nothing was saved: this was changed meanwhile. The marked fields say what they are now; save again to replace that.")

// edits compares the posted form with the stored values. If they differ and the form shows an older version, the
// error is errChanged.
func (v *visit) edits(stored Form) (edits, error) {
	e := edits{Form{Values: v.r.PostForm}, stored}
	shown, version := v.form(versionField), stored.Version()
	if shown == "" || shown == version {
		return e, nil
	}
	v.r.PostForm.Set(versionField, version)
	v.conflicts = map[string]string{}
	for name, values := range stored.Values {
		if !stored.Fixed[name] && e.has(name) {
			v.conflicts[name] = nowText(name, values)
		}
	}
	if len(v.conflicts) > 0 {
		return e, errChanged
	}
	return e, nil
}

func (e edits) has(name string) bool {
	return sentText(e.form.Values[name]) != sentText(e.stored.Values[name])
}

func (e edits) text(name string) core.Opt[string] {
	if !e.has(name) || !e.form.Values.Has(name) {
		return core.Opt[string]{}
	}
	return core.Some(e.form.Get(name))
}

func (e edits) lines(name string) core.Opt[[]string] {
	text := e.text(name)
	return core.Opt[[]string]{Set: text.Set, V: lines(text.V)}
}

func (e edits) choice(name string) core.Opt[string] {
	if e.form.Get(name) == "" {
		return core.Opt[string]{}
	}
	return e.text(name)
}

func (e edits) box(name string) core.Opt[bool] {
	if !e.has(name) {
		return core.Opt[bool]{}
	}
	return core.Some(e.form.Has(name, "yes"))
}

var choiceLabels = map[string]map[string]string{
	"visibility":     {"private": "Private", "unlisted": "Unlisted", "public": "Public", "public-edit": "Anyone can add"},
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

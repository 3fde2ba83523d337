package page

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"hearth/app/core"
)

// shownField is the hidden field of a form that edits stored values. It has a digest of each field as shown.
// Only changed fields are saved: an old form must not undo later changes.
const shownField = "shown"

// Shown returns the value of the hidden field.
func (f Form) Shown() string {
	if said := f.Get(shownField); said != "" {
		return said
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(f.Values)) {
		if !f.Fixed[name] {
			said = append(said, name+":"+digestOf(f.Values[name]))
		}
	}
	return strings.Join(said, " ")
}

func (v *visit) edited() bool { return v.r.PostForm.Has(shownField) }

// alone serialises forms that edit stored values, by address and by person. Each is compared with the stored
// values before the write, so the second must see the first. The result ends the wait of the next form.
func (s *site) alone(v *visit) (done func()) {
	if !v.edited() || v.files { // storing files may take long
		return func() {}
	}
	person, address := cmp.Or(v.by.PersonID(), v.by.IP), v.r.URL.Path
	if strings.HasPrefix(address, "/settings/") {
		address += " " + person // these pages have the same address for everybody
	}
	own, form := s.savers.of(person), s.saving.of(address)
	own.Lock()
	form.Lock()
	return func() {
		form.Unlock()
		own.Unlock()
	}
}

// locks are mutexes for any number of keys, hashed with a secret seed.
type locks struct {
	seed maphash.Seed
	all  [1024]sync.Mutex
}

func newLocks() *locks { return &locks{seed: maphash.MakeSeed()} }

func (l *locks) of(key string) *sync.Mutex {
	return &l.all[maphash.String(l.seed, key)%uint64(len(l.all))]
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// digestOf returns a digest of a field's values. An unticked box equals an empty text, and outer spaces are
// ignored, because browsers drop them.
func digestOf(values []string) string {
	var said []string
	for _, value := range values {
		if value = strings.TrimSpace(newlines.Replace(value)); value != "" {
			said = append(said, value)
		}
	}
	slices.Sort(said)
	return core.Digest(strings.Join(said, "\x00"))[:12]
}

// edits are the fields that the person changed. Without a digest, all fields of the form count as changed.
type edits struct {
	v    *visit
	kept map[string]bool
}

var errChanged = core.New(core.Conflict, "changed", "Nothing was saved: this was changed while you edited it. The marked fields say what they are now; save again to replace that. Fields that you left alone show what is stored.")

// edits compares the posted form with the stored values. Unchanged fields of the posted form get the stored
// value. A field that the person and somebody else changed is errChanged.
func (v *visit) edits(stored Form) (edits, error) {
	e := edits{v, map[string]bool{}}
	showed := map[string]string{}
	for _, part := range strings.Fields(v.form(shownField)) {
		name, digest, _ := strings.Cut(part, ":")
		showed[name] = digest
	}
	for name, values := range stored.Values {
		was, said := showed[name]
		typed, is := digestOf(v.r.PostForm[name]), digestOf(values)
		switch {
		case !said || stored.Fixed[name]:
		case typed == was || typed == is:
			e.kept[name] = true
			v.r.PostForm[name] = values
		case was != is:
			if v.conflicts == nil {
				v.conflicts = map[string]string{}
			}
			v.conflicts[name] = nowText(name, values)
		}
	}
	v.r.PostForm.Set(shownField, stored.Shown())
	if len(v.conflicts) > 0 {
		return e, errChanged
	}
	return e, nil
}

func (e edits) has(name string) bool { return !e.kept[name] }

func (e edits) text(name string) core.Opt[string] {
	if e.kept[name] || !e.v.r.PostForm.Has(name) {
		return core.Opt[string]{}
	}
	return core.Some(e.v.form(name))
}

func (e edits) lines(name string) core.Opt[[]string] {
	text := e.text(name)
	return core.Opt[[]string]{Set: text.Set, V: lines(text.V)}
}

func (e edits) choice(name string) core.Opt[string] {
	if e.v.form(name) == "" {
		return core.Opt[string]{}
	}
	return e.text(name)
}

func (e edits) box(name string) core.Opt[bool] {
	if e.kept[name] {
		return core.Opt[bool]{}
	}
	return core.Some(e.v.checked(name))
}

var choiceLabels = map[string]map[string]string{
	"visibility":     {"private": "Private", "unlisted": "Unlisted", "public": "Public", "public-edit": "Anyone can add"},
	"discoveryMode":  {"name": "By name", "email_only": "By e-mail address", "hidden": "Nobody"},
	"groupAdds":      {"everybody": "Everybody", "friends": "Friends", "nobody": "Nobody"},
	"presenceStatus": {"available": "Available", "away": "Away", "busy": "Busy", "invisible": "Invisible"},
	"signup":         {"open": "Everybody", "invite": "Invited people"},
	"scopes":         {"read": "Read", "write": "Write"},
	"kind":           {"observation": "Observation", "fact": "Fact", "decision": "Decision", "commitment": "Commitment", "reminder": "Reminder"},
	"status":         {"none": "None", "open": "Open", "closed": "Closed"},
	"matchingMode":   {"fulfillment": "Someone who has what I look for, or looks for what I bring", "reciprocal": "Only someone where both is true", "shared_goal": "Someone who wants to do the same"},
	"accent":         {"": "Rust", "other": "Other"},
	"dateLanguage":   {"auto": "The reader’s"},
}

// nowText describes the current value of a field that was changed meanwhile.
func nowText(name string, values []string) string {
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

package page

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// submit answers a posted form. act applies it and returns the next address. fields are those that can show an error.
func (s *site) submit(v *visit, act func() (next string, err error), fields ...string) error {
	next, err := act()
	if core.IsKind(err, core.Precondition) {
		next, err = act() // compares with what was stored meanwhile
	}
	if err != nil {
		return s.refuse(v, err, fields...)
	}
	if _, query, _ := strings.Cut(next, "?"); v.template == "inbox" && !strings.HasPrefix(next, "/inbox") {
		next = v.backTo("", strings.TrimPrefix(query, "done="), "")
	}
	return v.seeOther(next)
}

// posted returns the handler of a form that f answers, as in submit.
//
//go:noinline
func (s *site) posted(f func(*visit) (next string, err error), fields ...string) func(*visit) error {
	return func(v *visit) error {
		return s.submit(v, func() (string, error) { return f(v) }, fields...)
	}
}

// act returns the handler of a form that one operation answers. next is the next address, with parameters of the path.
func act[In, Out any](s *site, f *op.Func[In, Out], next string, fields ...string) func(*visit) error {
	return s.acts(nil, f.Op, next, nil, fields)
}

// actWith is act for an input that set completes.
func actWith[In, Out any](s *site, f *op.Func[In, Out], next string, set func(*visit, *In), fields ...string) func(*visit) error {
	return s.acts(nil, f.Op, next, func(v *visit, in any) { set(v, in.(*In)) }, fields)
}

// acts is edit and act without types: what has type parameters is compiled for each of them, so it is short. load and set
// may be nil.
//
//go:noinline
func (s *site) acts(load func(*visit) error, o *op.Operation, next string, set func(*visit, any), fields []string) func(*visit) error {
	return s.posted(func(v *visit) (_ string, err error) {
		if load != nil {
			err = load(v)
		}
		if err == nil && (v.stored == nil || slices.ContainsFunc(slices.Collect(maps.Keys(v.stored.Values)), v.differs)) {
			_, err = v.call(o, set)
		}
		return v.address(next), err
	}, fields...)
}

// sure returns handle for a form whose box is ticked. Otherwise it leads back, where the box is.
func sure(back string, handle func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if !v.confirmed() {
			return v.seeOther(v.address(back))
		}
		return handle(v)
	}
}

// made returns the handler of a form whose result its page shows without a redirect, because no address may contain it.
func made[Out any](s *site, do func(*visit) (*Out, error), show func(*visit, *Out) error, fields ...string) func(*visit) error {
	return func(v *visit) error {
		out, err := do(v)
		if err != nil {
			return s.refuse(v, err, fields...)
		}
		return show(v, out)
	}
}

// fresh returns the handler of such a page without a result.
func fresh[Out any](show func(*visit, *Out) error) func(*visit) error {
	return func(v *visit) error { return show(v, nil) }
}

// edit returns the handler of a form that edits what load returns, whose form is stored. set completes the input.
func edit[T, In, Out any](s *site, load func(*visit) (T, error), stored func(T) Form, f *op.Func[In, Out], next string,
	set ...func(*visit, *In)) func(*visit) error {
	return s.acts(func(v *visit) error { _, err := current(v, load, stored); return err }, f.Op, next, func(v *visit, in any) {
		for _, change := range set {
			change(v, in.(*In))
		}
	}, nil)
}

// send calls an operation with the input that the address and the form have by its tags, and with the file of the form.
// set changes the input.
func send[In, Out any](v *visit, f *op.Func[In, Out], set ...func(*In)) (Out, error) {
	out, err := v.call(f.Op, func(_ *visit, in any) {
		for _, change := range set {
			change(in.(*In))
		}
	})
	return *out.(*Out), err
}

func (v *visit) call(o *op.Operation, set func(*visit, any)) (any, error) {
	return o.Invoke(v.ctx(), v.by, nil, func(in any) error {
		err := v.fill(in)
		if err == nil && set != nil {
			set(v, in)
		}
		return err
	})
}

// via returns what loads by an operation, for a form that edits.
func via[In, Out any](f *op.Func[In, Out]) func(*visit) (Out, error) {
	return func(v *visit) (Out, error) { return send(v, f) }
}

// refuse answers a failed form. An error about the input shows the form's page with what was typed, and the error
// beside its field. Other errors have a page of their own.
func (s *site) refuse(v *visit, err error, fields ...string) error {
	show := s.pages[v.template]
	if !aboutInput(err) || show == nil {
		return err
	}
	if v.stored != nil {
		fields = slices.Collect(maps.Keys(v.stored.Values))
	}
	form := failed(v.r.PostForm, err, fields...)
	if len(v.conflicts) > 0 {
		form.Errors = v.conflicts
	}
	if core.IsKind(err, core.TooMany) {
		middleware.SetRetryAfter(v.w, core.As(err))
		form.tooMany = true
	}
	v.again = &form
	return show(v)
}

// showAgain shows the page of a form as it was sent.
func (s *site) showAgain(v *visit) error {
	v.again = &Form{Values: v.r.PostForm}
	return s.pages[v.template](v)
}

// pick returns the row that is meant, or core.ErrNotFound.
func pick[T any](rows []T, err error, meant func(T) bool) (row T, _ error) {
	for _, row := range rows {
		if meant(row) {
			return row, err
		}
	}
	return row, cmp.Or(err, error(core.ErrNotFound))
}

// filled returns the form as it was sent, if it is shown again, and otherwise stored.
func (v *visit) filled(stored Form) Form {
	if v.again == nil {
		return stored
	}
	return *v.again
}

// filledAt is filled for one of several forms of a page: at is the end of its route.
func (v *visit) filledAt(at string, stored Form) Form {
	if !strings.HasSuffix(v.r.Pattern, at) {
		return stored
	}
	return v.filled(stored)
}

func aboutInput(err error) bool {
	switch core.As(err).Kind {
	case core.Invalid, core.Conflict, core.TooLarge, core.TooMany, core.Gone, core.Unsupported, core.StorageFull:
		return true
	}
	return false
}

func (v *visit) confirmed() bool { return v.form("sure") == "yes" }

// Form has the values of a form, an error for each field, and an error for the whole form.
type Form struct {
	Prefix string // prefix of all ids, for pages with several forms
	Values url.Values
	Fixed  map[string]bool // fields that are shown and cannot be changed
	Errors map[string]string
	Error  string

	tooMany bool // the error is a limit
}

func newForm(pairs ...string) Form {
	f := Form{Values: url.Values{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Values.Add(pairs[i], pairs[i+1])
	}
	return f
}

// failed returns a form with an error. An error about none of the fields belongs to the whole form.
func failed(values url.Values, err error, fields ...string) Form {
	e := core.As(err)
	f := Form{Values: values}
	field, _, _ := strings.Cut(e.Field, "[")
	if strings.HasSuffix(field, ".audience") { // a channel that is no field of the form
		field = "audience"
	}
	if field == "audience" {
		e = named(e, values)
	}
	if slices.Contains(fields, field) {
		f.Errors = map[string]string{field: labelled(e)}
	} else {
		f.Error = labelled(e)
	}
	return f
}

// named adds the form's names of people to an error about an audience.
func named(e *core.Error, values url.Values) *core.Error {
	out := *e
	for _, p := range chosenIn(values) {
		if p.Name != "" {
			out.Msg = strings.ReplaceAll(out.Msg, p.ID, p.Name)
		}
	}
	for _, id := range values["in"] {
		if store.ValidID(id) {
			out.Msg = strings.ReplaceAll(out.Msg, id, "a group that you are not in")
		}
	}
	return &out
}

// labelled replaces the field's wire name in an error with its label.
func labelled(e *core.Error) string {
	rest, ok := strings.CutPrefix(e.Msg, e.Field+" ")
	if e.Field == "" || !ok {
		return e.Msg
	}
	rest = strings.Replace(rest, "is required: send text of", "is missing:", 1)
	return labelOf(e.Field) + " " + strings.Replace(rest, "is required: send", "is missing:", 1)
}

func labelOf(field string) string {
	name, rest, entry := strings.Cut(field, "[")
	if n, _, ok := strings.Cut(rest, "]"); entry && ok {
		if i, err := strconv.Atoi(n); err == nil && name == "items" {
			return fmt.Sprintf("Item %d", i+1)
		}
	}
	if label := map[string]string{
		"title": "Title", "description": "Description", "visibility": "Who can see it", "items": "Items",
		"content": "Text", "link": "Link", "reporter": "Your name", "source_note": "Note", "position": "Position", "role": "Role",
		"email": "E-mail address", "address": "Your e-mail address", "code": "Code", "name": "Name", "avatarUrl": "Picture",
		"discoveryMode": "Who can find you", "groupAdds": "Who may add you to groups", "text": "Text", "emoji": "Emoji",
		"presenceStatus": "Availability", "headline": "Headline", "reason": "Reason", "freeform": "Details",
		"communityName": "Name of the community", "signup": "Who can join", "accent": "Color", "expiresInDays": "Works for",
		"maxUses": "How many people can join", "welcome": "Welcome text", "dateLanguage": "Language of dates",
		"securityContact": "Contact for security problems", "message": "Message", "note": "Note",
		"scopes": "Permissions", "agentName": "Name of the agent", "expiresAt": "Expires after", "question": "Question", "answer": "Answer",
		"bot.name": "Name of the bot", "participantIds": "To", "tags": "Tags", "kind": "Kind", "status": "Status",
		"conversationId": "Conversation", "url": "Address", "secret": "Secret",
		"terms": "The sentence", "details": "Details", "goal": "What it is about", "seeks": "What you look for", "brings": "What you bring",
		"audience": "The audience", "story.audience": "The audience", "quietSearch.audience": "The audience",
	}[name]; label != "" {
		return label
	}
	return "This"
}

func (f Form) id(name string) string { return f.Prefix + name }

// Get returns the first value of a field.
func (f Form) Get(name string) string { return f.Values.Get(name) }

// Has reports whether a field has the value, like a ticked box.
func (f Form) Has(name, value string) bool { return slices.Contains(f.Values[name], value) }

// At returns the error of a field.
func (f Form) At(name string) string { return f.Errors[name] }

// Failed reports whether the form has an error.
func (f Form) Failed() bool { return f.Error != "" || len(f.Errors) > 0 }

// with adds name, value pairs for missing fields of f, after another form of the page failed.
func (f Form) with(pairs ...string) Form {
	stored := newForm(pairs...).Values
	for name, values := range f.Values {
		stored[name] = values
	}
	f.Values = stored
	return f
}

func (f *Form) status() int {
	switch {
	case f == nil:
		return http.StatusOK
	case f.tooMany:
		return http.StatusTooManyRequests
	case f.Failed():
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

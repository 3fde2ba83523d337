package page

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/store"
)

// maxForm is how many bytes a form may send.
const maxForm = 256 << 10

// admit identifies the caller, reads the form and applies the guard. Keys and
// embedded sessions have no pages: they count as anonymous.
func (s *site) admit(v *visit, g guard) error {
	by, err := s.Account.Caller(v.r)
	if err == nil && (by.Direct() || g == forms && by.SignedIn() && v.formOf() != formHTML) {
		v.by = by
	}
	v.by.IP, v.by.Device = s.Stack.Client(v.r), by.Device
	if err == nil {
		err = middleware.RecorderOf(v.w).Identify(v.by)
	}
	if v.r.Method == http.MethodPost {
		// Also of a request that is refused, because the answer has what was typed.
		if bad := s.read(v, g, err != nil); err == nil {
			err = bad
		}
	}
	if err == nil {
		err = middleware.RecorderOf(v.w).Enter() // the body has arrived
	}
	if err == nil {
		err = v.checkSender(g)
	}
	if err == nil && g.needsAccount() && !v.by.SignedIn() {
		err = core.ErrUnauthenticated
	}
	return err
}

// read reads a posted form. For whom its page was made is then in Form alone, and says
// there that all of it was read: the handler of a panic has nothing but the request. Of
// a request that is refused, no files are read.
func (s *site) read(v *visit, g guard, refused bool) (err error) {
	switch {
	case !isMultipart(v.r):
		v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
		err = parseForm(v.r)
	case refused:
		err = s.receive(v, maxForm, false)
	case g == importer: // also of guests, whose session may have ended while they wrote
		err = v.receiveText(v.by.SignedIn())
	default: // the answer arrives only once the files are read, also those that are not taken
		err = s.receive(v, maxUploads*file.MaxSize+maxForm, g == person && v.by.SignedIn())
	}
	sender := v.form(senderField)
	v.r.PostForm.Del(senderField)
	v.r.Form = url.Values{}
	if err == nil {
		v.r.Form.Set(senderField, sender)
	}
	return err
}

// checkSender returns an error if a posted form is of a page that was made for another
// account than the one that is signed in by now, or for a guest; or for an account, and
// nobody is signed in.
func (v *visit) checkSender(g guard) error {
	sender, guest := v.r.Form.Get(senderField), !v.by.SignedIn()
	switch {
	case sender == "", sender == v.by.UserID, sender == guestSender && guest, g == bearer && (sender == guestSender || guest):
		return nil
	case guest:
		return core.ErrUnauthenticated
	}
	return core.ErrOtherAccount
}

// parseForm reads a posted form. Browsers send line breaks as CR LF; they
// become LF.
func parseForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return core.New(core.TooLarge, "too_large", "The form is too long: it can have at most 256 KiB. Go back and shorten it.")
		}
		return badForm(err)
	}
	return cleanForm(r.PostForm)
}

func cleanForm(form url.Values) error {
	for _, values := range form {
		for i, value := range values {
			if !utf8.ValidString(value) {
				return core.New(core.Invalid, "bad_utf8", "The form has text that is not UTF-8. Go back, type it again and send it.")
			}
			values[i] = strings.ReplaceAll(value, "\r\n", "\n")
		}
	}
	return nil
}

// id returns a path parameter that must be an id. Anything else is not found,
// like an unknown id.
func (v *visit) id(name string) (string, error) {
	id := v.r.PathValue(name)
	if !store.ValidID(id) {
		return "", core.ErrNotFound
	}
	return id, nil
}

// form returns a field of the posted form.
func (v *visit) form(name string) string { return v.r.PostForm.Get(name) }

// query returns a parameter of the address.
func (v *visit) query(name string) string { return v.r.URL.Query().Get(name) }

// offset returns where a part of a list begins, from the address. Anything
// but a number is 0, because addresses are easily mangled on their way.
func (v *visit) offset(name string) int {
	n, err := strconv.Atoi(v.query(name))
	if err != nil {
		return 0
	}
	return max(0, n)
}

// seeOther sends the browser to the page at path.
func (v *visit) seeOther(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

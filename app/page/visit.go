package page

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/store"
)

const (
	// maxForm is the limit of a form in bytes.
	maxForm = 256 << 10
	// fieldSize is the approximate overhead of a field in memory.
	fieldSize = 100
)

// admit identifies the caller, reads the form and applies the guard. Keys and embedded sessions count as
// anonymous.
func (s *site) admit(v *visit, g guard) error {
	by, err := s.Account.Caller(v.r)
	if err == nil && (by.Direct() || g == forms && by.SignedIn() && v.formOf() != formHTML) {
		v.by = by
	}
	v.by.IP, v.by.Device = s.Stack.Client(v.r), by.Device
	if err == nil {
		middleware.RecorderOf(v.w).Viewer = v.by
	}
	if v.r.Method == http.MethodPost {
		// A refused form is read too, because the answer shows what was typed.
		if bad := s.read(v, g, err != nil); err == nil {
			err = bad
		}
	}
	if err == nil {
		err = middleware.RecorderOf(v.w).Enter() // an empty body is not read
	}
	if err == nil {
		err = v.checkSender(g)
	}
	if err == nil && g.needsAccount() && !v.by.SignedIn() {
		err = core.ErrUnauthenticated
	}
	return err
}

// read reads a posted form. A refused request's files are not read.
func (s *site) read(v *visit, g guard, refused bool) (err error) {
	limit, texts := maxUploads*file.MaxSize+maxForm, maxForm // all files must be read before the answer arrives
	take := func(part *middleware.Part) error { return s.receiveFile(v, part) }
	switch {
	case refused:
		limit = maxForm
	case g == importer: // also for guests, whose session may have ended while they wrote
		limit, texts, take = list.MaxImport+maxForm, list.MaxImport+maxForm, v.receiveText
	}
	if !g.needsAccount() || !v.by.SignedIn() {
		take = nil
	}
	if isMultipart(v.r) {
		err = v.receive(limit, texts, take)
	} else {
		err = v.parseForm()
	}
	v.sender = v.form(senderField)
	v.r.PostForm.Del(senderField)
	return err
}

// checkSender returns an error if the form's page was made for another account than the current one. A guest
// counts as an account, except on a bearer page.
func (v *visit) checkSender(g guard) error {
	sender, guest := v.sender, !v.by.SignedIn()
	switch {
	case sender == "", sender == v.by.UserID, sender == guestSender && guest, g == bearer && (sender == guestSender || guest):
		return nil
	case guest:
		return core.ErrUnauthenticated
	}
	return core.ErrOtherAccount
}

func (v *visit) parseForm() error {
	v.r.PostForm = url.Values{}
	if kind, _, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return nil
	}
	b, err := middleware.ReadBody(v.w, v.r, maxForm)
	switch {
	case core.IsKind(err, core.TooLarge):
		return core.New(core.TooLarge, "too_large", "The form is too long: it can have at most 256 KiB. Go back and shorten it.")
	case core.IsKind(err, core.Unavailable):
		return err
	case err != nil:
		return errBadForm
	}
	if v.r.PostForm, err = url.ParseQuery(string(b)); err != nil {
		return errBadForm
	}
	cleanForm(v.r.PostForm)
	return nil
}

// cleanForm replaces CR LF with LF.
func cleanForm(form url.Values) {
	for _, values := range form {
		for i, value := range values {
			values[i] = strings.ReplaceAll(value, "\r\n", "\n")
		}
	}
}

// idsOf returns the names of the ids in a pattern. Other wildcards are secrets and names.
func idsOf(pattern string) (names []string) {
	for _, m := range wildcard.FindAllStringSubmatch(pattern, -1) {
		if !slices.Contains([]string{"accent", "name", "receipt", "request", "token"}, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// checkIDs checks the ids of the path. Anything else is not found.
func (v *visit) checkIDs(names []string) error {
	for _, name := range names {
		if !store.ValidID(v.id(name)) {
			return core.ErrNotFound
		}
	}
	return nil
}

func (v *visit) id(name string) string { return v.r.PathValue(name) }

func (v *visit) form(name string) string { return v.r.PostForm.Get(name) }

func (v *visit) query(name string) string { return v.r.URL.Query().Get(name) }

// offset reads an offset of the address. Anything but a number is 0.
func (v *visit) offset(name string) int {
	n, err := strconv.Atoi(v.query(name))
	if err != nil {
		return 0
	}
	return max(0, n)
}

// moment reads a time of the address. Anything else is nil.
func (v *visit) moment(name string) *store.Time {
	at, err := store.ParseTime(v.query(name))
	if err != nil {
		return nil
	}
	return &at
}

func (v *visit) seeOther(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// next leads to a page after an action without an error.
func (v *visit) next(path string, err error) error {
	if err != nil {
		return err
	}
	return v.seeOther(path)
}

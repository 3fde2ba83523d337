package page

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hearth/app/chat"
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
		s.Account.Renew(v.w, v.r, v.by)
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
	if g == joiner {
		_, refused := send(v, s.Account.GetInvitation)
		take = func(part *middleware.Part) error { return cmp.Or(refused, s.receiveFile(v, part)) }
	} else if !g.needsAccount() || !v.by.SignedIn() {
		take = nil
	}
	if strings.HasPrefix(v.r.Header.Get("Content-Type"), "multipart/form-data") {
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
	case sender == "", sender == v.by.UserID, sender == guestSender && guest, (g == bearer || g == joiner) && (sender == guestSender || guest):
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
		if !slices.Contains([]string{"accent", "name", "receipt", "request", "slug", "token"}, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
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

const maxUploads = 10

// receive reads a form of up to limit bytes, with up to texts bytes of texts, and gives its files to take. The error of
// a file is kept for the handler, so that the following texts are read as well. Without take files are skipped.
func (v *visit) receive(limit, texts int, take func(*middleware.Part) error) error {
	middleware.LimitUpload(v.w)
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, int64(limit))
	v.r.Form, v.r.PostForm = url.Values{}, url.Values{}
	form, err := middleware.ReadForm(v.r)
	if err != nil {
		return errBadForm
	}
	for read := 0; ; {
		part, err := form.Next()
		if errors.Is(err, io.EOF) || err != nil && v.uploadErr != nil { // or a file is too large
			cleanForm(v.r.PostForm)
			return nil
		}
		if err != nil {
			return badForm(err)
		}
		if part.Name == "file" && part.FileName != "" {
			if take != nil && v.uploadErr == nil {
				v.uploadErr = take(part)
			}
			continue
		}
		b, err := io.ReadAll(io.LimitReader(part, int64(max(texts-read, 0))+1))
		read += len(b) + len(part.Name) + fieldSize
		if err != nil || read > texts {
			return cmp.Or(v.uploadErr, badForm(err))
		}
		v.r.PostForm.Add(part.Name, string(b))
	}
}

// receiveText puts the file into the field "data".
func (v *visit) receiveText(part *middleware.Part) error {
	b, err := io.ReadAll(part)
	switch {
	case err != nil:
		return core.InvalidField("file", "The file is larger than %d MB. Split it.", list.MaxImport>>20)
	case !utf8.Valid(b):
		return core.InvalidField("file", "This is not a file of text in UTF-8.")
	}
	if len(b) > 0 {
		v.r.PostForm.Set("data", string(b))
	}
	return nil
}

var errBadForm = core.New(core.Invalid, "bad_form", "The form could not be read. Go back, reload the page and send it again.")

func badForm(err error) error {
	if core.Known(err) {
		return err
	}
	return errBadForm
}

func (s *site) receiveFile(v *visit, part *middleware.Part) error {
	if len(v.uploads) == maxUploads {
		return core.InvalidField("content", "A message can have at most 10 files. Send the others with another message.")
	}
	u, err := s.Files.Begin(v.ctx(), v.by)
	if err != nil {
		return err
	}
	v.uploads = append(v.uploads, u)
	return u.Receive(part, part.FileName)
}

func (v *visit) closeUploads() {
	for _, u := range v.uploads {
		u.Close()
	}
}

func (v *visit) upload() (*file.Upload, error) {
	switch {
	case v.uploadErr != nil:
		return nil, v.uploadErr
	case len(v.uploads) != 1:
		return nil, core.New(core.Invalid, "file_required", "Choose a picture first.")
	}
	return v.uploads[0], nil
}

func (s *site) storeUploads(v *visit) (refs []chat.AttachmentRef, err error) {
	if v.uploadErr != nil {
		return nil, v.uploadErr
	}
	for _, u := range v.uploads {
		a, err := s.Chat.UploadAttachment.Call(v.ctx(), v.by, file.In{File: u})
		if err != nil {
			return nil, err
		}
		refs = append(refs, chat.AttachmentRef{ID: a.ID})
	}
	return refs, nil
}

// foreignPicture returns the address of a picture on another server, or "".
func foreignPicture(avatarURL *string) string {
	url := core.OrZero(avatarURL)
	if pictureOf(url) != "" {
		return ""
	}
	return url
}

type fileView struct {
	Name, URL, Preview string
	Kind               string // "image", "audio", "video" or ""
	Size               int64
	Width, Height      int    // as displayed
	Duration           string // of a recording, like 1:05; "" if unknown
}

const maxPicture = 320

func fileOf(a chat.Attachment) fileView {
	f := fileView{Name: a.Name, URL: a.URL, Preview: cmp.Or(a.PreviewURL, a.URL), Size: a.Size, Width: a.Width, Height: a.Height}
	if kind, _, _ := strings.Cut(a.MimeType, "/"); kind == "image" || kind == "audio" || kind == "video" {
		f.Kind = kind
	}
	if a.DurationMs > 0 {
		seconds := max(1, (a.DurationMs+500)/1000)
		f.Duration = fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	if large := max(a.Width, a.Height); large > maxPicture {
		f.Width, f.Height = max(1, a.Width*maxPicture/large), max(1, a.Height*maxPicture/large)
	}
	return f
}

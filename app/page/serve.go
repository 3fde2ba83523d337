package page

import (
	"bytes"
	"context"
	"net/http"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/store"
)

// policy permits a page to load files of this server only; no script or style is
// part of the page itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
	"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// handler returns the handler of one row of the table. What a GET
// writes is written after its page was read, before it is rendered.
func (s *site) handler(row route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := newVisit(w, r)
		v.template = row.template
		defer v.closeUploads()
		err := s.admit(v, row.guard)
		if err == nil { // before all else is read: the stream of the page brings what follows
			v.position, err = s.Position(v.ctx())
		}
		switch {
		case err != nil:
		case r.Method == http.MethodPost:
			err = row.handle(s, v)
		default:
			if (row.guard == public || row.guard == forms) && !v.by.SignedIn() {
				v.tags = &s.tags
			}
			err = row.handle(s, v)
		}
		if err == nil {
			err = v.runAfter()
		}
		if err == nil {
			err = s.render(v)
		}
		if err != nil {
			s.fail(v, err)
		}
	})
}

// show makes data the answer of v.
func (s *site) show(v *visit, status int, data any) error {
	v.status, v.data = status, data
	return nil
}

// render writes the answer that show left, if it left one.
func (s *site) render(v *visit) error {
	if v.status == 0 {
		return nil
	}
	views, err := s.viewsIn(s.community(v).DateLanguage)
	if err != nil {
		return err
	}
	b, err := views.render(v.template, v.data)
	if err != nil {
		return err
	}
	me := guestSender
	if v.by.Direct() {
		me = v.by.UserID
	}
	b = signed(b, me)
	// A page with an ETag, which guests get, is sent once and then confirmed.
	if v.tags == nil && len(b) >= minCompressed && mayCompress(v.r) {
		if b, err = compressed(b); err != nil {
			return err
		}
		v.w.Header().Set("Content-Encoding", "gzip")
	}
	if err := middleware.Reserve(v.w, len(b)); err != nil {
		return err
	}
	v.data, v.r.PostForm = nil, nil
	v.write(v.status, "text/html; charset=utf-8", b)
	return nil
}

// senderField is the hidden field in which a form says for whom its page was made.
const senderField = "me"

// guestSender is what it says on the pages of guests.
const guestSender = "guest"

// signed returns a page with that field at the beginning of every form that is
// posted. In text and attributes, < and > are escaped.
func signed(page []byte, me string) []byte {
	field := []byte(`<input type="hidden" name="` + senderField + `" value="`)
	var out []byte
	for {
		at := bytes.Index(page, []byte("<form "))
		if at < 0 {
			return append(out, page...)
		}
		end := at + bytes.IndexByte(page[at:], '>') + 1
		tag := page[at:end]
		out, page = append(out, page[:end]...), page[end:]
		if bytes.Contains(tag, []byte(` method="post"`)) && !bytes.HasPrefix(page, field) {
			out = append(append(append(out, field...), me...), `">`...)
		}
	}
}

func setHeaders(h http.Header, path string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	if hasSecretPath(path) {
		h.Set("Referrer-Policy", "no-referrer")
	}
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Cookie, Accept-Encoding")
}

// visit is one request for a page.
type visit struct {
	w        http.ResponseWriter
	r        *http.Request
	by       store.Viewer
	template string
	me       *account.Me // nil until it is read
	tags     *pageTags   // nil unless all guests get the page
	position string      // of the event log, if the page has it
	wants    string      // the form of a list that is requested, formHTML and others

	about *admin.Community // nil until it is read

	status int // 0 until show was called
	data   any
	after  []func() error

	conflicts map[string]string // what fields are now that others changed as well

	uploads   []*file.Upload // that came with the form
	uploadErr error          // why one of them did not
	files     bool           // the form had files, taken or not
}

// newVisit begins the answer to a request: whatever it is, it has the headers of pages.
func newVisit(w http.ResponseWriter, r *http.Request) *visit {
	setHeaders(w.Header(), r.URL.Path)
	return &visit{w: w, r: r}
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// then has f called once the reads of the page are done, before it is sent.
func (v *visit) then(f func() error) { v.after = append(v.after, f) }

func (v *visit) runAfter() error {
	for _, f := range v.after {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// policy permits only files of this server, and no inline scripts or styles.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
	"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// handler returns the handler of a route. The writes of a GET follow its reads, before the page is rendered.
func (s *site) handler(row route) http.Handler {
	ids := idsOf(row.pattern)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := newVisit(w, r)
		v.template = row.template
		if row.guard == forms {
			v.formOf()
		}
		defer v.closeUploads()
		err := s.admit(v, row.guard)
		v.shared = err == nil && r.Method == http.MethodGet && (row.guard == public || row.guard == forms) && !v.by.SignedIn()
		if err == nil && !v.shared && s.Live != nil { // before all reads: the page's stream brings what follows
			v.position, err = s.Live.Position(v.ctx())
		}
		if err == nil && slices.ContainsFunc(ids, func(name string) bool { return !store.ValidID(v.id(name)) }) {
			err = core.ErrNotFound
		}
		if err == nil {
			err = row.handle(v)
		}
		err = cmp.Or(v.err, err)
		for _, after := range v.after {
			if err == nil {
				err = after()
			}
		}
		if err == nil {
			err = s.render(v)
		}
		if err != nil {
			s.fail(v, err)
		}
	})
}

// framed is a view with a frame.
type framed interface{ frame() *Frame }

func (f *Frame) frame() *Frame { return f }

func (f Frame) framed() Frame { return f }

// page sets the page to send: view in its frame. here is the section and, after a slash, its tab. It returns the error
// of the visit.
func (s *site) page(v *visit, title, here, layout string, view framed) error {
	*view.frame() = s.frame(v, title, here, layout)
	return s.show(v, view)
}

// show sets the data of the page to send. It returns the error of the visit.
func (s *site) show(v *visit, data any) error {
	v.status, v.data = cmp.Or(v.status, v.again.status()), data
	return v.err
}

func (s *site) render(v *visit) error {
	if v.data == nil {
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
	b = bytes.ReplaceAll(b, []byte(senderInput), []byte(strings.Replace(senderInput, `""`, `"`+me+`"`, 1)))
	// A page with an ETag is sent once and then revalidated.
	if !v.shared && len(b) >= minCompressed && mayCompress(v.r) {
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

const (
	// senderField is the hidden field with the account that the page was made for.
	senderField = "me"
	// senderInput is in every posted form. The account is added after the templates, because messages are
	// rendered once for everybody.
	senderInput = `<input type="hidden" name="` + senderField + `" value="">`
)

const guestSender = "guest"

type visit struct {
	w        http.ResponseWriter
	r        *http.Request
	by       store.Viewer
	template string
	me       *account.Me // nil until it is read
	shared   bool        // all guests get the page
	position string      // of the event log, if the page has it
	wants    string      // the requested format of a list
	sender   string      // the account that the page of the form was made for

	about *admin.Community // nil until it is read

	status int
	data   any // nil until show was called
	after  []func() error
	err    error // the first of failed

	again     *Form             // the sent form, if its page is shown again
	stored    *Form             // what a form edits
	version   string            // of what it edits, "" without one
	conflicts map[string]string // current values of fields that others changed

	uploads   []*file.Upload // of the form
	uploadErr error          // the error of one of them
}

// newVisit sets the headers of pages, whatever the answer is.
func newVisit(w http.ResponseWriter, r *http.Request) *visit {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin") // with no-referrer Chromium sends "Origin: null" over plain http
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Cookie, Accept-Encoding")
	return &visit{w: w, r: r}
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// get returns the result of an operation that a page shows. Its error is the error of the visit.
func get[In, Out any](v *visit, f *op.Func[In, Out], in In) Out {
	return *v.kept(v.once(nil, f.Op, in)).(*Out)
}

// read is get with the input that the address has.
func read[In, Out any](v *visit, f *op.Func[In, Out]) Out { return *v.kept(v.call(f.Op, nil)).(*Out) }

func (v *visit) kept(out any, err error) any {
	v.failed(err)
	return out
}

// loaded is get for what load returns.
func loaded[T any](v *visit, load func(*visit) (T, error)) T {
	out, err := load(v)
	v.failed(err)
	return out
}

// failed keeps an error until the page is shown.
func (v *visit) failed(err error) { v.err = cmp.Or(v.err, err) }

// then calls f after the page's reads and before it is sent.
func (v *visit) then(f func() error) { v.after = append(v.after, f) }

// recorded limits and records requests for pages. Records have the pattern, because addresses may contain
// secrets.
func (s *site) recorded(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := middleware.RecorderOf(w)
		defer func() {
			if rec.Op = r.Pattern; rec.Op == "" || rec.Op == "/" {
				rec.Op = "page"
			}
			rec.Quiet = rec.Op == "GET /static/"
		}()
		if err := rec.Enter(); err != nil {
			s.fail(newVisit(w, r), err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// write sends a page. A page for all guests has an ETag, which clients revalidate each time.
func (v *visit) write(status int, mediaType string, b []byte) {
	h := v.w.Header()
	if status == http.StatusOK && v.shared {
		tag := middleware.ETag("", b)
		h.Set("ETag", tag)
		h.Set("Cache-Control", "no-cache")
		h.Set("Vary", "Accept, Authorization, Cookie")
		if middleware.HasTag(v.r, tag) {
			v.w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(b)))
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b)
}

// The size of a compressed page can reveal a secret beside text that an attacker chose. So a page is
// compressed only if its address has no secret and puts no text on it. Answers to forms are never compressed.
// Random padding hides small differences.

// plainParams are parameters that cannot put text on the page: times, ids and fixed words.
var plainParams = []string{"after", "at", "before", "conversation", "delete", "done", "edit", "head", "message", "newest", "offset",
	"react", "reply", "row", "side", "state", "until"}

const (
	minCompressed = 1024 // bytes; smaller pages are not compressed
	maxJitter     = 64   // bytes
)

func mayCompress(r *http.Request) bool {
	if r.Method != http.MethodGet || hasSecretPath(r.URL.Path) {
		return false
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false
	}
	for name := range query {
		if !slices.Contains(plainParams, name) {
			return false
		}
	}
	return acceptsGzip(r.Header.Values("Accept-Encoding"))
}

// acceptsGzip reports whether gzip is accepted, with a weight above 0.
func acceptsGzip(values []string) bool {
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.ReplaceAll(weight, " ", "")
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

// hasSecretPath reports whether addresses with the prefix of path are secrets.
func hasSecretPath(path string) bool {
	return slices.ContainsFunc([]string{"/login", "/claim", "/chat/invite/", account.InvitationPath, "/c/", "/receipt/"},
		func(p string) bool { return strings.HasPrefix(path, p) })
}

var gzipWriters = sync.Pool{New: func() any {
	zw, _ := gzip.NewWriterLevel(nil, 2) // half the time of the default, for a seventh more bytes
	return zw
}}

func compressed(page []byte) ([]byte, error) {
	var jitter [1 + maxJitter]byte
	if _, err := rand.Read(jitter[:]); err != nil {
		return nil, err
	}
	zw := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(zw)
	var out bytes.Buffer
	out.Grow(len(page)/4 + 512)
	zw.Reset(&out)
	zw.Extra = jitter[1 : 1+int(jitter[0])%maxJitter]
	if _, err := zw.Write(page); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Package browse reads pages of other servers for agents.
package browse

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/limit"
	"hearth/app/op"
	"hearth/store"
)

const (
	maxBody   = 512 << 10 // bytes of a page that are read
	maxText   = 20_000    // code points of text that are returned
	maxTitle  = 300       // code points of a title that are returned
	timeLimit = 8 * time.Second
	redirects = 3
	atOnce    = 8 // pages read at the same time
	atOnceFor = 2 // of these for one network, and for one person with their bots
)

// Service has the operation that reads a page. It is safe for concurrent use.
type Service struct {
	BrowseURL *op.Func[BrowseIn, Page]

	fetch  *fetch.Client
	places *limit.Slots
	now    func() store.Time
}

// New returns the service. It makes requests with client and counts calls against limits. Nil limits count nothing.
func New(client *fetch.Client, limits *op.Limits, now func() time.Time) *Service {
	s := &Service{fetch: client, places: limit.NewSlots(atOnce, atOnceFor), now: func() store.Time { return store.TimeOf(now()) }}
	s.BrowseURL = op.New(limits, s.browseURL, op.Spec{
		Summary: "Read a web page", Guard: op.ListRead, Hints: op.ReadOnly | op.Idempotent | op.OpenWorld, Errors: []core.Kind{core.BadGateway},
		Limits: []limit.Rate{limit.PagesRead},
	})
	return s
}

// BrowseIn is the input of BrowseURL.
type BrowseIn struct {
	URL string `json:"url" required:"true" max:"2048" format:"url"`
}

// Page is a page of another server as text.
type Page struct {
	URL       string     `json:"url" doc:"After redirects."`
	Status    int        `json:"status"`
	Title     string     `json:"title" doc:"At most 300 characters."`
	Text      string     `json:"text"`
	Truncated bool       `json:"truncated"`
	FetchedAt store.Time `json:"fetched_at"`
}

func (s *Service) browseURL(ctx context.Context, by store.Viewer, in BrowseIn) (out Page, err error) {
	if !s.places.Take(by.CountsUnder()...) {
		return out, limit.Busy("Many pages are being read right now. Try again in a few seconds.")
	}
	defer s.places.Free(by.CountsUnder()...)
	res, err := s.fetch.Do(ctx, fetch.Request{
		URL: in.URL, Header: http.Header{"Accept": {"text/html,text/plain,application/json;q=0.9,*/*;q=0.1"}},
		Timeout: timeLimit, Redirects: redirects, MaxBody: maxBody,
	})
	if err != nil {
		return out, explain(err)
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	text, err := decoded(res, kind)
	if err != nil {
		return out, err
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	out = Page{URL: res.URL.String(), Status: res.Status, Truncated: res.Truncated, FetchedAt: s.now()}
	if kind == "text/html" || kind == "application/xhtml+xml" {
		out.Title, text = pageText(text)
		out.Title = core.FirstRunes(out.Title, maxTitle)
	}
	if out.Text = text; utf8.RuneCountInString(text) > maxText {
		out.Text, out.Truncated = core.FirstRunes(text, maxText), true
	}
	return out, nil
}

func decoded(res *fetch.Response, kind string) (string, error) {
	switch {
	case strings.HasPrefix(kind, "text/"), kind == "application/json", kind == "application/xml", kind == "application/xhtml+xml",
		strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"), kind == "" && len(res.Body) == 0:
	default:
		return "", core.New(core.BadGateway, "not_text", "This address has no text but %s. Choose the address of a page.",
			core.FirstRunes(cmp.Or(kind, "a file of an unknown type"), 80))
	}
	r, err := charset.NewReader(bytes.NewReader(res.Body), res.Header.Get("Content-Type"))
	if err != nil {
		return string(res.Body), nil // in an unknown character set
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return string(res.Body), nil
	}
	return string(b), nil
}

func explain(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, fetch.ErrURL), errors.Is(err, fetch.ErrBlocked):
		e := core.InvalidField("url", "This address cannot be read: only http and https addresses on the public internet can, and not this "+
			"server's own.")
		e.Code = "blocked_url"
		return e
	case errors.Is(err, fetch.ErrRedirects):
		return core.New(core.BadGateway, "too_many_redirects",
			"This address was redirected more than %d times. Use the address that it leads to.", redirects)
	case fetch.Timeout(err):
		return core.New(core.BadGateway, "upstream_timeout", "The page did not arrive within %d seconds. Try again later.",
			int(timeLimit/time.Second))
	}
	return core.New(core.BadGateway, "upstream",
		"The page could not be read: its server cannot be reached or gives no valid response. Check the address.")
}

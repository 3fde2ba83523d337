package list

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/limit"
	"hearth/store"
)

const (
	previewTime      = 24 * time.Hour  // how long a preview is current
	previewFailTime  = 5 * time.Minute // how long a page that failed is not requested again
	previewTimeout   = 5 * time.Second
	previewMax       = 512 << 10 // bytes read, after decompression
	previewRedirects = 3
	previewsAtOnce   = 8 // pages requested at the same time
	previewsOfOne    = 2 // of them for one network, and for one person with their bots
	maxFailures      = 10_000
	previewsDropped  = 10 // old previews that are deleted for a new one at most
)

// MaxPreviews is about how many previews are stored.
const MaxPreviews = 20_000

// LinkPreviewIn is the input of PreviewLink.
type LinkPreviewIn struct {
	URL string `query:"url" json:"-" required:"true" max:"2048" doc:"The address of a page, with http:// or https://."`
}

// LinkPreview is what a page says about itself. What it does not say is null.
type LinkPreview struct {
	URL         string     `json:"url" doc:"As it was requested, without a fragment."`
	Title       *string    `json:"title"`
	Description *string    `json:"description"`
	Image       *string    `json:"image" doc:"The address of a picture, on the page's server or another one."`
	SiteName    *string    `json:"siteName"`
	FetchedAt   store.Time `json:"fetchedAt" doc:"When the page was read. It is read again after 24 hours."`
}

func previewOf(p store.LinkPreview) LinkPreview {
	return LinkPreview{URL: p.URL, Title: core.OrNil(p.Title), Description: core.OrNil(p.Description), Image: core.OrNil(p.Image),
		SiteName: core.OrNil(p.SiteName), FetchedAt: p.FetchedAt}
}

// previews reads pages, each once at a time.
type previews struct {
	fetch  *fetch.Client
	places *limit.Slots // by the network and the person for whom a page is requested, "" in the background

	mu      sync.Mutex
	running map[string]*previewRun // by what its preview is stored by, as failed
	failed  map[string]failure
}

// previewRun is the reading of a page, which all who want it wait for.
type previewRun struct {
	done chan struct{}
	out  store.LinkPreview
	err  error
}

// failure is why a page could not be read, and until when that counts.
type failure struct {
	err   error
	until store.Time
}

func newPreviews(c *fetch.Client) *previews {
	return &previews{fetch: c, places: limit.NewSlots(previewsAtOnce, previewsOfOne), running: map[string]*previewRun{}, failed: map[string]failure{}}
}

// previewLink returns what a page says about itself, of its server or as it was
// read within the last 24 hours. If the page cannot be read, an older preview is
// returned, and without one BadGateway. It returns Invalid with the code
// blocked_url for an address that is not on the public internet, and for this
// server's own.
func (s *Service) previewLink(ctx context.Context, by store.Viewer, in LinkPreviewIn) (LinkPreview, error) {
	u, err := fetch.ParseURL(in.URL)
	if err == nil && s.previews.fetch != nil {
		err = s.previews.fetch.CheckURL(u.String())
	}
	if err != nil {
		return LinkPreview{}, errBlocked(err)
	}
	address := u.String()
	old, fresh, err := s.storedPreview(ctx, address)
	if err != nil || fresh {
		return previewOf(old), err
	}
	p, err := s.readPage(ctx, address, address, by.CountsUnder()...)
	if err != nil && old.FetchedAt != 0 && core.IsKind(err, core.BadGateway) {
		return previewOf(old), nil
	}
	return previewOf(p), err
}

// StoredPreview returns what is known of a page that an item of a list links to,
// without requesting it, and reports whether anything is. If it is not current, the
// page is read in the background.
func (s *Service) StoredPreview(ctx context.Context, listID, address string) (LinkPreview, bool) {
	u, err := fetch.ParseURL(address)
	if err != nil || s.previews.fetch == nil || s.previews.fetch.CheckURL(u.String()) != nil {
		return LinkPreview{}, false
	}
	address = u.String()
	p, fresh, err := s.storedPreview(ctx, address)
	if err == nil && !fresh {
		key, asked := listPreview(listID, address), p
		if p, fresh, err = s.storedPreview(ctx, key); err == nil && !fresh {
			go s.readPage(context.Background(), key, address, unasked) // whoever comes next gets it
		}
		if p.FetchedAt < asked.FetchedAt {
			p = asked
		}
	}
	p.URL = address
	return previewOf(p), err == nil && (p.Title != "" || p.Description != "")
}

// listPreview is what the preview of a page is stored by that was read for a list.
// Elsewhere it is not shown: that there is one, and since when, would tell strangers
// that somebody opened an item of a private list with that link.
func listPreview(listID, address string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(listID+" "+address)))
}

// storedPreview returns the preview that is stored by a key, whose FetchedAt is 0 if
// there is none, and whether it is current.
func (s *Service) storedPreview(ctx context.Context, key string) (p store.LinkPreview, fresh bool, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		p, err = r.LinkPreview(key)
		return err
	})
	if errors.Is(err, store.ErrNoRow) {
		return store.LinkPreview{}, false, nil
	}
	return p, err == nil && s.db.Now() < p.FetchedAt.Add(previewTime), err
}

// unasked is for what pages are read in the background.
const unasked = ""

// readPage reads a page, which counts under by, and stores its preview by a key. Those
// who want it by the same key at the same time wait for one request.
func (s *Service) readPage(ctx context.Context, key, address string, by ...string) (store.LinkPreview, error) {
	run, first, err := s.previews.join(key, s.db.Now())
	if err != nil {
		return store.LinkPreview{}, err
	}
	if first {
		// It goes on for the others when the first one has gone or is signed out.
		go func() {
			run.out, run.err = s.request(context.Background(), key, address, by)
			s.previews.leave(key, run, s.db.Now())
		}()
	}
	select {
	case <-run.done:
		return run.out, run.err
	case <-ctx.Done():
		return store.LinkPreview{}, ctx.Err()
	}
}

// join returns the reading of a page by a key, and whether it is to be begun; an error
// if it failed a short time ago.
func (p *previews) join(key string, now store.Time) (run *previewRun, first bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.failed[key]; ok {
		if now < f.until {
			return nil, false, f.err
		}
		delete(p.failed, key)
	}
	if run, ok := p.running[key]; ok {
		return run, false, nil
	}
	run = &previewRun{done: make(chan struct{})}
	p.running[key] = run
	return run, true, nil
}

func (p *previews) leave(key string, run *previewRun, now store.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, key)
	if core.IsKind(run.err, core.BadGateway) {
		if len(p.failed) >= maxFailures {
			clear(p.failed)
		}
		p.failed[key] = failure{run.err, now.Add(previewFailTime)}
	}
	close(run.done)
}

// request reads a page, which counts under by, and stores its preview by a key, unless a
// current one is stored already. While the server has no storage left it stores none, and
// reads no page in the background.
func (s *Service) request(ctx context.Context, key, address string, by []string) (p store.LinkPreview, err error) {
	if s.previews.fetch == nil {
		return p, core.New(core.BadGateway, "upstream_error", "This server reads no pages.")
	}
	// Another request may have ended after the caller looked.
	if p, fresh, err := s.storedPreview(ctx, key); err != nil || fresh {
		return p, err
	}
	full := s.limits.CheckSpace(ctx)
	if full != nil && slices.Contains(by, unasked) {
		return p, full
	}
	if !s.previews.places.Take(by...) {
		return p, limit.Busy("Many pages are being read right now. Try again in a few seconds.")
	}
	defer s.previews.places.Free(by...)
	res, err := s.previews.fetch.Do(ctx, fetch.Request{
		URL: address, Timeout: previewTimeout, Redirects: previewRedirects, MaxBody: previewMax,
		Header: http.Header{"Accept": {"text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"}},
	})
	if err != nil {
		return p, pageError(err)
	}
	if res.Status != http.StatusOK {
		return p, core.New(core.BadGateway, "upstream_error", "The page answered with the status %d.", res.Status)
	}
	p = readPreview(res.URL, res.Header.Get("Content-Type"), res.Body)
	p.URL, p.FetchedAt = key, s.db.Now()
	if full != nil {
		return p, nil
	}
	return s.storePreview(ctx, p)
}

// storePreview stores a preview in the place of old ones.
func (s *Service) storePreview(ctx context.Context, p store.LinkPreview) (store.LinkPreview, error) {
	var behind store.Time
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		behind, err = r.LinkPreviewBehind(MaxPreviews - 1)
		return err
	})
	if err != nil {
		return p, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		if behind != 0 {
			if _, err := tx.PruneLinkPreviews(behind+1, previewsDropped); err != nil {
				return err
			}
		}
		p, err = tx.PutLinkPreview(p)
		return err
	})
	return p, err
}

// pageError returns what a failed request is answered with.
func pageError(err error) error {
	switch {
	case errors.Is(err, fetch.ErrURL), errors.Is(err, fetch.ErrBlocked):
		return errBlocked(err)
	case fetch.Timeout(err):
		return core.New(core.BadGateway, "upstream_timeout", "The page did not answer within %d seconds.", int(previewTimeout/time.Second))
	}
	return core.New(core.BadGateway, "upstream_error", "The page could not be read. Check the address.")
}

func errBlocked(err error) error {
	e := core.New(core.Invalid, "blocked_url", "This address has no preview: it must be a page on the public internet, and not of this server.")
	e.Field, e.Err = "url", err
	return e
}

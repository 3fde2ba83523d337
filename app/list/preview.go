package list

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/limit"
	"hearth/store"
)

const (
	previewTime      = 24 * time.Hour // lifetime of a preview
	previewTimeout   = 5 * time.Second
	previewMax       = 512 << 10 // bytes read, after decompression
	previewRedirects = 3
	previewsAtOnce   = 8 // concurrent requests
	previewsOfOne    = 2 // for one network, and for one person with their bots
)

// LinkPreviewIn is the input of PreviewLink.
type LinkPreviewIn struct {
	URL string `query:"url" json:"-" required:"true" max:"2048" doc:"The address of a page, with http:// or https://."`
}

// LinkPreview is a page's description of itself. Missing values are null.
type LinkPreview struct {
	URL         string     `json:"url" doc:"As it was requested, without a fragment."`
	Title       *string    `json:"title"`
	Description *string    `json:"description"`
	Image       *string    `json:"image" doc:"The address of a picture, on any server."`
	SiteName    *string    `json:"siteName"`
	FetchedAt   store.Time `json:"fetchedAt" doc:"When the page was read. It is read again after 24 hours."`
}

func previewOf(p store.LinkPreview) LinkPreview {
	return LinkPreview{URL: p.URL, Title: core.OrNil(p.Title), Description: core.OrNil(p.Description), Image: core.OrNil(p.Image),
		SiteName: core.OrNil(p.SiteName), FetchedAt: p.FetchedAt}
}

type previews struct {
	fetch  *fetch.Client
	places *limit.Slots       // by network and person; "" in the background
	runs   singleflight.Group // by storage key
}

// previewLink returns a preview read within 24 hours. If the page fails, it returns an older preview or
// BadGateway. It returns Invalid with blocked_url for addresses off the public internet, and for this server.
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

// StoredPreview returns the stored preview of an item's link without a request. An expired preview is
// refreshed in the background. It reports whether there is one.
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
			go s.readPage(context.Background(), key, address, unasked) // for the next caller
		}
		if p.FetchedAt < asked.FetchedAt {
			p = asked
		}
	}
	p.URL = address
	return previewOf(p), err == nil && (p.Title != "" || p.Description != "")
}

// listPreview returns the storage key of a preview that a list requested. It is not shown elsewhere: its
// existence would reveal that a private list has the link.
func listPreview(listID, address string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(listID+" "+address)))
}

func (s *Service) storedPreview(ctx context.Context, key string) (p store.LinkPreview, fresh bool, err error) {
	p, err = store.Get(ctx, s.db, func(r *store.Reader) (store.LinkPreview, error) { return r.LinkPreview(key) })
	return p, err == nil && s.db.Now() < p.FetchedAt.Add(previewTime), store.Optional(err)
}

const unasked = ""

// readPage requests a page on the quotas of by, and stores its preview. Concurrent calls with a key share a
// request, which goes on for the others if the first caller leaves.
func (s *Service) readPage(ctx context.Context, key, address string, by ...string) (p store.LinkPreview, err error) {
	run := s.previews.runs.DoChan(key, func() (any, error) { return s.request(key, address, by) })
	select {
	case r := <-run:
		return r.Val.(store.LinkPreview), r.Err
	case <-ctx.Done():
		return p, ctx.Err()
	}
}

// request reads a page unless a preview is current, because another request may have ended meanwhile. With full
// storage it stores nothing, and reads no page in the background.
func (s *Service) request(key, address string, by []string) (p store.LinkPreview, err error) {
	ctx := context.Background()
	if s.previews.fetch == nil {
		return p, core.New(core.BadGateway, "upstream_error", "This server reads no pages.")
	}
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
	if full == nil {
		err = s.db.Write(ctx, func(tx *store.Tx) error { return tx.PutLinkPreview(p) })
	}
	return p, err
}

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
	e := core.New(core.Invalid, "blocked_url",
		"This address has no preview: it must be a page on the public internet, and not of this server.")
	e.Field, e.Err = "url", err
	return e
}

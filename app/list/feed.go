package list

import (
	"context"
	"encoding/xml"
	"sort"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

const feedItems = 50

// Feed has the last items of a list, for feed readers.
type Feed struct {
	List  List
	Items []Item // newest first
	Base  string // prefix of addresses, without a final slash; set by the caller
}

func feed(r *store.Reader, by store.Viewer, in GetListIn) (f Feed, err error) {
	l, err := r.List(by, in.ID)
	if err != nil {
		return f, err
	}
	from := max(0, l.ItemCount-feedItems) // new items are added at the end
	rows, err := r.Items(by, in.ID, feedItems, from)
	f.List, f.Items = listOf(l), itemsOf(rows, from)
	sort.SliceStable(f.Items, func(i, j int) bool { return f.Items[i].CreatedAt > f.Items[j].CreatedAt })
	return f, err
}

func (f Feed) address() string { return f.Base + "/list/" + f.List.ID }

func (f Feed) itemAddress(i Item) string { return f.address() + "/item/" + i.ID }

func itemTitle(i Item) string {
	first, _, _ := strings.Cut(i.Content, "\n")
	if short := core.FirstRunes(first, 100); short != first {
		return short + "…"
	}
	return first
}

type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle,omitempty"`
	Updated  string      `xml:"updated"`
	Author   string      `xml:"author>name"`
	Links    []atomLink  `xml:"link"`
	Entries  []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string     `xml:"id"`
	Title     string     `xml:"title"`
	Published string     `xml:"published"`
	Updated   string     `xml:"updated"`
	Author    string     `xml:"author>name"`
	Links     []atomLink `xml:"link"`
	Content   string     `xml:"content"`
}

// Atom returns the feed as Atom (RFC 4287).
func (f Feed) Atom() ([]byte, error) {
	out := atomFeed{ID: "urn:uuid:" + f.List.ID, Title: xmlText(f.List.Title), Subtitle: xmlText(f.List.Description),
		Updated: f.List.UpdatedAt.String(), Author: xmlText(f.List.OwnerName),
		Links: []atomLink{{"self", "application/atom+xml", f.address() + "/feed.atom"}, {"alternate", "text/html", f.address()}}}
	for _, i := range f.Items {
		e := atomEntry{ID: "urn:uuid:" + i.ID, Title: xmlText(itemTitle(i)), Published: i.CreatedAt.String(), Updated: i.UpdatedAt.String(),
			Author: xmlText(i.AuthorName), Links: []atomLink{{"alternate", "text/html", f.itemAddress(i)}}, Content: xmlText(i.Content)}
		if i.SourceURL != nil {
			e.Links = append(e.Links, atomLink{Rel: "related", Href: *i.SourceURL})
		}
		out.Entries = append(out.Entries, e)
	}
	return xmlFile(out)
}

func xmlFile(v any) ([]byte, error) {
	b, err := xml.MarshalIndent(v, "", "  ")
	return append([]byte(xml.Header), append(b, '\n')...), err
}

// xmlText removes characters that XML cannot represent.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && !strings.ContainsRune("\t\n\r", r) || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s)
}

type jsonFeed struct {
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	Description string         `json:"description,omitzero"`
	HomePageURL string         `json:"home_page_url"`
	FeedURL     string         `json:"feed_url"`
	Authors     []jsonPerson   `json:"authors"`
	Items       []jsonFeedItem `json:"items"`
}

type jsonPerson struct {
	Name string `json:"name"`
}

type jsonFeedItem struct {
	ID            string       `json:"id"`
	URL           string       `json:"url"`
	ExternalURL   *string      `json:"external_url,omitzero"`
	Title         string       `json:"title"`
	ContentText   string       `json:"content_text"`
	DatePublished store.Time   `json:"date_published"`
	DateModified  store.Time   `json:"date_modified"`
	Authors       []jsonPerson `json:"authors"`
}

// JSON returns the feed as JSON Feed 1.1.
func (f Feed) JSON() ([]byte, error) {
	out := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: f.List.Title, Description: f.List.Description,
		HomePageURL: f.address(), FeedURL: f.address() + "/feed.json", Authors: []jsonPerson{{f.List.OwnerName}}}
	out.Items = core.Map(f.Items, func(i Item) jsonFeedItem {
		return jsonFeedItem{ID: i.ID, URL: f.itemAddress(i), ExternalURL: i.SourceURL, Title: itemTitle(i), ContentText: i.Content,
			DatePublished: i.CreatedAt, DateModified: i.UpdatedAt, Authors: []jsonPerson{{i.AuthorName}}}
	})
	b, err := json.Marshal(out)
	return append(b, '\n'), err
}

const maxSitemap = 5000

// Sitemap returns the latest public lists as a sitemap.
func (s *Service) Sitemap(ctx context.Context, base string) ([]byte, error) {
	type address struct {
		Loc     string `xml:"loc"`
		Changed string `xml:"lastmod"`
	}
	type sitemap struct {
		XMLName xml.Name  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []address `xml:"url"`
	}
	var out sitemap
	err := s.db.ReadLong(ctx, func(r *store.Reader) error {
		lists, _, err := r.Lists(store.Viewer{}, store.PublicLists, maxSitemap, 0)
		out.URLs = core.Map(lists, func(l store.List) address { return address{base + listOf(l).Path(), l.UpdatedAt.String()} })
		return err
	})
	if err != nil {
		return nil, err
	}
	return xmlFile(out)
}

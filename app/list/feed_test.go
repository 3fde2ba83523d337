package list_test

import (
	"context"
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// A feed has the newest item first, wherever that is in the list, and the addresses of
// the list, its items and what they link to.
func TestFeedOrderAndAddresses(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public)
	for _, content := range []string{"old", "newer", "newest"} {
		w.db.Clock.Advance(time.Minute)
		w.add("owner", l.ID, content)
	}
	items := w.items(l.ID)
	in := list.UpdateItemIn{ListID: l.ID, ItemID: items[2].ID, Link: core.Some("https://a.example/x"), Position: core.Some(0)}
	if _, err := w.UpdateItem.Call(t.Context(), w.who["owner"], in); err != nil {
		t.Fatal(err)
	}
	feed, err := w.Feed.Call(t.Context(), store.Viewer{}, list.GetListIn{ID: l.ID})
	if err != nil {
		t.Fatal(err)
	}
	feed.Base = "https://hearth.example"
	base := feed.Base + "/list/" + l.ID
	want := []string{base, "newest " + base + "/item/" + items[2].ID + " https://a.example/x", "newer " + base + "/item/" + items[1].ID + " ",
		"old " + base + "/item/" + items[0].ID + " "}
	if got := atomOf(t, feed); !slices.Equal(got, slices.Insert(slices.Clone(want), 0, base+"/feed.atom")) {
		t.Errorf("Atom has %q", got)
	}
	if got := jsonFeedOf(t, feed); !slices.Equal(got, slices.Insert(want, 0, base+"/feed.json")) {
		t.Errorf("JSON has %q", got)
	}
	if _, err := w.Feed.Call(t.Context(), store.Viewer{}, list.GetListIn{ID: store.NewID()}); code(err) != "not_found" {
		t.Errorf("of no list: %v", err)
	}
}

// atomOf returns the addresses of a feed as Atom, of itself and of the list, and then
// for each entry its title, its address and what it links to.
func atomOf(t *testing.T, f list.Feed) (all []string) {
	t.Helper()
	type link struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	var feed struct {
		Links   []link `xml:"link"`
		Entries []struct {
			Title string `xml:"title"`
			Links []link `xml:"link"`
		} `xml:"entry"`
	}
	text, err := f.Atom()
	if err == nil {
		err = xml.Unmarshal(text, &feed)
	}
	if err != nil {
		t.Fatal(err)
	}
	of := func(links []link, rel string) string {
		for _, l := range links {
			if l.Rel == rel {
				return l.Href
			}
		}
		return ""
	}
	all = append(all, of(feed.Links, "self"), of(feed.Links, "alternate"))
	for _, e := range feed.Entries {
		all = append(all, e.Title+" "+of(e.Links, "alternate")+" "+of(e.Links, "related"))
	}
	return all
}

// jsonFeedOf is atomOf for the feed as JSON.
func jsonFeedOf(t *testing.T, f list.Feed) (all []string) {
	t.Helper()
	var feed struct {
		Home  string `json:"home_page_url"`
		Self  string `json:"feed_url"`
		Items []struct {
			Title    string `json:"title"`
			URL      string `json:"url"`
			External string `json:"external_url"`
		} `json:"items"`
	}
	text, err := f.JSON()
	if err == nil {
		err = json.Unmarshal(text, &feed)
	}
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, feed.Self, feed.Home)
	for _, i := range feed.Items {
		all = append(all, i.Title+" "+i.URL+" "+i.External)
	}
	return all
}

// A sitemap has the public lists, up to 5,000, with the newest change first.
func TestSitemap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	locations := func() (all []string) {
		t.Helper()
		var sitemap struct {
			URLs []struct {
				Loc     string `xml:"loc"`
				Changed string `xml:"lastmod"`
			} `xml:"url"`
		}
		text, err := w.Sitemap(t.Context(), "https://hearth.example")
		if err == nil {
			err = xml.Unmarshal(text, &sitemap)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range sitemap.URLs {
			all = append(all, u.Loc+" "+u.Changed)
		}
		return all
	}
	var want []string
	for _, visibility := range []string{list.Public, list.Private, list.Unlisted, list.PublicEdit} {
		if l := w.list(visibility); strings.HasPrefix(visibility, "public") {
			want = slices.Insert(want, 0, "https://hearth.example"+l.Path()+" "+l.UpdatedAt.String())
		}
	}
	if got := locations(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		for range 4999 {
			if _, err := tx.InsertList(store.List{OwnerID: w.cast.Ada.ID, Title: "x", Slug: "x", Visibility: list.Public}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := locations(); len(got) != 5000 {
		t.Errorf("%d addresses", len(got))
	}
}

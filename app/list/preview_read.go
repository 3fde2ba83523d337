package list

import (
	"bytes"
	"io"
	"mime"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/store"
)

// Characters of a page's texts that are stored.
const (
	maxPreviewTitle = 200
	maxPreviewText  = 500
)

// readPreview reads HTML up to the end of its head. Other types have only a file name.
func readPreview(u *url.URL, contentType string, body []byte) (p store.LinkPreview) {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml" || kind == "" && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		p = headOf(u, contentType, body)
	case strings.HasPrefix(kind, "image/"):
		p.Image = u.String()
	}
	if name := path.Base(u.Path); p.Title == "" && kind != "text/html" && name != "/" && name != "." {
		p.Title = plainText(name, maxPreviewTitle)
	}
	if p.SiteName == "" {
		p.SiteName = strings.TrimPrefix(u.Hostname(), "www.")
	}
	return p
}

func headOf(u *url.URL, contentType string, body []byte) (p store.LinkPreview) {
	text, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		text = bytes.NewReader(body)
	}
	meta, title := metaOf(text)
	first := func(max int, names ...string) string {
		for _, n := range names {
			if v := plainText(meta[n], max); v != "" {
				return v
			}
		}
		return ""
	}
	if p.Title = first(maxPreviewTitle, "og:title", "twitter:title"); p.Title == "" {
		p.Title = plainText(title, maxPreviewTitle)
	}
	p.Description = first(maxPreviewText, "og:description", "description", "twitter:description")
	p.SiteName = first(maxPreviewTitle, "og:site_name", "application-name")
	p.Image = imageOf(u, first(previewMax, "og:image:secure_url", "og:image", "twitter:image")) // an address is not shortened
	return p
}

// metaOf returns the first value of each meta element, by name in lower case, and the title.
func metaOf(r io.Reader) (meta map[string]string, title string) {
	meta = map[string]string{}
	z := html.NewTokenizer(r)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return meta, title
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Body:
				return meta, title
			case atom.Meta:
				addMeta(meta, t.Attr)
			case atom.Title:
				if title == "" && z.Next() == html.TextToken {
					title = z.Token().Data
				}
			}
		case html.EndTagToken:
			if z.Token().DataAtom == atom.Head {
				return meta, title
			}
		}
	}
}

func addMeta(meta map[string]string, attrs []html.Attribute) {
	var name, content string
	for _, a := range attrs {
		switch a.Key {
		case "property", "name":
			if name == "" {
				name = strings.ToLower(strings.TrimSpace(a.Val))
			}
		case "content":
			content = a.Val
		}
	}
	if _, ok := meta[name]; !ok && name != "" {
		meta[name] = content
	}
}

func imageOf(page *url.URL, ref string) string {
	if ref == "" {
		return ""
	}
	u, err := page.Parse(ref)
	if err != nil || !fetch.IsWeb(u) || u.User != nil || len(u.String()) > store.MaxPreviewImage {
		return ""
	}
	return u.String()
}

// plainText returns at most max characters in one line, without control characters.
func plainText(s string, max int) string {
	s = oneLine(strings.ToValidUTF8(s, "\ufffd"))
	if short := core.FirstRunes(s, max-1); core.FirstRunes(s, max) != s {
		return oneLine(short) + "…"
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(core.Plain(s)), " ") }

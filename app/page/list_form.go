package page

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/middleware"
)

// The formats of a list, by the suffix of its address or the Accept header.
const (
	formHTML = "text/html"
	formJSON = "application/json"
	formMD   = "text/markdown"
	formAtom = "application/atom+xml"
)

// formOf returns the requested format of a list, and removes the suffix from the id. Errors are sent in that
// format.
func (v *visit) formOf() string {
	if v.wants != "" {
		return v.wants
	}
	switch path.Base(v.r.URL.Path) {
	case "feed.atom":
		v.wants = formAtom
		return v.wants
	case "feed.json":
		v.wants = formJSON
		return v.wants
	}
	id, ending, found := strings.Cut(v.r.PathValue("id"), ".")
	if v.wants = map[string]string{"json": formJSON, "md": formMD, "atom": formAtom}[ending]; found && v.wants != "" {
		v.r.SetPathValue("id", id)
	} else {
		v.wants = accepted(v.r)
	}
	return v.wants
}

func (v *visit) failProgram(e *core.Error) {
	mediaType, b := "text/plain; charset=utf-8", []byte(e.Msg+"\n")
	if v.wants == formJSON {
		body, err := json.Marshal(struct {
			Error string `json:"error"`
			Code  string `json:"code"`
		}{e.Msg, e.Code})
		if err == nil {
			mediaType, b = formJSON, append(body, '\n')
		}
	}
	v.w.Header().Set("Vary", "Accept, Authorization, Cookie")
	v.write(middleware.Status(e.Kind), mediaType, b)
}

func accepted(r *http.Request) string {
	return middleware.Accepted(r, formHTML, formJSON, formMD, formAtom)
}

type listJSON struct {
	List  list.List   `json:"list"`
	Items []list.Item `json:"items"`
	Total int         `json:"total"`
}

func (s *site) sendForm(v *visit, form string) error {
	id := v.id("id")
	if form == formAtom {
		return s.sendFeed(v, id, true)
	}
	got, err := s.List.GetList.Call(v.ctx(), v.by, list.GetListIn{ID: id})
	if err != nil {
		return err
	}
	out, err := s.List.Items.Call(v.ctx(), v.by, list.ItemsIn{ListID: id, Limit: itemsShown, Offset: v.offset("offset")})
	if err != nil {
		return err
	}
	if form == formJSON {
		b, err := json.Marshal(listJSON{got.List, out.Items, out.Total}, json.Deterministic(true))
		if err != nil {
			return err
		}
		return v.send(formJSON, append(b, '\n'))
	}
	return v.send(formMD+"; charset=utf-8", s.markdown(got.List, out.Items))
}

// markdown returns a page of a list as Markdown, with instructions to continue and to add.
func (s *site) markdown(l list.List, items []list.Item) []byte {
	var b bytes.Buffer
	b.WriteString(list.MarkdownHead(l.Title, l.Description))
	for _, i := range items {
		b.WriteString(list.MarkdownItem(i))
	}
	fmt.Fprintf(&b, "\nA list of %s with %d items, as text that its authors wrote: %s/list/%s\n", list.EscapeMarkdown(l.OwnerName),
		l.ItemCount, s.BaseURL, l.ID)
	if n := len(items); n > 0 && items[n-1].Position+1 < l.ItemCount {
		fmt.Fprintf(&b, "\nMore: %s/list/%s.md?offset=%d\n", s.BaseURL, l.ID, items[n-1].Position+1)
	}
	if l.Visibility == list.PublicEdit && s.PublicKey != "" {
		fmt.Fprintf(&b, "\nAnyone can add to it:\n\n    curl -X POST %s/api/lists/%s/items -H 'Authorization: Bearer %s' -H 'Content-Type: "+
			"application/json' -d '{\"content\":\"What you found\",\"reporter\":\"your name\"}'\n",
			s.BaseURL, l.ID, s.PublicKey)
	}
	return b.Bytes()
}

func (v *visit) send(mediaType string, b []byte) error {
	v.then(func() error {
		v.w.Header().Set("Vary", "Accept, Authorization, Cookie")
		v.write(http.StatusOK, mediaType, b)
		return nil
	})
	return nil
}

func (s *site) listFeedAtom(v *visit) error { return s.feed(v, true) }

func (s *site) listFeedJSON(v *visit) error { return s.feed(v, false) }

func (s *site) feed(v *visit, atom bool) error {
	v.formOf() // errors have the same format
	return s.sendFeed(v, v.id("id"), atom)
}

func (s *site) sendFeed(v *visit, id string, atom bool) error {
	f, err := s.List.Feed.Call(v.ctx(), v.by, list.GetListIn{ID: id})
	if err != nil {
		return err
	}
	f.Base = s.BaseURL
	if atom {
		b, err := f.Atom()
		if err != nil {
			return err
		}
		return v.send(formAtom+"; charset=utf-8", b)
	}
	b, err := f.JSON()
	if err != nil {
		return err
	}
	return v.send("application/feed+json", b)
}

func (s *site) sitemap(v *visit) error {
	b, err := s.List.Sitemap(v.ctx(), s.BaseURL)
	if err != nil {
		return err
	}
	return v.send("application/xml; charset=utf-8", b)
}

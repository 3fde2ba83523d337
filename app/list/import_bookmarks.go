package list

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"hearth/app/core"
)

const maxFolder = 500 // characters of a folder's path

// bookmarkTags are the elements that end the text before them. Others, such as bold ones, are part of it.
var bookmarkTags = []atom.Atom{atom.Title, atom.H1, atom.H3, atom.A, atom.Dd, atom.Dl, atom.Dt, atom.Hr}

type bookmarks struct {
	list    Portable
	folders []string  // the whole path of each that is open
	in      atom.Atom // the element of text; 0 for none
	link    string    // of the element
	text    strings.Builder
}

// parseBookmarks reads bookmarks of a browser (NETSCAPE-Bookmark-file-1). Each web link is an item, with its
// folders as metadata and its description as the note.
func parseBookmarks(data []byte) Portable {
	var b bookmarks
	z := html.NewTokenizer(bytes.NewReader(data))
	for !b.list.isFull() {
		switch z.Next() {
		case html.ErrorToken:
			b.flush()
			return b.list
		case html.TextToken:
			if b.in != 0 {
				b.text.Write(z.Text())
			}
		default:
			b.tag(z.Token())
		}
	}
	return b.list
}

func (b *bookmarks) tag(t html.Token) {
	if t.DataAtom == atom.Br || t.DataAtom == atom.P {
		b.text.WriteByte(' ')
	}
	if !slices.Contains(bookmarkTags, t.DataAtom) {
		return
	}
	b.flush()
	if t.Type != html.EndTagToken {
		b.in, b.link = t.DataAtom, ""
		for _, a := range t.Attr {
			if a.Key == "href" {
				b.link = a.Val
			}
		}
	} else if t.DataAtom == atom.Dl && len(b.folders) > 0 {
		b.folders = b.folders[:len(b.folders)-1]
	}
}

// flush ends the text of an element.
func (b *bookmarks) flush() {
	s := strings.Join(strings.Fields(b.text.String()), " ")
	b.text.Reset()
	switch n := len(b.list.Items); {
	case (b.in == atom.H1 || b.in == atom.Title) && s != "":
		b.list.Title = core.FirstRunes(s, 200)
	case b.in == atom.H3:
		if n := len(b.folders); n > 0 {
			s = b.folders[n-1] + " / " + s
		}
		b.folders = append(b.folders, core.FirstRunes(s, maxFolder))
	case b.in == atom.A:
		b.add(s)
	case b.in == atom.Dd && n > 0 && s != "":
		b.list.Items[n-1].SourceNote = core.FirstRunes(s, 200)
	}
	b.in = 0
}

// add ignores links that are not of the web, such as scripts.
func (b *bookmarks) add(title string) {
	if !core.ValidFormat("url", b.link) || utf8.RuneCountInString(b.link) > 2048 {
		return
	}
	i := PortableItem{Content: core.FirstRunes(title, 2000), Link: b.link}
	if i.Content == "" {
		i.Content = core.FirstRunes(b.link, 2000)
	}
	if n := len(b.folders); n > 0 {
		i.Metadata, _ = json.Marshal(map[string]string{"folder": b.folders[n-1]}) // valid UTF-8
	}
	b.list.Items = append(b.list.Items, i)
}

package list

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"hearth/app/core"
)

const (
	maxToken  = 1 << 20 // bytes of a tag with its attributes, possibly with a picture
	maxFolder = 500     // characters of a folder's path
)

// parseBookmarks reads bookmarks of a browser (NETSCAPE-Bookmark-file-1). Each web link is an item, with its
// folders as metadata and its description as the note.
func parseBookmarks(data []byte) (Portable, error) {
	b := bookmarks{z: html.NewTokenizer(bytes.NewReader(data))}
	b.z.SetMaxBuf(maxToken)
	for !b.list.isFull() {
		switch b.z.Next() {
		case html.ErrorToken:
			b.flush()
			if !errors.Is(b.z.Err(), io.EOF) {
				return b.list, badImport("a bookmark in it is longer than 1 MiB")
			}
			return b.list, nil
		case html.TextToken:
			if b.at != 0 {
				b.text.Write(b.z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			b.start()
		case html.EndTagToken:
			b.end()
		}
	}
	return b.list, nil // refused later
}

type bookmarks struct {
	z       *html.Tokenizer
	list    Portable
	folders []*folder // the current path
	at      atom.Atom // element of the current text; 0 for none
	text    strings.Builder
	link    string // of the element
}

type folder struct {
	name string // the whole path
	meta jsontext.Value
}

// start ignores elements within a text, such as bold ones.
func (b *bookmarks) start() {
	name, more := b.z.TagName()
	tag := atom.Lookup(name)
	if tag == atom.Br || tag == atom.P {
		b.text.WriteByte(' ')
	}
	if !isBookmarkTag(tag) {
		return
	}
	b.flush()
	b.at, b.link = tag, ""
	for more {
		var key, value []byte
		if key, value, more = b.z.TagAttr(); string(key) == "href" {
			b.link = string(value)
		}
	}
}

func (b *bookmarks) end() {
	name, _ := b.z.TagName()
	tag := atom.Lookup(name)
	if !isBookmarkTag(tag) {
		return
	}
	b.flush()
	if tag == atom.Dl && len(b.folders) > 0 {
		b.folders = b.folders[:len(b.folders)-1]
	}
}

func isBookmarkTag(a atom.Atom) bool {
	switch a {
	case atom.Title, atom.H1, atom.H3, atom.A, atom.Dd, atom.Dl, atom.Dt, atom.Hr:
		return true
	}
	return false
}

func (b *bookmarks) flush() {
	s := strings.Join(strings.Fields(b.text.String()), " ")
	b.text.Reset()
	switch b.at {
	case atom.H1, atom.Title:
		if s != "" {
			b.list.Title = core.FirstRunes(s, 200)
		}
	case atom.H3:
		b.enter(s)
	case atom.A:
		b.add(s)
	case atom.Dd:
		if n := len(b.list.Items); n > 0 && s != "" {
			s = core.FirstRunes(s, 200)
			b.list.Items[n-1].SourceNote = s
			b.list.size += len(s)
		}
	}
	b.at = 0
}

// enter enters a folder. A long path keeps only its outer folders.
func (b *bookmarks) enter(name string) {
	if n := len(b.folders); n > 0 {
		outer := b.folders[n-1]
		if utf8.RuneCountInString(outer.name) >= maxFolder {
			b.folders = append(b.folders, outer)
			return
		}
		name = outer.name + " / " + name
	}
	f := &folder{name: core.FirstRunes(name, maxFolder)}
	if meta, err := json.Marshal(map[string]string{"folder": f.name}); err == nil {
		f.meta = meta
	}
	b.folders = append(b.folders, f)
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
		i.Metadata = b.folders[n-1].meta
	}
	b.list.add(i)
}

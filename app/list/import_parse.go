package list

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"hearth/app/core"
)

// parsePortable reads a list in one of the formats of Import.
func parsePortable(format string, data []byte) (p Portable, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return p, badImport("it is not UTF-8")
	}
	switch format {
	case "json":
		if json.Unmarshal(data, &p) != nil || p.Schema != exportSchema {
			return p, badImport("it is not a list as it is exported: an object with the schema %s", exportSchema)
		}
	case "csv":
		p, err = parseCSV(data)
	case "md":
		p = parseMarkdown(string(data))
	case "bookmarks":
		p = parseBookmarks(data)
	}
	if err == nil && p.Title == "" {
		p.Title = "Imported list"
	}
	if err == nil && len(p.Items) == 0 && format != "json" {
		err = badImport("no item was found in it")
	}
	return p, err
}

// FormatOf returns the format of Import that a list is probably in.
func FormatOf(data string) string {
	data = strings.TrimSpace(strings.TrimPrefix(data, "\ufeff"))
	first, _, _ := strings.Cut(data, "\n")
	switch {
	case strings.HasPrefix(data, "{"):
		return "json"
	case strings.HasPrefix(data, "<!") || strings.HasPrefix(data, "<D") || strings.HasPrefix(data, "<d") || strings.HasPrefix(data, "<h") || strings.HasPrefix(data, "<H"):
		return "bookmarks"
	case slices.ContainsFunc(strings.Split(first, ","), func(h string) bool { return strings.EqualFold(strings.Trim(h, " \"\r"), "content") }):
		return "csv"
	}
	return "md"
}

func badImport(why string, args ...any) error {
	return core.New(core.Invalid, "bad_import", "This list cannot be imported: "+why+".", args...)
}

// parseCSV reads a list as CSV, of which the first row names the columns. Columns
// with other names are ignored. With a column checked, items can be checked off.
func parseCSV(data []byte) (p Portable, err error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		return p, badImport("its first row must name the columns: %s", strings.Join(csvColumns, ", "))
	}
	index := func(name string) int {
		return slices.IndexFunc(head, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
	}
	column := func(row []string, name string) string {
		n := index(name)
		if n < 0 || n >= len(row) {
			return ""
		}
		return csvPlain(row[n])
	}
	if index("content") < 0 {
		return p, badImport("it has no column content")
	}
	p.Checkable = index(checkedColumn) >= 0
	for {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case err != nil:
			return p, badImport("it is not CSV behind row %d", len(p.Items)+1)
		case len(p.Items) > maxItems:
			return p, nil // which is refused
		}
		i := PortableItem{Content: column(row, "content"), Link: column(row, "link"), SourceNote: column(row, "source_note"),
			Checked: isYes(column(row, checkedColumn))}
		if m := column(row, "metadata"); m != "" {
			i.Metadata = jsontext.Value(m)
		}
		p.Items = append(p.Items, i)
	}
}

// isYes reports whether the text of a column is one of those that programs write
// for yes.
func isYes(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "x", "1":
		return true
	}
	return false
}

// csvPlain undoes csvText.
func csvPlain(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && rest != "" && strings.ContainsRune("=+-@\t\r'", rune(rest[0])) {
		return rest
	}
	return s
}

var (
	mdEntry = regexp.MustCompile(`^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.+)$`)
	mdLink  = regexp.MustCompile(`^\[((?:[^\\\]]|\\.)*)\]\(<?(https?://[^\s<>]+?)>?\)(?:\s+—\s+(.*))?$`)
	mdURL   = regexp.MustCompile(`^<?(https?://[^\s<>]+)>?$`)
	mdHead  = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
)

// parseMarkdown reads the entries of lists in Markdown as items, the first heading
// as the title, and the text between both as the description. Entries within
// entries become items, too. With tasks among them, items can be checked off.
func parseMarkdown(text string) (p Portable) {
	var about []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		m := mdEntry.FindStringSubmatch(line)
		h := mdHead.FindStringSubmatch(line)
		switch {
		case m != nil:
			i := markdownEntry(m[3])
			i.Checked, p.Checkable = strings.EqualFold(m[2], "x"), p.Checkable || m[2] != ""
			p.Items = append(p.Items, i)
		case h != nil && p.Title == "":
			p.Title = core.FirstRunes(plainMarkdown(h[1]), 200)
		case line == "" || h != nil:
		case len(p.Items) == 0:
			about = append(about, plainMarkdown(strings.TrimSpace(line)))
		case strings.HasPrefix(line, "  "): // the entry goes on
			last := &p.Items[len(p.Items)-1]
			last.Content += "\n" + plainMarkdown(strings.TrimSpace(line))
		}
	}
	p.Description = core.FirstRunes(strings.Join(about, "\n"), 2000)
	return p
}

func markdownEntry(text string) PortableItem {
	if m := mdLink.FindStringSubmatch(text); m != nil {
		i := PortableItem{Content: plainMarkdown(m[1]), Link: m[2], SourceNote: plainMarkdown(m[3])}
		if i.Content == "" {
			i.Content = i.Link
		}
		return i
	}
	if m := mdURL.FindStringSubmatch(text); m != nil {
		return PortableItem{Content: m[1], Link: m[1]}
	}
	return PortableItem{Content: plainMarkdown(text)}
}

var mdEscape = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

// plainMarkdown undoes escapes.
func plainMarkdown(s string) string { return mdEscape.ReplaceAllString(s, "$1") }

// parseBookmarks reads the file that browsers export bookmarks to
// (NETSCAPE-Bookmark-file-1): each link to the web becomes an item, with its
// folders as metadata and its description as the note.
func parseBookmarks(data []byte) (p Portable) {
	z := html.NewTokenizer(bytes.NewReader(data))
	var folders []string
	var at atom.Atom // whose text is read
	var text strings.Builder
	var link string
	flush := func() {
		s := strings.Join(strings.Fields(text.String()), " ")
		text.Reset()
		switch at {
		case atom.H1, atom.Title:
			if s != "" {
				p.Title = core.FirstRunes(s, 200)
			}
		case atom.H3:
			folders = append(folders, s)
		case atom.A:
			p.addBookmark(s, link, folders)
		case atom.Dd:
			if n := len(p.Items); n > 0 && s != "" {
				p.Items[n-1].SourceNote = core.FirstRunes(s, 200)
			}
		}
		at = 0
	}
	for {
		switch z.Next() {
		case html.ErrorToken:
			flush()
			return p
		case html.TextToken:
			if at != 0 {
				text.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.P || t.DataAtom == atom.Br {
				continue
			}
			flush()
			at, link = t.DataAtom, ""
			for _, a := range t.Attr {
				if a.Key == "href" {
					link = a.Val
				}
			}
		case html.EndTagToken:
			end := z.Token().DataAtom
			flush()
			if end == atom.Dl && len(folders) > 0 {
				folders = folders[:len(folders)-1]
			}
		}
	}
}

// addBookmark adds a link to the web; others, such as scripts, are left out.
func (p *Portable) addBookmark(title, link string, folders []string) {
	if !strings.HasPrefix(link, "http://") && !strings.HasPrefix(link, "https://") || len(link) > 2048 {
		return
	}
	i := PortableItem{Content: core.FirstRunes(title, 2000), Link: link}
	if i.Content == "" {
		i.Content = core.FirstRunes(link, 2000)
	}
	if len(folders) > 0 {
		if b, err := json.Marshal(map[string]string{"folder": strings.Join(folders, " / ")}); err == nil && len(b) < 10000 {
			i.Metadata = b
		}
	}
	p.Items = append(p.Items, i)
}

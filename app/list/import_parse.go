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

	"hearth/app/core"
)

func parsePortable(format string, data []byte) (p Portable, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return p, badImport("it is not UTF-8")
	}
	switch format {
	case "json":
		if json.Unmarshal(data, &p, json.WithUnmarshalers(json.UnmarshalFromFunc(p.readItems))) != nil || p.Schema != exportSchema {
			return p, badImport("it is not a list as it is exported: an object with the schema %s", exportSchema)
		}
	case "csv":
		p, err = parseCSV(data)
	case "md":
		p = parseMarkdown(string(data))
	case "bookmarks":
		p, err = parseBookmarks(data)
	}
	if err == nil && p.Title == "" {
		p.Title = "Imported list"
	}
	if err == nil && len(p.Items) == 0 && format != "json" {
		err = badImport("no item was found in it")
	}
	return p, err
}

// FormatOf guesses the format of a list.
func FormatOf(data string) string {
	data = strings.TrimSpace(strings.TrimPrefix(data, "\ufeff"))
	first, _, _ := strings.Cut(data, "\n")
	switch {
	case strings.HasPrefix(data, "{"):
		return "json"
	case strings.HasPrefix(data, "<!") || strings.HasPrefix(data, "<D") || strings.HasPrefix(data, "<d") || strings.HasPrefix(data, "<h") ||
		strings.HasPrefix(data, "<H"):
		return "bookmarks"
	case slices.ContainsFunc(strings.Split(first, ","), func(h string) bool { return strings.EqualFold(strings.Trim(h, " \"\r"), "content") }):
		return "csv"
	}
	return "md"
}

func badImport(why string, args ...any) error {
	return core.New(core.Invalid, "bad_import", "This list cannot be imported: "+why+".", args...)
}

func (p *Portable) add(i PortableItem) {
	p.Items = append(p.Items, i)
	p.size += i.textSize()
}

func (i *PortableItem) textSize() int {
	return len(i.Content) + len(i.Link) + len(i.SourceNote) + len(i.Metadata)
}

// isFull reports whether p exceeds the limits of an import, so that reading can stop.
func (p *Portable) isFull() bool { return p.checkSize() != nil }

func (p *Portable) checkSize() error {
	switch {
	case len(p.Items) > maxItems:
		return core.InvalidField("items", "A list has at most 20,000 items, and this one has more. Split it.")
	case p.size > MaxImport:
		return core.New(core.TooLarge, "too_large",
			"The items of this list have more than %d MiB of text, with their links and folders. Split it.", MaxImport>>20)
	}
	return nil
}

// readItems stops after the first item over the limit.
func (p *Portable) readItems(dec *jsontext.Decoder, items *[]PortableItem) error {
	if dec.PeekKind() != '[' {
		return json.SkipFunc // null, or not a list
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if p.isFull() {
			if err := dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		var i PortableItem
		if err := json.UnmarshalDecode(dec, &i); err != nil {
			return err
		}
		p.add(i)
	}
	*items = p.Items
	_, err := dec.ReadToken()
	return err
}

// maxCommas is the limit of commas in a line of CSV. It exceeds the columns of any valid item.
const maxCommas = 20_000

// parseCSV reads a list as CSV with a header. Unknown columns are ignored. A column checked makes the list
// checkable.
func parseCSV(data []byte) (p Portable, err error) {
	if !bytes.Contains(data, []byte("\n")) {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n")) // line ends of old spreadsheets
	}
	for line := range bytes.Lines(data) {
		if bytes.Count(line, []byte(",")) > maxCommas {
			return p, badImport("a row of it has too many columns")
		}
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		return p, badImport("its first row must name the columns: %s", strings.Join(csvColumns, ", "))
	}
	columns := map[string]int{}
	for n, name := range head {
		if name = strings.ToLower(strings.TrimSpace(name)); columns[name] == 0 {
			columns[name] = n + 1
		}
	}
	if columns["content"] == 0 {
		return p, badImport("it has no column content")
	}
	p.Checkable = columns[checkedColumn] > 0
	for !p.isFull() {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return p, badImport("it is not CSV behind row %d", len(p.Items)+1)
		}
		column := func(name string) string {
			if n := columns[name]; n > 0 && n <= len(row) {
				return csvPlain(row[n-1])
			}
			return ""
		}
		i := PortableItem{Content: column("content"), Link: column("link"), SourceNote: column("source_note"),
			Checked: isYes(column(checkedColumn))}
		if m := column("metadata"); m != "" {
			i.Metadata = jsontext.Value(m)
		}
		p.add(i)
	}
	return p, nil // refused later
}

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

// parseMarkdown reads entries of lists as items, also nested ones. The first heading is the title, and the
// text below it the description. Tasks make the list checkable.
func parseMarkdown(text string) (p Portable) {
	var about, more lines // more continues the last entry
	blank := 0            // preceding empty lines
	end := func() {
		if more.began {
			p.Items[len(p.Items)-1].Content += "\n" + more.String()
			p.size += more.Len() + 1
			more = lines{}
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		var m, h []string
		switch start := strings.TrimLeft(line, " \t"); {
		case strings.HasPrefix(line, "#"):
			h = mdHead.FindStringSubmatch(line)
		case start != "" && strings.IndexByte("-*+0123456789", start[0]) >= 0:
			m = mdEntry.FindStringSubmatch(line)
		}
		switch {
		case m != nil:
			end()
			if p.isFull() {
				return p
			}
			i := markdownEntry(m[3])
			i.Checked, p.Checkable = strings.EqualFold(m[2], "x"), p.Checkable || m[2] != ""
			p.add(i)
		case h != nil && p.Title == "":
			p.Title = core.FirstRunes(plainMarkdown(h[1]), 200)
		case line == "":
			blank++
			continue
		case h != nil:
		case len(p.Items) == 0:
			if !about.began {
				blank = 0
			}
			about.line(blank, plainMarkdown(strings.TrimSpace(line)))
		case strings.HasPrefix(line, "  "): // continues the entry
			more.line(blank, plainMarkdown(strings.TrimSpace(line)))
		}
		blank = 0
	}
	end()
	p.Description = strings.Clone(core.FirstRunes(about.String(), 2000))
	return p
}

type lines struct {
	strings.Builder
	began bool
}

// line adds a line after some empty lines.
func (t *lines) line(empty int, s string) {
	if t.began {
		t.WriteByte('\n')
	}
	for range empty {
		t.WriteByte('\n')
	}
	t.WriteString(s)
	t.began = true
}

func markdownEntry(text string) PortableItem {
	if m := mdLink.FindStringSubmatch(text); m != nil && core.ValidFormat("url", m[2]) {
		i := PortableItem{Content: plainMarkdown(m[1]), Link: m[2], SourceNote: plainMarkdown(m[3])}
		if i.Content == "" {
			i.Content = i.Link
		}
		return i
	}
	if m := mdURL.FindStringSubmatch(text); m != nil && core.ValidFormat("url", m[1]) {
		return PortableItem{Content: m[1], Link: m[1]}
	}
	return PortableItem{Content: plainMarkdown(text)}
}

var mdEscape = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

func plainMarkdown(s string) string { return mdEscape.ReplaceAllString(s, "$1") }

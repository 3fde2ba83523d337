package list

import (
	"bytes"
	"cmp"
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
	p.Title = cmp.Or(p.Title, "Imported list")
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
	case len(data) > 1 && data[0] == '<' && strings.IndexByte("!DdHh", data[1]) >= 0:
		return "bookmarks"
	case slices.ContainsFunc(strings.Split(first, ","), func(h string) bool { return strings.EqualFold(strings.Trim(h, " \"\r"), "content") }):
		return "csv"
	}
	return "md"
}

func badImport(why string, args ...any) error {
	return core.New(core.Invalid, "bad_import", "This list cannot be imported: "+why+".", args...)
}

// isFull reports whether p has more items than a list can have, so that reading can stop.
func (p *Portable) isFull() bool { return len(p.Items) > maxItems }

// parseCSV reads a list as CSV with a header. Unknown columns are ignored. A column checked makes the list
// checkable.
func parseCSV(data []byte) (p Portable, err error) {
	if !bytes.Contains(data, []byte("\n")) {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n")) // line ends of old spreadsheets
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
		p.Items = append(p.Items, i)
	}
	return p, nil
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
	mdEntry = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.+)$`)
	mdLink  = regexp.MustCompile(`^\[((?:[^\\\]]|\\.)*)\]\(<?(https?://[^\s<>]+?)>?\)(?:\s+—\s+(.*))?$`)
	mdURL   = regexp.MustCompile(`^<?(https?://[^\s<>]+)>?$`)
	mdHead  = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
)

// parseMarkdown reads entries of lists as items, also nested ones. The first heading is the title, and the
// text below it the description. Tasks make the list checkable.
func parseMarkdown(text string) (p Portable) {
	var about, more []string // lines of the description, and of the last entry after its first
	blank := 0               // preceding empty lines
	end := func() {
		if len(more) > 0 {
			p.Items[len(p.Items)-1].Content += "\n" + strings.Join(more, "\n")
			more = nil
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		head, entry := mdHead.FindStringSubmatch(line), mdEntry.FindStringSubmatch(line)
		plain := plainMarkdown(strings.TrimSpace(line))
		switch {
		case line == "":
			blank++
			continue
		case entry != nil:
			end()
			if p.isFull() {
				return p
			}
			i := markdownEntry(entry[2])
			i.Checked, p.Checkable = strings.EqualFold(entry[1], "x"), p.Checkable || entry[1] != ""
			p.Items = append(p.Items, i)
		case head != nil && p.Title == "":
			p.Title = core.FirstRunes(plainMarkdown(head[1]), 200)
		case head != nil:
		case len(p.Items) == 0:
			if len(about) > 0 {
				about = append(about, make([]string, blank)...)
			}
			about = append(about, plain)
		case strings.HasPrefix(line, "  "): // continues the entry
			more = append(append(more, make([]string, blank)...), plain)
		}
		blank = 0
	}
	end()
	p.Description = core.FirstRunes(strings.Join(about, "\n"), 2000)
	return p
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

package list

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

const (
	exportSchema = "hearth.list.v1"
	exportPage   = 4 // items in memory until the client has received them; an item may have 50 KB
)

// Portable is an exported list: the owner's content, without ids, times and names of others. Import and
// export keep its bytes.
type Portable struct {
	Schema      string         `json:"schema" enum:"hearth.list.v1"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Checkable   bool           `json:"checkable,omitzero"`
	Items       []PortableItem `json:"items"`
}

// PortableItem is an item of a Portable.
type PortableItem struct {
	Content    string         `json:"content" required:"true" min:"1" max:"2000"`
	Link       string         `json:"link,omitzero" max:"2048" format:"url"`
	SourceNote string         `json:"source_note,omitzero" max:"200" line:"true" plain:"true"`
	Metadata   jsontext.Value `json:"metadata,omitzero" format:"object" max:"10000"`
	Checked    bool           `json:"checked,omitzero"`
}

func portableOf(i store.Item) PortableItem {
	p := PortableItem{Content: i.Content, Link: i.SourceURL, SourceNote: i.SourceNote, Checked: i.Checked}
	if i.Metadata != "" {
		p.Metadata = jsontext.Value(i.Metadata)
	}
	return p
}

// ExportIn is the input of Export.
type ExportIn struct {
	ID     string `path:"id" json:"-"`
	Format string `query:"format" json:"-" enum:"json|md|csv" default:"json"`
}

// Export writes a list with all items as json, md or csv. It calls begin with the file name before the first
// byte. Items are read in parts to bound memory: an item that is added or moved meanwhile may be missing or
// repeated. Export returns an error if by loses access meanwhile.
func (s *Service) Export(ctx context.Context, by store.Viewer, in ExportIn, begin func(name string) io.Writer) error {
	var l store.List
	err := s.db.ReadLong(ctx, func(r *store.Reader) (err error) {
		l, err = r.List(by, in.ID)
		return err
	})
	if err != nil {
		return core.Found(err)
	}
	w := bufio.NewWriter(begin(l.Slug + "." + in.Format))
	write := map[string]func(io.Writer, store.List, iter.Seq2[store.Item, error]) error{
		"json": exportJSON, "md": exportMarkdown, "csv": exportCSV,
	}
	if err := write[in.Format](w, l, s.exported(ctx, by, l.ID)); err != nil {
		return core.Found(err)
	}
	return w.Flush()
}

// exported returns the items of a list, and ends with an error.
func (s *Service) exported(ctx context.Context, by store.Viewer, listID string) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		for n, more := 0, true; more; n += exportPage {
			var items []store.Item
			err := s.db.ReadLong(ctx, func(r *store.Reader) (err error) {
				if items, err = r.Items(by, listID, exportPage, n); err == nil && len(items) < exportPage {
					_, err = r.List(by, listID) // without access there are no items
				}
				return err
			})
			if err != nil {
				yield(store.Item{}, err)
				return
			}
			for _, i := range items {
				if !yield(i, nil) {
					return
				}
			}
			more = len(items) == exportPage
		}
	}
}

func exportJSON(w io.Writer, l store.List, items iter.Seq2[store.Item, error]) error {
	title, err := json.Marshal(l.Title)
	if err != nil {
		return err
	}
	about, err := json.Marshal(l.Description)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "{\"schema\":%q,\n\"title\":%s,\n\"description\":%s,\n", exportSchema, title, about)
	if l.Checkable {
		io.WriteString(w, "\"checkable\":true,\n")
	}
	io.WriteString(w, "\"items\":[")
	between := "\n"
	for i, err := range items {
		if err != nil {
			return err
		}
		b, err := json.Marshal(portableOf(i))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", between, b); err != nil {
			return err
		}
		between = ",\n"
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

func exportMarkdown(w io.Writer, l store.List, items iter.Seq2[store.Item, error]) error {
	io.WriteString(w, MarkdownHead(l.Title, l.Description))
	n := 0
	for i, err := range items {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, MarkdownItem(itemOf(i, n))); err != nil {
			return err
		}
		n++
	}
	return nil
}

// MarkdownHead returns the title and the description of a list as Markdown.
func MarkdownHead(title, description string) string {
	head := "# " + EscapeMarkdown(title) + "\n\n"
	if description != "" {
		head += EscapeMarkdown(description) + "\n\n"
	}
	return head
}

// MarkdownItem returns an item as an entry of a numbered list, or of a task list if it is checkable.
func MarkdownItem(i Item) string {
	mark, indent := fmt.Sprintf("%d. ", i.Position+1), 0
	if indent = len(mark); i.Checked != nil {
		mark, indent = map[bool]string{true: "- [x] ", false: "- [ ] "}[*i.Checked], 2
	}
	text := EscapeMarkdown(i.Content)
	first, rest, more := strings.Cut(text, "\n")
	if link := core.OrZero(i.SourceURL); link != "" {
		first = "[" + first + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(link) + ">)"
	}
	out := mark + first
	if more {
		next := "\n" + strings.Repeat(" ", indent)
		out += "  " + next + strings.ReplaceAll(rest, "\n", "  "+next)
	}
	if note := core.OrZero(i.SourceNote); note != "" {
		out += " — " + EscapeMarkdown(note)
	}
	return out + "\n"
}

// EscapeMarkdown returns text that Markdown shows unchanged.
func EscapeMarkdown(s string) string {
	var b strings.Builder
	start := true // of a line
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\`*_[]<>|&~", r), start && strings.ContainsRune("#-+=>", r):
			b.WriteByte('\\')
		case r < 0x20 && r != '\n' && r != '\t', r == 0x7f:
			continue
		}
		b.WriteRune(r)
		start = r == '\n' || start && (r == ' ' || r == '\t')
	}
	return mdNumber.ReplaceAllString(b.String(), `$1\$2`)
}

// mdNumber is the beginning of a line such as "1. x", which would become an entry of a list.
var mdNumber = regexp.MustCompile(`(?m)^([ \t]*[0-9]+)([.)])`)

// csvColumns is the header of a CSV list. A checkable list adds checkedColumn.
var csvColumns = []string{"content", "link", "source_note", "metadata"}

const checkedColumn = "checked"

func exportCSV(to io.Writer, l store.List, items iter.Seq2[store.Item, error]) error {
	w := csv.NewWriter(to)
	w.UseCRLF = true
	columns := csvColumns
	if l.Checkable {
		columns = append(slices.Clone(csvColumns), checkedColumn)
	}
	w.Write(columns)
	for i, err := range items {
		if err != nil {
			return err
		}
		row := []string{csvText(i.Content), csvText(i.SourceURL), csvText(i.SourceNote), csvText(i.Metadata), strconv.FormatBool(i.Checked)}
		if err := w.Write(row[:len(columns)]); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// csvText escapes formulas of spreadsheets with an apostrophe. It also escapes a leading apostrophe, so that
// csvPlain is exact.
func csvText(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r'", rune(s[0])) {
		return "'" + s
	}
	return s
}

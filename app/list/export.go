package list

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

const exportSchema = "hearth.list.v1"

const (
	// Items stay in memory until the client has received them; an item may have 50 KB.
	exportPage = 4
	exportPart = 32 << 10
)

// Portable is an exported list: the owner's content, without ids, times and names of others. Import and
// export keep its bytes.
type Portable struct {
	Schema      string         `json:"schema" enum:"hearth.list.v1"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Checkable   bool           `json:"checkable,omitzero"`
	Items       []PortableItem `json:"items"`

	size int // bytes of text so far
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

type exporter interface {
	begin(l store.List) error
	item(n int, i store.Item) error
	end() error
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
	out := bufio.NewWriterSize(begin(l.Slug+"."+in.Format), exportPart)
	x := newExporter(in.Format, out)
	if err := cmp.Or(x.begin(l), out.Flush()); err != nil {
		return err
	}
	for n := 0; ; {
		var items []store.Item
		err := s.db.ReadLong(ctx, func(r *store.Reader) (err error) {
			if items, err = r.Items(by, l.ID, exportPage, n); err == nil && len(items) < exportPage {
				_, err = r.List(by, l.ID) // without access there are no items
			}
			return err
		})
		err = core.Found(err)
		for _, i := range items {
			if err == nil {
				err = x.item(n, i)
			}
			n++
		}
		if err != nil {
			return err
		}
		if len(items) < exportPage {
			return cmp.Or(x.end(), out.Flush())
		}
	}
}

func newExporter(format string, w io.Writer) exporter {
	switch format {
	case "md":
		return &markdownExport{w}
	case "csv":
		return &csvExport{w: csv.NewWriter(w)}
	}
	return &jsonExport{w}
}

type jsonExport struct{ w io.Writer }

func (x *jsonExport) begin(l store.List) error {
	title, err := json.Marshal(l.Title)
	if err != nil {
		return err
	}
	about, err := json.Marshal(l.Description)
	checkable := ""
	if l.Checkable {
		checkable = "\"checkable\":true,\n"
	}
	if err == nil {
		_, err = fmt.Fprintf(x.w, "{\"schema\":%q,\n\"title\":%s,\n\"description\":%s,\n%s\"items\":[", exportSchema, title, about, checkable)
	}
	return err
}

func (x *jsonExport) item(n int, i store.Item) error {
	b, err := json.Marshal(portableOf(i))
	if err != nil {
		return err
	}
	between := "\n"
	if n > 0 {
		between = ",\n"
	}
	_, err = fmt.Fprintf(x.w, "%s%s", between, b)
	return err
}

func (x *jsonExport) end() error {
	_, err := io.WriteString(x.w, "\n]}\n")
	return err
}

type markdownExport struct{ w io.Writer }

func (x *markdownExport) begin(l store.List) error {
	_, err := io.WriteString(x.w, MarkdownHead(l.Title, l.Description))
	return err
}

func (x *markdownExport) item(n int, i store.Item) error {
	_, err := io.WriteString(x.w, MarkdownItem(itemOf(i, n)))
	return err
}

func (x *markdownExport) end() error { return nil }

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
	return escapeNumbers(b.String())
}

// escapeNumbers keeps lines such as "1. x" from becoming lists.
func escapeNumbers(s string) string {
	lines := strings.Split(s, "\n")
	for n, line := range lines {
		digits := strings.TrimLeft(line, " \t")
		if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i > 0 && (digits[i] == '.' || digits[i] == ')') {
			at := len(line) - len(digits) + i
			lines[n] = line[:at] + `\` + line[at:]
		}
	}
	return strings.Join(lines, "\n")
}

// csvColumns is the header of a CSV list. A checkable list adds checkedColumn.
var csvColumns = []string{"content", "link", "source_note", "metadata"}

const checkedColumn = "checked"

type csvExport struct {
	w         *csv.Writer
	checkable bool
}

func (x *csvExport) begin(l store.List) error {
	x.w.UseCRLF = true
	columns := csvColumns
	if x.checkable = l.Checkable; x.checkable {
		columns = append(slices.Clone(csvColumns), checkedColumn)
	}
	err := x.w.Write(columns)
	x.w.Flush()
	return cmp.Or(err, x.w.Error())
}

func (x *csvExport) item(_ int, i store.Item) error {
	row := []string{csvText(i.Content), csvText(i.SourceURL), csvText(i.SourceNote), csvText(i.Metadata)}
	if x.checkable {
		row = append(row, strconv.FormatBool(i.Checked))
	}
	return x.w.Write(row)
}

func (x *csvExport) end() error {
	x.w.Flush()
	return x.w.Error()
}

// csvText escapes formulas of spreadsheets with an apostrophe. It also escapes a leading apostrophe, so that
// csvPlain is exact.
func csvText(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r'", rune(s[0])) {
		return "'" + s
	}
	return s
}

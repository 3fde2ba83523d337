package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
)

type shownList struct {
	ID           string  `json:"id"`
	Title        string  `json:"title"`
	Description  string  `json:"description"`
	Visibility   string  `json:"visibility"`
	OwnerName    string  `json:"owner_name"`
	ItemCount    int     `json:"item_count"`
	Checkable    bool    `json:"checkable"`
	CheckedCount int     `json:"checked_count"`
	Role         *string `json:"role"`
	UpdatedAt    string  `json:"updated_at"`

	Rest jsontext.Value `json:",unknown"`
}

type shownItem struct {
	ID         string  `json:"id"`
	Position   int     `json:"position"`
	Content    string  `json:"content"`
	SourceURL  *string `json:"source_url"`
	SourceNote *string `json:"source_note"`
	AuthorName string  `json:"author_name"`
	StarCount  int     `json:"star_count"`
	Checked    *bool   `json:"checked,omitzero"`

	Rest jsontext.Value `json:",unknown"`
}

// A key that may not read gets no counts.
func (l shownList) told() bool { return l.OwnerName != "" }
func (i shownItem) told() bool { return i.AuthorName != "" }

type listsPage struct {
	Lists  []shownList `json:"lists"`
	Total  int         `json:"total"`
	Offset int         `json:"offset"`
}

type foundPage struct {
	Lists      []shownList  `json:"lists"`
	Items      []shownFound `json:"items"`
	NextCursor string       `json:"next_cursor"`
}

type shownFound struct {
	ID        string `json:"id"`
	ListID    string `json:"list_id"`
	ListTitle string `json:"list_title"`
	Content   string `json:"content"`
}

func (e Env) show(c *call, raw []byte, table func()) error {
	if c.Bool("json") {
		v := jsontext.Value(raw)
		if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
			return err
		}
		e.printValue(v)
		return nil
	}
	table()
	return nil
}

func (e Env) listTable(p listsPage) {
	if len(p.Lists) == 0 {
		e.print("No lists.")
		return
	}
	rows := [][]string{{"ID", "ITEMS", "VISIBILITY", "CHANGED", "OWNER", "TITLE"}}
	for _, l := range p.Lists {
		rows = append(rows, []string{l.ID, fmt.Sprint(l.ItemCount), l.Visibility, day(l.UpdatedAt), line(l.OwnerName, 20), line(l.Title, 60)})
	}
	_ = e.table(rows)
	if next := p.Offset + len(p.Lists); next < p.Total {
		e.print("%d of %d. More: --offset %d", len(p.Lists), p.Total, next)
	}
}

func (e Env) listPage(l shownList, items []shownItem) {
	e.print("%s", line(l.Title, 200))
	size := count(l.ItemCount, "item")
	if l.Checkable {
		size += fmt.Sprintf(", %d done", l.CheckedCount)
	}
	e.print("%s, by %s, %s, changed %s\n%s", l.Visibility, line(l.OwnerName, 80), size, day(l.UpdatedAt), l.ID)
	if l.Description != "" {
		e.print("\n%s", visible(l.Description))
	}
	for _, i := range items {
		stars := ""
		if i.StarCount > 0 {
			stars = fmt.Sprintf("  ★ %d", i.StarCount)
		}
		e.print("\n%4d  %s%s%s", i.Position, i.box(), strings.ReplaceAll(visible(i.Content), "\n", "\n      "), stars)
		if u := core.OrZero(i.SourceURL); u != "" {
			e.print("      %s", line(u, 2048))
		}
		if n := core.OrZero(i.SourceNote); n != "" && !strings.Contains(i.AuthorName, n) {
			e.print("      source: %s", line(n, 200))
		}
		e.print("      %s  by %s", i.ID, line(i.AuthorName, 80))
	}
}

func (i shownItem) box() string {
	switch {
	case i.Checked == nil:
		return ""
	case *i.Checked:
		return "[x] "
	}
	return "[ ] "
}

func (e Env) foundTable(p foundPage) {
	switch empty := len(p.Lists)+len(p.Items) == 0; {
	case empty && p.NextCursor == "":
		e.print("Nothing found.")
	case empty:
		e.print("Nothing found so far.")
	}
	for _, l := range p.Lists {
		e.print("%s\n  %s  %s, by %s, %s", line(l.Title, 100), l.ID, l.Visibility, line(l.OwnerName, 40), count(l.ItemCount, "item"))
	}
	for _, i := range p.Items {
		e.print("%s\n  %s  in %s (%s)", line(i.Content, 100), i.ID, line(i.ListTitle, 60), i.ListID)
	}
	if p.NextCursor != "" {
		e.print("More: --cursor %s", p.NextCursor)
	}
}

func (e Env) printChange(asJSON bool, c change) {
	if asJSON {
		b, err := json.Marshal(map[string]any{"id": c.ID, "event": c.Kind, "data": jsontext.Value(c.Data)}, json.Deterministic(true))
		if err == nil {
			e.printValue(b)
		}
		return
	}
	var d struct{ Table, Op, ItemID string }
	if c.Kind != "change" || json.Unmarshal(c.Data, &d, json.MatchCaseInsensitiveNames(true)) != nil {
		return
	}
	e.print("%s  %s %s %s", e.Now().Local().Format(time.TimeOnly), line(d.Table, 20), line(d.Op, 20), line(d.ItemID, 40))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func day(s string) string {
	date, _, _ := strings.Cut(s, "T")
	return line(date, 10)
}

// line is shorten for a text that may control a terminal.
func line(s string, n int) string { return shorten(visible(strings.Join(strings.Fields(s), " ")), n) }

func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if short := core.FirstRunes(s, n); short != s {
		return core.FirstRunes(s, n-1) + "…"
	}
	return s
}

// JSON's own escapes replace visible's in a JSON value.
func (e Env) printValue(v []byte) {
	b := make([]byte, 0, len(v)+1)
	for _, r := range string(v) {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	_, _ = e.Out.Write(append(b, '\n'))
}

// visible escapes characters that would control a terminal or change the order of its text.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

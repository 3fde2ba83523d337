package page

import (
	"bytes"
	"cmp"
	"html"
	"html/template"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark-emoji/definition"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"hearth/app/chat"
)

// Beyond these limits a message is shown as it was typed: the parser's time grows faster than its input.
const (
	maxDepth  = 12
	maxIndent = 25
	maxSigns  = 150
)

// formatted returns a message as HTML: paragraphs, emphasis, code, quotes, lists, links and emoji. It has
// only the elements written in this file; all else is text. A message without visible content, such as a
// dash, is shown as it was typed. Mentions are links.
func formatted(message string, names []nameView) template.HTML {
	if !mayHaveMarkup(message) {
		return plain(message, names)
	}
	source := []byte(endQuotes(message))
	w := markup{source: source, names: names}
	w.children(parseMarkup().Parse(text.NewReader(source)), 0)
	if w.deep || !w.seen {
		return plain(message, names)
	}
	return template.HTML(w.String())
}

// unformatted returns the visible text of a message in one line.
func unformatted(message string) string {
	if !mayHaveMarkup(message) {
		return message
	}
	var out strings.Builder
	number := "" // of the next item
	for rest := string(formatted(message, nil)); ; {
		shown, after, found := strings.Cut(rest, "<")
		out.WriteString(shown)
		if !found {
			return strings.Join(strings.Fields(html.UnescapeString(out.String())), " ")
		}
		var tag string
		tag, rest, _ = strings.Cut(after, ">")
		switch name, start, _ := strings.Cut(tag, " "); name {
		case "ol":
			number = strings.TrimSuffix(strings.TrimPrefix(start, `start="`), `"`) + "."
		case "li":
			out.WriteString(" " + cmp.Or(number, "-") + " ")
			number = ""
		case "p", "/p", "ul", "/ul", "/ol", "/li", "blockquote", "/blockquote", "pre", "/pre":
			out.WriteByte(' ')
		}
	}
}

// mayHaveMarkup reports whether the parser is needed for a message, and may be used.
func mayHaveMarkup(message string) bool {
	signs := countSigns(message)
	block, newline := false, false
	for line := range strings.Lines(message) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		text := strings.TrimLeft(line, " \t")
		if len(line)-len(text) >= maxIndent || markersIn(text) > maxDepth {
			return false
		}
		marker := markerLength(text)
		if indent < 4 && len(line)-len(text) == indent && marker > 0 {
			block = block || text[0] == '>' || strings.IndexAny(text[marker:], " \t") == 0
		}
		block = block || newline && text == "\n"
		newline = true
	}
	return signs <= maxSigns && (signs > 0 || block)
}

// countSigns counts what may be inline markup or an emoji.
func countSigns(message string) (signs int) {
	for i := 0; i < len(message); i++ {
		switch message[i] {
		case '*', '_', '~', '`', '[', '<', '\\':
			signs++
		case ':':
			if end := emojiEnd(message, i+1); end > 0 {
				signs++
				i = end
			}
		}
	}
	return signs
}

// emojiEnd returns the position of the colon after an emoji name at start, or 0.
func emojiEnd(s string, start int) int {
	end := start
	for end < len(s) && isEmojiName(s[end]) {
		end++
	}
	if end == start || end == len(s) || s[end] != ':' {
		return 0
	}
	return end
}

// markersIn counts the markers of quotes and list items at the beginning of a line.
func markersIn(line string) (n int) {
	for {
		length := markerLength(line)
		if length == 0 {
			return n
		}
		n++
		line = strings.TrimLeft(line[length:], " \t")
	}
}

// markerLength returns the length of a leading marker of a quote or a list item, or 0.
func markerLength(line string) int {
	if line != "" && strings.IndexByte("-+*>", line[0]) >= 0 {
		return 1
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 9 || strings.IndexAny(line[digits:], ".)") != 0 {
		return 0
	}
	return digits + 1
}

func plain(message string, names []nameView) template.HTML {
	w := markup{names: names}
	w.WriteString(`<p dir="auto">`)
	w.linked(message)
	w.WriteString(`</p>`)
	return template.HTML(w.String())
}

// endQuotes ends a quote after its last line with ">". In Markdown the next line would continue it.
func endQuotes(message string) string {
	lines := strings.Split(message, "\n")
	out := make([]string, 0, len(lines)+4)
	fence, quoted := "", false
	for _, line := range lines {
		bare := strings.TrimSpace(line)
		quote := strings.HasPrefix(bare, ">")
		if fence == "" && quoted && !quote && bare != "" {
			out = append(out, "")
		}
		switch {
		case fence == "" && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence = bare[:3]
		case fence != "" && strings.HasPrefix(bare, fence):
			fence = ""
		}
		quoted = fence == "" && quote
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// parseMarkup returns a Markdown parser without headings, rules, indented code, images, references and HTML.
var parseMarkup = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(addressParser{}, 250), util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(emphasisParser{'*', '_'}, 500), util.Prioritized(emphasisParser{'~'}, 500)))
})

// emphasisParser parses emphasis. Unlike in Markdown no sign within a word or a number counts: 2*3*4 is
// plain.
type emphasisParser []byte

func (p emphasisParser) Trigger() []byte         { return p }
func (p emphasisParser) IsDelimiter(b byte) bool { return bytes.IndexByte(p, b) >= 0 }

func (p emphasisParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (p emphasisParser) OnMatch(consumes int) ast.Node {
	if p[0] == '~' {
		return extension.NewStrikethrough()
	}
	return ast.NewEmphasis(consumes)
}

func (p emphasisParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 1, p)
	if d == nil || d.Char == '~' && (d.OriginalLength > 2 || before == '~') {
		return nil
	}
	after := ' '
	if d.OriginalLength < len(line) {
		after = util.ToRune(line, d.OriginalLength)
	}
	if cased(before) && cased(after) {
		d.CanOpen, d.CanClose = false, false
	}
	d.Segment = segment.WithStop(segment.Start + d.OriginalLength)
	block.Advance(d.OriginalLength)
	pc.PushDelimiter(d)
	return d
}

// cased reports whether r is a digit, or a letter of a script with spaces between words.
func cased(r rune) bool { return unicode.IsDigit(r) || unicode.IsUpper(r) || unicode.IsLower(r) }

type addressParser struct{}

// refusedTo is the offset in the source before which there is no address.
var refusedTo = parser.NewContextKey()

func (addressParser) Trigger() []byte { return []byte(" (") }

func (addressParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, segment := block.PeekLine()
	skip := 0
	if line[0] == ' ' || line[0] == '(' {
		skip = 1
	}
	scheme := schemeLength(line[skip:])
	if to, _ := pc.Get(refusedTo).(int); scheme == 0 || segment.Start+skip < to {
		return nil
	}
	length, next := addressAt(string(line[skip:min(len(line), skip+maxAddress)]), scheme)
	if length == 0 {
		pc.Set(refusedTo, segment.Start+skip+next)
		return nil
	}
	if skip > 0 {
		ast.MergeOrAppendTextSegment(parent, segment.WithStop(segment.Start+skip))
	}
	block.Advance(skip + length)
	return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(segment.Start+skip, segment.Start+skip+length)))
}

type markup struct {
	strings.Builder
	source []byte
	names  []nameView
	seen   bool // something is visible
	deep   bool // the nesting is too deep
}

func (w *markup) children(n ast.Node, depth int) {
	if depth > maxDepth {
		w.deep = true
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.joinText(c)
		w.node(c, depth+1)
	}
}

// joinText joins the text nodes of a line, so that a name with a possible sign of markup is found.
func (w *markup) joinText(n ast.Node) {
	t, ok := n.(*ast.Text)
	for ok && !t.SoftLineBreak() && !t.HardLineBreak() {
		next, isText := t.NextSibling().(*ast.Text)
		if !isText || !t.Merge(next, w.source) {
			return
		}
		t.Parent().RemoveChild(t.Parent(), next)
	}
}

func (w *markup) within(element, attribute string, n ast.Node, depth int) {
	w.WriteString("<" + element + attribute + ">")
	w.children(n, depth)
	w.WriteString("</" + element + ">")
}

func (w *markup) node(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Paragraph:
		w.within("p", ` dir="auto"`, n, depth)
	case *ast.Blockquote:
		w.within("blockquote", "", n, depth)
	case *ast.List:
		if n.IsOrdered() {
			w.within("ol", ` start="`+strconv.Itoa(n.Start)+`"`, n, depth)
		} else {
			w.within("ul", "", n, depth)
		}
	case *ast.ListItem:
		w.within("li", "", n, depth)
	case *ast.FencedCodeBlock:
		w.WriteString(`<pre tabindex="0"><code>`)
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			w.text(string(line.Value(w.source)))
		}
		w.WriteString("</code></pre>")
	default:
		w.inline(n, depth)
	}
}

func (w *markup) inline(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		w.linked(string(util.UnescapePunctuations(n.Segment.Value(w.source))))
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.WriteByte('\n')
		}
	case *ast.CodeSpan:
		w.WriteString("<code>")
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				w.text(strings.ReplaceAll(string(t.Segment.Value(w.source)), "\n", " "))
			}
		}
		w.WriteString("</code>")
	case *ast.Emphasis:
		w.within([]string{"em", "strong"}[min(n.Level, 2)-1], "", n, depth)
	case *extension.Strikethrough:
		w.within("del", "", n, depth)
	case *ast.AutoLink:
		address := string(n.Label(w.source))
		w.link(address, func() { w.text(address) })
	case *ast.Link:
		w.labelled(n, n.Destination, depth)
	case *ast.Image:
		w.text("!")
		w.labelled(n, n.Destination, depth)
	default: // the text of a list item, or an unknown node
		w.children(n, depth)
	}
}

// labelled writes a link with a label. If the label looks like an address, the real host follows.
func (w *markup) labelled(n ast.Node, destination []byte, depth int) {
	address := string(util.UnescapePunctuations(destination))
	before := w.Len()
	inner := markup{source: w.source}
	inner.children(n, depth)
	label := inner.String()
	w.seen, w.deep = w.seen || inner.seen, w.deep || inner.deep
	if strings.Contains(label, "<a ") { // no link within a link
		w.WriteString(label)
	} else if !w.link(address, func() { w.WriteString(label) }) {
		w.WriteString(label)
		w.text(" (" + address + ")")
	}
	if u, err := url.Parse(address); err == nil && strings.Contains(label, ".") && w.Len() > before {
		w.text(" (" + u.Hostname() + ")")
	}
}

// link writes a link around label, and reports whether the address is a web address.
func (w *markup) link(address string, label func()) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return false
	}
	w.WriteString(`<a href="` + html.EscapeString(u.String()) + `" rel="nofollow noopener ugc">`)
	label()
	w.WriteString("</a>")
	return true
}

func (w *markup) linked(s string) {
	for _, part := range linkify(s) {
		if part.URL == "" || !w.link(part.URL, func() { w.text(part.Text) }) {
			w.named(part.Text)
		}
	}
}

func (w *markup) text(s string) {
	w.seen = w.seen || strings.TrimSpace(s) != ""
	w.WriteString(html.EscapeString(s))
}

func withEmoji(s string) string {
	var out strings.Builder
	done := 0
	for at := 0; at < len(s); at++ {
		if s[at] != ':' || at > 0 && isWord(rune(s[at-1])) {
			continue
		}
		end := emojiEnd(s, at+1)
		if e, ok := emojis().Get(s[at+1 : max(end, at+1)]); ok && e.IsUnicode() {
			out.WriteString(s[done:at] + string(e.Unicode))
			at, done = end, end+1
		}
	}
	return out.String() + s[done:]
}

func isEmojiName(b byte) bool {
	return strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789_+-", b) >= 0
}

var emojis = sync.OnceValue(func() definition.Emojis { return definition.Github() })

type nameView struct {
	Typed string
	URL   string // the person's page; "" if several people have the name
	Me    bool
}

// mentionsOf returns the names in a message, longest first.
func mentionsOf(m chat.Message, me string) (out []nameView) {
	for i, p := range m.Places {
		if p.Start+p.Size > len(m.Content) {
			continue
		}
		typed := m.Content[p.Start : p.Start+p.Size]
		n := slices.IndexFunc(out, func(v nameView) bool { return v.Typed == typed })
		if n < 0 {
			n, out = len(out), append(out, nameView{Typed: typed, URL: Person{ID: p.UserID}.Profile()})
		}
		if i > 0 && m.Places[i-1].Start == p.Start {
			out[n].URL = ""
		}
		out[n].Me = out[n].Me || p.UserID == me
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].Typed) > len(out[j].Typed) })
	return out
}

// named writes text with emoji, and with mentions as links.
func (w *markup) named(s string) {
	done := 0
	for at := 0; at < len(s); at++ {
		if s[at] != '@' {
			continue
		}
		i := slices.IndexFunc(w.names, func(n nameView) bool { return namedAt(s, at, n.Typed) })
		if i < 0 {
			continue
		}
		w.text(withEmoji(s[done:at]))
		w.name(w.names[i])
		done = at + len(w.names[i].Typed)
		at = done - 1
	}
	w.text(withEmoji(s[done:]))
}

// namedAt reports whether the name at the position is a whole word.
func namedAt(s string, at int, typed string) bool {
	if !strings.HasPrefix(s[at:], typed) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at+len(typed):])
	return !cased(before) && !cased(after)
}

func (w *markup) name(n nameView) {
	class := "mention"
	if n.Me {
		class += " mention-me"
	}
	element, attribute := "span", ""
	if n.URL != "" {
		element, attribute = "a", ` href="`+html.EscapeString(n.URL)+`"`
	}
	w.WriteString("<" + element + ` class="` + class + `"` + attribute + "><bdi>")
	w.text(n.Typed)
	w.WriteString("</bdi></" + element + ">")
}

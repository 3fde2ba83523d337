package list_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/list"
)

func (w *world) export(who, id, format string) string {
	w.t.Helper()
	var b bytes.Buffer
	if err := w.Export(context.Background(), w.who[who], list.ExportIn{ID: id, Format: format},
		func(string) io.Writer { return &b }); err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// Texts that formats could take for something else.
var odd = []string{
	"plain", "=1+1", "'=1+1", "-- dash", "# not a heading", "1. not a number", "two\nlines", "a [link](x) *b* _c_ `d` <e> | f\\g",
	"comma, \"quote\"",
	"  \u00a0nbsp", "emoji 🌿 and Ünïcödé", "+49 30 1234", "@name", "ends with backslash\\", "> quote\n- entry\n2) x",
	"two\n\nparagraphs\n\n\nand a third",
}

// A list that is exported and imported is exported with the same bytes, in JSON,
// CSV and Markdown, which has no metadata.
func TestRoundTrip(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	in := list.CreateListIn{Title: `Odd "things" <b>`, Description: "Of\nall kinds\n\nand more", Visibility: list.Public}
	for n, s := range odd {
		i := list.NewItem{Content: s}
		if n%2 == 0 {
			i.Link = "https://example.org/?q=a&b=<c>"
		}
		if n%3 == 0 {
			i.Metadata = jsontext.Value(`{ "n": 1e5, "b":[true,null,"\u00e9 \u2028"], "a":{"z":1,"a":2} }`)
		}
		in.Items = append(in.Items, i)
	}
	made, err := w.CreateList.Call(ctx, w.who["owner"], in)
	if err != nil {
		t.Fatal(err)
	}
	w.add("owner", made.List.ID, "more")
	for _, format := range []string{"json", "csv", "md"} {
		first := w.export("anonymous", made.List.ID, format)
		got, err := w.ImportList.Call(ctx, w.who["editor"], list.ImportIn{Format: format, Data: []byte(first), Title: in.Title,
			Visibility: list.Unlisted})
		if err != nil {
			t.Errorf("%s: %v\n%s", format, err, first)
			continue
		}
		if again := w.export("editor", got.List.ID, format); again != first {
			t.Errorf("%s: exported\n%s\nand after the import\n%s", format, first, again)
		}
		if got.List.Visibility != list.Unlisted || got.List.ItemCount != len(odd)+1 {
			t.Errorf("%s: %+v", format, got.List)
		}
	}
}

func TestImportBookmarks(t *testing.T) {
	w := newWorld(t)
	const file = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>My bookmarks</H1>
<DL><p>
    <DT><A HREF="https://a.example/" ADD_DATE="1">A &amp;<BR>B</A>
    <DD>Where it began
    <DT><H3 ADD_DATE="1">Soups</H3>
    <DL><p>
        <DT><A HREF="http://b.example/x"></A>
        <DT><A HREF="javascript:alert(1)">Script</A>
        <DT><H3>Cold</H3><DL><p><DT><A HREF="https://c.example/">C</A></DL><p>
    </DL><p>
    <DT><A HREF="https://d.example/">D</A>
</DL>`
	out, err := w.ImportList.Call(context.Background(), w.who["owner"],
		list.ImportIn{Format: "bookmarks", Data: []byte(file), Visibility: list.Private})
	if err != nil || out.List.Title != "My bookmarks" {
		t.Fatalf("%+v, %v", out.List, err)
	}
	var got []string
	for _, i := range w.items(out.List.ID) {
		note := ""
		if i.SourceNote != nil {
			note = *i.SourceNote
		}
		got = append(got, strings.Join([]string{i.Content, *i.SourceURL, note, string(i.Metadata)}, "|"))
	}
	want := `A & B|https://a.example/|Where it began|
http://b.example/x|http://b.example/x||{"folder":"Soups"}
C|https://c.example/||{"folder":"Soups / Cold"}
D|https://d.example/||`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// What cannot be imported completely leaves nothing.
func TestImportRefused(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for _, c := range []struct{ format, data, want string }{
		{"json", `{}`, "bad_import"}, {"json", `[]`, "bad_import"}, {"json", "{\"schema\":\"hearth.list.v1\",\"title\":\"\xff\"}", "bad_import"},
		{"json", `{"schema":"hearth.list.v1","title":"T","items":[{"content":"a"},{"content":""}]}`, "invalid_input"},
		{"json", `{"schema":"hearth.list.v1","title":"T","items":[{"content":"a","link":"javascript:x"}]}`, "invalid_input"},
		{"json", `{"schema":"hearth.list.v1","title":"T","items":[{"content":"a","metadata":{"a":1,"a":2}}]}`, "bad_import"},
		{"csv", "", "bad_import"}, {"csv", "title\nx", "bad_import"}, {"csv", "content\n\"x", "bad_import"},
		{"md", "# Only a title", "bad_import"}, {"bookmarks", "<p>", "bad_import"},
		{"md", "- x\n- " + strings.Repeat("y", 2001), "invalid_input"}, {"md", strings.Repeat("- x\n", 20_001), "invalid_input"},
		{"csv", "content\n" + strings.Repeat("x\n", 20_001), "invalid_input"},
		{"bookmarks", strings.Repeat("<A HREF=http://a/>a</A>", 20_001), "invalid_input"},
		{"json", `{"schema":"hearth.list.v1","title":"T","items":[{}` + strings.Repeat(",{}", 20_001) + `]}`, "invalid_input"},
		{"json", `{"schema":"hearth.list.v1","title":"T","items":{"content":"a"}}`, "bad_import"},
		{"json", `{"schema":"hearth.list.v1","title":"T","items":[{"content":1}]}`, "bad_import"},
		{"csv", "content\na\x00b", "invalid_input"}, {"csv", "content,metadata\na,[1]", "invalid_input"},
		{"bookmarks", "<A HREF=http://a/>a\x00</A>", "invalid_input"},
	} {
		if _, err := w.ImportList.Call(ctx, w.who["owner"], list.ImportIn{Format: c.format, Data: []byte(c.data),
			Visibility: list.Public}); code(err) != c.want {
			t.Errorf("%s %.60q: %v", c.format, c.data, err)
		}
	}
	_, err := w.ImportList.Call(ctx, w.who["owner"], list.ImportIn{Format: "csv", Data: []byte("content\na\n\"x"), Visibility: list.Public})
	if err == nil || !strings.Contains(err.Error(), "behind row 2") {
		t.Errorf("a file whose third row is bad: %v", err)
	}
	if out, err := w.Lists.Call(ctx, w.who["owner"], list.ListsIn{Mine: true, Limit: 10}); err != nil || out.Total != 0 {
		t.Errorf("%d lists are left, %v", out.Total, err)
	}
}

// A plan is what the import then adds, and adds nothing itself; the format is
// found out from the text.
func TestPlanImport(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public, "one", "two")
	for _, format := range []string{"json", "csv", "md"} {
		data := w.export("anonymous", l.ID, format)
		if got := list.FormatOf(data); got != format {
			t.Errorf("%s is taken for %s", format, got)
		}
		before, err := w.Lists.Call(context.Background(), w.who["owner"], list.ListsIn{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := w.PlanImport.Call(context.Background(), w.who["owner"], list.ImportIn{Format: format, Data: []byte(data), Title: "T"})
		if err != nil || plan.Title != "T" || len(plan.Items) != 2 || plan.Items[1].Content != "two" {
			t.Errorf("%s: %+v, %v", format, plan, err)
		}
		if after, err := w.Lists.Call(context.Background(), w.who["owner"], list.ListsIn{}); err != nil || after.Total != before.Total {
			t.Errorf("a plan adds: %d lists, then %d, %v", before.Total, after.Total, err)
		}
	}
	for text, want := range map[string]string{"# A\n- b": "A", "# A\n# B\n- c": "A", "- a\n# B": "B"} {
		plan, err := w.PlanImport.Call(context.Background(), w.who["owner"], list.ImportIn{Format: "md", Data: []byte(text)})
		if err != nil || plan.Title != want {
			t.Errorf("%q: the title is %q, want %q, %v", text, plan.Title, want, err)
		}
	}
	for text, want := range map[string]string{
		"\ufeff  {\"schema\":": "json", "<!DOCTYPE NETSCAPE-Bookmark-file-1>": "bookmarks", "<DL><p>": "bookmarks", "<html>": "bookmarks",
		"link, Content \r\nx,y": "csv", "content": "csv", "# Content, and more": "md", "": "md", "- one": "md",
	} {
		if got := list.FormatOf(text); got != want {
			t.Errorf("%q is taken for %s, not %s", text, got, want)
		}
	}
}

// What programs write is read, also where it is odd: how lines end, byte order marks,
// bold words, folders without end, and links that cannot be links of items.
func TestImportOddFiles(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct{ format, data, want string }{
		"CSV with all ends of lines": {"csv", "\ufeffContent, LINK ,content\r\na,https://a.example/,z\nb\r\n\"c\rd\"\n",
			"a <https://a.example/>; b; c\rd"},
		"CSV of old spreadsheets": {"csv", "content,link\ra,https://a.example/\rb", "a <https://a.example/>; b"},
		"HTML in Markdown": {"md", "# T\n- <b onclick=x>one</b>\n  <script>two</script>\n* [three](https://t.example/)",
			"<b onclick=x>one</b>\n<script>two</script>; three <https://t.example/>"},
		"links that items cannot have": {"md", "- [a](https://user:secret@a.example/)\n- https://u@b.example/\n- [c](http://[c)",
			"[a](https://user:secret@a.example/); https://u@b.example/; [c](http://[c)"},
		"bold bookmarks": {"bookmarks", `<DT><A HREF="https://a.example/">one <B>two</B> three</A><DD>first<BR>second` +
			`<DT><A HREF="https://u:p@b.example/">no</A>`,
			"one two three <https://a.example/> (first second)"},
		"words between tags": {"bookmarks", `<A HREF="https://a.example/">one<P>two<BR>th<B>r</B>ee<I>!</I></A>`,
			"one two three! <https://a.example/>"},
		"a cell of one apostrophe":         {"csv", "content,link\n',\nb,\n", "'; b"},
		"a link without words":             {"md", "- [](https://a.example/)", "https://a.example/ <https://a.example/>"},
		"an entry that goes on to the end": {"md", "- a\n- b\n  c\n\n  d", "a; b\nc\n\nd"},
		"a folder of long words": {"bookmarks", "<H3>" + strings.Repeat("é", 300) +
			`</H3><DL><H3>inner</H3><DL><A HREF="https://a.example/">a</A>`,
			`a <https://a.example/> {"folder":"` + strings.Repeat("é", 300) + ` / inner"}`},
		"folders that end one by one": {"bookmarks", strings.Repeat("<H3>"+strings.Repeat("f", 499)+"</H3><DL>",
			4) + strings.Repeat(`</DL><A HREF="https://a.example/">a</A>`, 4),
			strings.Repeat(`a <https://a.example/> {"folder":"`+strings.Repeat("f", 499)+` "}; `, 2) + `a <https://a.example/> {"folder":"` +
				strings.Repeat("f", 499) + `"}; a <https://a.example/>`},
		"a note of nothing":       {"bookmarks", `<DD>first<DT><A HREF="https://a.example/">a</A><DD>second`, "a <https://a.example/> (second)"},
		"a heading, then entries": {"md", "# A\n- b\n# C\n- d", "b; d"},
		"folders without end": {"bookmarks", strings.Repeat("<DT><H3>folder</H3><DL><p>", 5000) + `<DT><A HREF="https://a.example/">in</A>` +
			strings.Repeat("</DL>", 5000) + `<DT><A HREF="https://b.example/">out</A>`,
			`in <https://a.example/> {"folder":"` + strings.Repeat("folder / ", 56)[:500] + `"}; out <https://b.example/>`},
	} {
		plan, err := w.PlanImport.Call(context.Background(), w.who["owner"], list.ImportIn{Format: c.format, Data: []byte(c.data), Title: "T"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, i := range plan.Items {
			s := i.Content
			if i.Link != "" {
				s += " <" + i.Link + ">"
			}
			if i.SourceNote != "" {
				s += " (" + i.SourceNote + ")"
			}
			if len(i.Metadata) > 0 {
				s += " " + string(i.Metadata)
			}
			got = append(got, s)
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s: read\n%q, want\n%q", name, got, c.want)
		}
	}
}

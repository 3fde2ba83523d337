package page_test

import (
	"net/url"
	"strings"
	"testing"

	"hearth/app/list"
)

const bookmarks = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE><H1>Shelf</H1>
<DL><p><DT><H3>Bread</H3><DL><p><DT><A HREF="https://bread.example/rye">Rye &amp; more</A><DD>from Ben
<DT><A HREF="javascript:alert(1)">Script</A></DL></DL>`

// A file is shown before anything of it is added; what is added then is what was
// shown. All of it without scripts.
func TestImportPage(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	b.get("/").want(t, 200, "/list/import")
	b.get("/list/import").want(t, 200, `type="file"`, "You see what will be added first.")
	w.guest().send("/list/import", nil, map[string]string{"a.csv": "content\nx"}).leads(t, "/login")
	for name, c := range map[string]struct{ data, title, shows string }{
		"list.json": {`{"schema":"hearth.list.v1","title":"Breads","description":"About & around",
			"items":[{"content":"Rye","link":"https://bread.example/rye"},{"content":"Spelt\nflour"}]}`, "Breads", "About &amp; around"},
		"list.csv":       {"\ufeffContent,link\r\n\"Rye\r\nand more\",https://bread.example/rye\r\nSpelt,\r\n", "Imported list", "bread.example"},
		"bookmarks.html": {bookmarks, "Shelf", "Rye &amp; more"},
		"list.md":        {"# Breads\n\n- Rye\n- [Spelt](https://bread.example/spelt)\n", "Breads", "Spelt"},
	} {
		page := b.send("/list/import", url.Values{"data": {""}}, map[string]string{name: c.data}).
			want(t, 200, "Check what will be added", `value="`+c.title+`"`, c.shows, `value="private" checked`, "Nothing is saved yet.")
		page.lacks(t, "Script</p>")
		b.get("/").want(t, 200).lacks(t, ">"+c.title+"<")
		hidden, _, _ := strings.Cut(strings.SplitN(page.body, "<textarea name=\"data\" hidden>\n", 2)[1], "</textarea>")
		hidden = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&", "&#43;", "+", "\n",
			"\r\n").Replace(hidden)
		title := "New from " + name
		at := b.send("/list/import", url.Values{"data": {hidden}, "title": {title}, "visibility": {"public"}, "import": {"yes"}}, nil).leads(t,
			"/list/[0-9a-f-]{36}.done=imported")
		b.get(at).want(t, 200, "Imported.", title, "bread.example")
		w.guest().get(strings.TrimSuffix(at, "?done=imported")).want(t, 200, title)
		b.post(strings.TrimSuffix(at, "?done=imported")+"/delete", url.Values{"sure": {"yes"}}).leads(t, ".*")
	}
}

// What cannot be imported is said beside the field, and nothing is added.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	for name, c := range map[string]struct{ data, says string }{
		"nothing":        {"", "Choose a file, or paste a list below."},
		"no list":        {`{"title":"x"}`, "This list cannot be imported"},
		"not text":       {"\xff\xfe\x00", "This is not a file of text in UTF-8."},
		"no items":       {"Only words", "no item was found in it"},
		"too large":      {strings.Repeat("- an item that is long enough\n", list.MaxImport/30+9000), "The file is larger than 8 MB."},
		"too long":       {"- one\n- " + strings.Repeat("x", 2001) + "\n", "items[1].content must be text of 1 to 2000 characters"},
		"too many items": {strings.Repeat("- x\n", 20_001), "A list has at most 20,000 items, and this one has more."},
	} {
		t.Run(name, func(t *testing.T) {
			b.send("/list/import", nil, map[string]string{"f": c.data}).want(t, 422, `id="file-error"`, c.says)
		})
	}
	b.send("/list/import", url.Values{"data": {"- pasted"}}, nil).want(t, 200, "pasted</p>", "1 item.")
	refused := b.send("/list/import", url.Values{"data": {"- pasted"}, "title": {" "}, "visibility": {"nobody"}, "import": {"yes"}}, nil)
	refused.want(t, 422, "pasted</p>", `id="visibility-error"`)
	b.send("/list/import", url.Values{"data": {"- pasted"}, "title": {strings.Repeat("t", 201)}, "visibility": {"private"}, "import": {"yes"}},
		nil).want(t, 422, "pasted</p>", `id="title-error"`)
	b.get("/").want(t, 200, "No lists yet")
	w.full.Store(true)
	b.send("/list/import", url.Values{"data": {"- pasted"}, "title": {"T"}, "visibility": {"private"}, "import": {"yes"}}, nil).want(t, 422,
		"pasted</p>", "This server has no storage left")
}

// When the session has ended, the page still shows what was pasted, as far as a page
// has room for it.
func TestImportOfEndedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	for _, lines := range []int{100, 30_000, 700_000} {
		form := b.get("/list/import").again(t, "/list/import").Values
		form.Set("data", strings.Repeat("- a <line>\n", lines))
		for _, step := range []url.Values{{}, {"title": {"The shelf"}, "visibility": {"private"}, "import": {"yes"}}} {
			for name, values := range step {
				form[name] = values
			}
			got := w.guest().send("/list/import", form, nil).want(t, 401, "You are not signed in", "- a &lt;line&gt;\n", step.Get("title"))
			if len(got.body) > 1<<20 {
				t.Errorf("%d lines are answered with %d bytes", lines, len(got.body))
			}
		}
	}
}

// What a page shows of a form is bounded in all.
func TestWordsOfLargeFormsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	form := url.Values{"me": {w.cast.Ada.ID}}
	for _, name := range []string{"title", "description", "items", "content", "link", "reporter", "note", "message"} {
		form.Set(name, "of "+name+strings.Repeat("'", 900_000))
	}
	for _, b := range []*browser{w.guest(), w.as(w.cast.Ben)} {
		got := b.send("/list/import", form, nil)
		got.want(t, got.status, "Nothing was sent", "of title").lacks(t, "of message")
		if got.status != 401 && got.status != 409 || len(got.body) > 2<<20 {
			t.Errorf("%d with %d bytes", got.status, len(got.body))
		}
	}
}

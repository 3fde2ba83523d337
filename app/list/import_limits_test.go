package list_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/list"
)

// A list of 20,000 items is imported, and a longer one is refused as a whole.
func TestImportOfLongestList(t *testing.T) {
	w := newWorld(t)
	for format, c := range map[string]struct{ head, item, end string }{
		"json":      {`{"schema":"hearth.list.v1","title":"T","items":[{"content":"x"}`, `,{"content":"x"}`, "]}"},
		"csv":       {"content\nx\n", "x\n", ""},
		"md":        {"- x\n", "- x\n", ""},
		"bookmarks": {"<A HREF=http://a/>x</A>", "<A HREF=http://a/>x</A>", ""},
	} {
		for _, count := range []int{20_000, 20_001} {
			data := c.head + strings.Repeat(c.item, count-1) + c.end
			plan, err := w.PlanImport.Call(t.Context(), w.who["owner"], list.ImportIn{Format: format, Data: []byte(data)})
			if count == 20_000 && (err != nil || len(plan.Items) != count) {
				t.Errorf("%s with %d items: %d are read, %v", format, count, len(plan.Items), err)
			}
			if count > 20_000 && (code(err) != "invalid_input" || core.As(err).Field != "items") {
				t.Errorf("%s with %d items: %v", format, count, err)
			}
		}
	}
}

// Titles, descriptions and notes of foreign files are cut to what a list and an item
// have. In the form in which lists are exported they are refused.
func TestImportOfLongTexts(t *testing.T) {
	w := newWorld(t)
	long := func(n int) string { return strings.Repeat("é", n) }
	for format, data := range map[string]string{
		"md":        "# %s\n\n\n%s\n- %[4]s\n",
		"bookmarks": `<H1>%s</H1><A HREF="https://a.example/">%[4]s</A><DD>%[3]s</DD>`,
		"json":      `{"schema":"hearth.list.v1","title":"%s","description":"%s","items":[{"content":"%[4]s","source_note":"%[3]s"}]}`,
	} {
		for over := range 2 {
			in := list.ImportIn{Format: format, Data: fmt.Appendf(nil, data, long(200+over), long(2000+over), long(200+over), "x")}
			plan, err := w.PlanImport.Call(t.Context(), w.who["owner"], in)
			if over > 0 && format == "json" {
				if code(err) != "invalid_input" {
					t.Errorf("%s: %v", format, err)
				}
				continue
			}
			got := []int{utf8.RuneCountInString(plan.Title), utf8.RuneCountInString(plan.Description)}
			if err != nil || got[0] != 200 || format != "bookmarks" && got[1] != 2000 {
				t.Errorf("%s, %d over: a title and a description of %d characters, %v", format, over, got, err)
			}
			if err == nil && format != "md" && plan.Items[0].SourceNote != long(200) {
				t.Errorf("%s, %d over: a note of %d characters", format, over, utf8.RuneCountInString(plan.Items[0].SourceNote))
			}
		}
	}
	for _, in := range []list.ImportIn{
		{Format: "json", Data: []byte(`{"schema":"hearth.list.v1","title":"` + long(201) + `"}`)},
		{Format: "json", Data: []byte(`{"schema":"hearth.list.v1","title":"T","description":"` + long(2001) + `"}`)},
		{Format: "md", Data: []byte("- x"), Title: long(201)},
	} {
		if _, err := w.ImportList.Call(t.Context(), w.who["owner"], in); code(err) != "invalid_input" {
			t.Errorf("%.60q: %v", in.Data, err)
		}
	}
}

// The title and the description of an import are trimmed, as those of a list that is
// made.
func TestImportTrimsTexts(t *testing.T) {
	w := newWorld(t)
	in := list.ImportIn{Format: "json", Data: []byte(`{"schema":"hearth.list.v1","title":" Öl &\nEssig ","description":"\n about\nit \n","items":null}`), Visibility: list.Private}
	plan, err := w.PlanImport.Call(t.Context(), w.who["owner"], in)
	if err != nil || plan.Title != "Öl & Essig" || plan.Description != "about\nit" || len(plan.Items) != 0 {
		t.Errorf("got %+v, %v", plan, err)
	}
	out, err := w.ImportList.Call(t.Context(), w.who["owner"], in)
	if err != nil || out.List.Title != "Öl & Essig" || out.List.Description != "about\nit" || out.List.Slug != "ol-essig" {
		t.Errorf("got %+v, %v", out.List, err)
	}
}

// A row of CSV has 20,001 columns at most, and a tag of bookmarks is shorter than 1 MiB.
func TestImportOfLongestRows(t *testing.T) {
	w := newWorld(t)
	bookmark := func(size int) string {
		const tag = `<A HREF="https://a.example/" ICON="">`
		return strings.Replace(tag, `""`, `"`+strings.Repeat("x", size-len(tag))+`"`, 1) + "x</A>"
	}
	for n, c := range []struct{ format, data, want string }{
		{"csv", "content" + strings.Repeat(",a", 20_000) + "\nx", ""}, {"csv", "content" + strings.Repeat(",a", 20_001) + "\nx", "bad_import"},
		{"csv", "content\nx" + strings.Repeat(",", 20_000), ""}, {"csv", "content\nx" + strings.Repeat(",", 20_001), "bad_import"},
		{"bookmarks", bookmark(1<<20 - 1), ""}, {"bookmarks", bookmark(1 << 20), "bad_import"},
	} {
		plan, err := w.PlanImport.Call(t.Context(), w.who["owner"], list.ImportIn{Format: c.format, Data: []byte(c.data)})
		if code(err) != c.want || err == nil && (len(plan.Items) != 1 || plan.Items[0].Content != "x") {
			t.Errorf("%d: %s: %d items, %v", n, c.format, len(plan.Items), err)
		}
	}
}

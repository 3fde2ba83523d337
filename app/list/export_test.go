package list_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// fill adds items to a list until it has n, numbered from 0.
func (w *world) fill(id string, n int) {
	w.t.Helper()
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		l, err := tx.List(w.who["owner"], id)
		for i := l.ItemCount; i < n && err == nil; i++ {
			_, _, err = tx.InsertItem(store.Item{ListID: id, Content: fmt.Sprint(i), AuthorID: l.OwnerID})
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// An export has every item of a list once and in order, also of one that is read in
// several parts.
func TestExportHasAllItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.list(list.Private)
	for _, count := range []int{0, 499, 500, 501, 1000} {
		w.fill(l.ID, count)
		rows, err := csv.NewReader(strings.NewReader(w.export("owner", l.ID, "csv"))).ReadAll()
		if err != nil || len(rows) != count+1 {
			t.Fatalf("%d items: %d rows, %v", count, len(rows), err)
		}
		for n, row := range rows[1:] {
			if row[0] != fmt.Sprint(n) {
				t.Fatalf("%d items: row %d is %q", count, n, row)
			}
		}
	}
}

// As Markdown a list is numbered or has tasks. The further lines of an item are
// indented as far as its first one, and its note is behind it.
func TestMarkdownOfList(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Private, "one", "two\n\nlines * and\nmore")
	for n, link := range []string{"https://one.example/<a>", ""} {
		in := list.UpdateItemIn{ListID: l.ID, ItemID: w.items(l.ID)[n].ID, SourceNote: core.Some(fmt.Sprint("note* ", n)), Link: core.Some(link)}
		if _, err := w.UpdateItem.Call(t.Context(), w.who["owner"], in); err != nil {
			t.Fatal(err)
		}
	}
	numbered := `# A private list

1. [one](<https://one.example/%3Ca%3E>) — note\* 0
2. two  
     
   lines \* and  
   more — note\* 1
`
	tasks := `# A private list

- [ ] [one](<https://one.example/%3Ca%3E>) — note\* 0
- [x] two  
    
  lines \* and  
  more — note\* 1
`
	if got := w.export("owner", l.ID, "md"); got != numbered {
		t.Errorf("got\n%s\nwant\n%s", got, numbered)
	}
	w.checkable(l.ID, true)
	if _, err := w.check("owner", w.items(l.ID)[1], true); err != nil {
		t.Fatal(err)
	}
	if got := w.export("owner", l.ID, "md"); got != tasks {
		t.Errorf("got\n%s\nwant\n%s", got, tasks)
	}
}

// turned is a writer that does something once something was written.
type turned struct{ do func() }

func (t *turned) Write(b []byte) (int, error) {
	if t.do != nil {
		t.do()
		t.do = nil
	}
	return len(b), nil
}

// An export ends with an error, in each format, once its reader no longer sees the
// list. So the part that was sent before is not taken for the whole.
func TestExportEndsWithAccess(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "md", "csv"} {
		for name, end := range map[string]func(w *world, l list.List) error{
			"it is made private": func(w *world, l list.List) error {
				_, err := w.UpdateList.Call(t.Context(), w.who["owner"], list.UpdateListIn{ID: l.ID, Visibility: core.Some(list.Private)})
				return err
			},
			"it is deleted": func(w *world, l list.List) error {
				_, err := w.DeleteList.Call(t.Context(), w.who["owner"], list.DeleteListIn{ID: l.ID})
				return err
			},
			"nothing": func(*world, list.List) error { return nil },
		} {
			w := newWorld(t)
			l := w.list(list.Public)
			w.fill(l.ID, 1000)
			err := w.Export(t.Context(), w.who["stranger"], list.ExportIn{ID: l.ID, Format: format}, func(string) io.Writer {
				return &turned{func() {
					if err := end(w, l); err != nil {
						t.Fatal(err)
					}
				}}
			})
			if (err == nil) != (name == "nothing") {
				t.Errorf("%s, %s: %v", format, name, err)
			}
		}
	}
}

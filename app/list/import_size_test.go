package list

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A list that got items while it is imported has no more than others do.
func TestImportIntoFullList(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	by := storetest.Human(storetest.People(t, db).Ada)
	items := []PortableItem{{Content: "a"}, {Content: "b"}}
	for added, want := range map[int]string{maxItems - 2: "", maxItems - 1: "list_full"} {
		undo := errors.New("undo")
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			l, err := tx.InsertList(store.List{OwnerID: by.UserID, Title: "A list", Visibility: Private, Slug: "a-list"})
			if err != nil {
				return err
			}
			for range added {
				if _, _, err := tx.InsertItem(store.Item{ListID: l.ID, AuthorID: by.UserID, Content: "x"}); err != nil {
					return err
				}
			}
			got := ""
			if err := insertAll(tx, by, l, importRows(by, l, items)); err != nil {
				got = core.As(err).Code
				if e := core.As(err); !strings.Contains(e.Msg, "room for 1 more. Others were added") ||
					!strings.Contains(e.ReceiptMsg, "no room for 2 more. Others were added") {
					t.Errorf("beside %d items: %q, and %q", added, e.Msg, e.ReceiptMsg)
				}
			}
			if got != want {
				t.Errorf("beside %d items: %q, want %q", added, got, want)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}
}

// hanText returns a text of n characters that are all words, without the same two after
// each other.
func hanText(n int) string {
	var b strings.Builder
	for c := range n {
		b.WriteRune(rune(0x4e00 + c*7919%20000))
	}
	return b.String()
}

// An import is written in parts with a bounded number of items and bytes of text.
func TestWritesOfAnImport(t *testing.T) {
	t.Parallel()
	long, many := make([]PortableItem, 100), make([]PortableItem, 450)
	for n := range long {
		long[n].Content = hanText(1990)
		if n%10 == 0 {
			long[n].Metadata = jsontext.Value(`{"a":"` + strings.Repeat("x", 9000) + `"}`)
		}
	}
	for n := range many {
		many[n].Content = fmt.Sprint("item ", n)
	}
	for name, c := range map[string]struct {
		items  []PortableItem
		writes int // at most
	}{"long items": {long, 12}, "many items": {many, 3}} {
		db := storetest.Open(t)
		by := storetest.Human(storetest.People(t, db).Ada)
		data, err := json.Marshal(Portable{Schema: exportSchema, Title: "T", Items: c.items})
		if err != nil {
			t.Fatal(err)
		}
		out, err := New(Config{DB: db.DB, CursorKey: make([]byte, 32)}).ImportList.Call(t.Context(), by,
			ImportIn{Format: "json", Visibility: Private, Data: data})
		if err != nil {
			t.Fatal(err)
		}
		var stored []store.Item
		if err := db.Read(t.Context(), func(r *store.Reader) (err error) {
			stored, err = r.Items(by, out.List.ID, 1000, 0)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(stored, c.items, func(i store.Item, p PortableItem) bool { return i.Content == p.Content }) {
			t.Errorf("%s: the items are not those of the import, in order", name)
		}
		items, bytes := map[store.Time]int{}, map[store.Time]int{}
		for _, i := range stored { // those of one write have its time
			items[i.CreatedAt]++
			bytes[i.CreatedAt] += len(i.Content) + len(i.SourceURL) + len(i.Metadata)
		}
		for at := range items {
			if bytes[at] > 64<<10 || items[at] > 200 {
				t.Errorf("%s: one write has %d items with %d bytes", name, items[at], bytes[at])
			}
		}
		if len(items) > c.writes {
			t.Errorf("%s: %d writes, want at most %d", name, len(items), c.writes)
		}
	}
}

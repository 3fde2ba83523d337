package list

import (
	"errors"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A list that got items while it is imported has no more than others do.
func TestImportIntoFullList(t *testing.T) {
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
			if err := insertAll(tx, by, l, items); err != nil {
				got = core.As(err).Code
				if e := core.As(err); !strings.Contains(e.Msg, "room for 1 more. Others were added") || !strings.Contains(e.ReceiptMsg, "no room for 2 more. Others were added") {
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

// An import counts as the text that it stores, in the form in which it is stored.
func TestTextSizeOfAnImport(t *testing.T) {
	in := &ImportIn{Format: "json", Data: []byte(`{"schema":"hearth.list.v1","title":"Soups","description":"for grey days","items":[
		{"content":"Borscht","link":"https://soup.example","metadata":{ "beet" : [ 1, 2 ] }},
		{"content":"Laksa"}]}`)}
	p, err := in.read()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(p.Items[0].Metadata), `{"beet":[1,2]}`; got != want {
		t.Errorf("the metadata is %s, want %s", got, want)
	}
	if got, want := in.TextSize(), len("Soups"+"for grey days"+"Borscht"+"https://soup.example"+`{"beet":[1,2]}`+"Laksa"); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if got := in.Rows(); got != 3 {
		t.Errorf("%d rows", got)
	}
	if size := (&ImportIn{Format: "json", Data: []byte("{")}).TextSize(); size != 0 {
		t.Errorf("what is not stored has %d bytes", size)
	}
}

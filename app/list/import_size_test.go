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

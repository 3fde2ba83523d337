package list

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// AddItemsIn is the input of AddItems.
type AddItemsIn struct {
	ListID string    `path:"id" json:"-"`
	Items  []NewItem `json:"items" required:"true" min:"1" max:"100" doc:"In order; all are added, or none."`
}

// AddItemsOut has the added items.
type AddItemsOut struct {
	Items      []Item      `json:"items"`
	Duplicates []Duplicate `json:"duplicates" read:"others" doc:"Those of them with a link that the list had already. All stay."`
}

// Duplicate is an item with the same link as an earlier one of its list.
type Duplicate struct {
	ItemID      string `json:"item_id" format:"uuid"`
	DuplicateOf string `json:"duplicate_of" format:"uuid"`
}

// addItems adds several items with the rules of addItem, for accounts only. After an error none is added.
func (s *Service) addItems(ctx context.Context, by store.Viewer, in AddItemsIn) (out AddItemsOut, err error) {
	rows, err := CreateListIn{Items: in.Items}.rows()
	if err != nil {
		return out, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.List(by, in.ListID)
		if err != nil {
			return core.Found(err)
		}
		if err := MayAdd(listOf(l), by); err != nil {
			return err
		}
		if l.ItemCount+len(rows) > maxItems {
			return errListFull(l, len(rows), "Delete some, add no more than there is room for, or start another list.")
		}
		out, err = insertItems(tx, by, l.ID, rows)
		return err
	})
	return out, err
}

func insertItems(tx *store.Tx, by store.Viewer, listID string, rows []store.Item) (AddItemsOut, error) {
	out := AddItemsOut{Items: []Item{}, Duplicates: []Duplicate{}}
	for _, row := range rows {
		row.ListID, row.AuthorID = listID, by.UserID
		duplicate, err := tx.SameLink(listID, row.SourceURL)
		if err != nil {
			return out, err
		}
		one, err := insertItem(tx, by, row)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, one.Item)
		if duplicate != "" {
			out.Duplicates = append(out.Duplicates, Duplicate{one.Item.ID, duplicate})
		}
	}
	return out, nil
}

// ListOf returns the id of an item's list. It returns NotFound if by may not see the list.
func (s *Service) ListOf(ctx context.Context, by store.Viewer, itemID string) (id string, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		id, err = r.ListOfItem(by, itemID)
		return err
	})
	return id, core.Found(err)
}

package list

import (
	"context"
	"fmt"

	"hearth/app/core"
	"hearth/store"
)

const maxHeld = 500

func holdItem(tx *store.Tx, l store.List, row store.Item) (out AddItemOut, err error) {
	n, err := tx.HeldCount(l.ID)
	if err != nil {
		return out, err
	}
	if n >= maxHeld {
		return out, core.New(core.Conflict, "queue_full", "%d items wait for the owner of this list already. Try again in a few days.", n)
	}
	row, err = tx.HoldItem(row)
	out.Item, out.Held = itemOf(row, l.ItemCount), true
	return out, err
}

// QueueOut has the items that await approval, oldest first.
type QueueOut struct {
	Items []Item `json:"items" doc:"At most 100. Their position is that which they would get."`
	Total int    `json:"total"`
}

// queue returns Forbidden to everybody but the owner and the editors.
func (s *Service) queue(ctx context.Context, by store.Viewer, in GetListIn) (out QueueOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		l, err := r.List(by, in.ID)
		if err != nil {
			return core.Found(err)
		}
		if err := MayEdit(listOf(l)); err != nil {
			return err
		}
		rows, total, err := r.HeldItems(by, l.ID, 100)
		out.Items, out.Total = make([]Item, len(rows)), total
		for n, row := range rows {
			out.Items[n] = itemOf(row, l.ItemCount+n)
		}
		return err
	})
	return out, err
}

// ApproveItemIn is the input of ApproveItem.
type ApproveItemIn struct {
	ListID  string `path:"id" json:"-"`
	ItemID  string `path:"item_id" json:"-"`
	IfMatch string `header:"If-Match" json:"-" max:"200" doc:"The version of the item that was read: its updated_at. Whoever added it can change it while it waits; if it is another one, it is not approved."`
}

// approveItem moves an item from the queue to the end of its list, with its id. It returns Precondition if
// the item was changed after the version in If-Match.
func (s *Service) approveItem(ctx context.Context, by store.Viewer, in ApproveItemIn) (out ItemOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, held, err := heldItem(tx, by, GetItemIn{ListID: in.ListID, ItemID: in.ItemID})
		if err != nil {
			return err
		}
		if err := unchanged(in.IfMatch, held.UpdatedAt); err != nil {
			return err
		}
		if l.ItemCount >= maxItems {
			return errListFull(l, 1, "Delete some of its items, and then approve this one, which waits until then.")
		}
		if err := tx.DeleteHeld(held.ID); err != nil {
			return err
		}
		added, err := insertItem(tx, by, held)
		out.Item = added.Item
		return err
	})
	return out, err
}

func (s *Service) rejectItem(ctx context.Context, by store.Viewer, in GetItemIn) (core.None, error) {
	return core.None{}, s.db.Write(ctx, func(tx *store.Tx) error {
		_, held, err := heldItem(tx, by, in)
		if err != nil {
			return err
		}
		return tx.DeleteHeld(held.ID)
	})
}

func heldItem(tx *store.Tx, by store.Viewer, in GetItemIn) (l store.List, held store.Item, err error) {
	if l, err = tx.List(by, in.ListID); err != nil {
		return l, held, core.Found(err)
	}
	if err = MayEdit(listOf(l)); err != nil {
		return l, held, err
	}
	held, err = tx.HeldItem(by, in.ListID, in.ItemID)
	return l, held, core.Found(err)
}

// errListFull describes how many items fit, and next. A caller who may not read does not learn the number.
func errListFull(l store.List, adding int, next string) error {
	state := "is full"
	if free := maxItems - l.ItemCount; free > 0 {
		state = fmt.Sprintf("has room for %d more", free)
	}
	e := core.New(core.Invalid, "list_full", "A list has at most 20,000 items, and this one %s. %s", state, next)
	if adding > 1 {
		return e.InReceipts(fmt.Sprintf("A list has at most 20,000 items, and this one has no room for %d more. %s", adding, next))
	}
	return e
}

package list

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

const maxHeld = 500

func holdItem(tx *store.Tx, l store.List, row store.Item) (Item, error) {
	n, err := tx.HeldCount(l.ID)
	if err == nil && n >= maxHeld {
		err = core.New(core.Conflict, "queue_full", "%d items wait for the owner of this list already. Try again in a few days.", n)
	}
	if err != nil {
		return Item{}, err
	}
	if row, err = tx.HoldItem(row); err == nil {
		err = tx.Emit(store.Event{Topic: l.ID, Kind: itemHeld, ObjectID: row.ID})
	}
	return itemOf(row, l.ItemCount), cmp.Or(err, queueChanged(tx, l.ID))
}

// queueChanged tells who approves the items of a list that what waits there changed.
func queueChanged(tx *store.Tx, listID string) error {
	ids, err := tx.HeldFor(listID)
	return cmp.Or(err, core.InboxChanged(tx, ids...))
}

func deleteHeld(tx *store.Tx, i store.Item) error {
	return cmp.Or(tx.DeleteHeld(i.ID), queueChanged(tx, i.ListID))
}

// QueueOut has the items that await approval, oldest first.
type QueueOut struct {
	Items []Item `json:"items" doc:"At most 100. Their position is that which they would get."`
	Total int    `json:"total"`
}

// queue returns Forbidden to everybody but the owner and the editors.
func queue(r *store.Reader, by store.Viewer, in GetListIn) (out QueueOut, err error) {
	l, err := listFor(r, by, in.ID, MayEdit)
	if err != nil {
		return out, err
	}
	rows, total, err := r.HeldItems(by, l.ID, 100)
	return QueueOut{itemsOf(rows, l.ItemCount), total}, err
}

// ApproveItemIn is the input of ApproveItem.
type ApproveItemIn struct {
	ListID  string `path:"id" json:"-"`
	ItemID  string `path:"item_id" json:"-"`
	IfMatch string `header:"If-Match" json:"-" max:"200" doc:"The updated_at of the item that was read. A changed item is not approved."`
}

// approveItem moves an item from the queue to the end of its list, with its id. It returns Precondition if
// the item was changed after the version in If-Match.
func approveItem(tx *store.Tx, by store.Viewer, in ApproveItemIn) (out ItemOut, err error) {
	l, held, err := heldItem(tx, by, in.ListID, in.ItemID)
	if err == nil {
		err = unchanged(in.IfMatch, held.UpdatedAt)
	}
	if err == nil && l.ItemCount >= maxItems {
		err = errListFull(1, "Delete some of its items, and then approve this one, which waits until then.")
	}
	if err == nil {
		err = deleteHeld(tx, held)
	}
	if err == nil {
		out.Item, err = insertItem(tx, by, held)
	}
	return out, err
}

func rejectItem(tx *store.Tx, by store.Viewer, in GetItemIn) (out core.None, err error) {
	_, held, err := heldItem(tx, by, in.ListID, in.ItemID)
	if err == nil {
		err = deleteHeld(tx, held)
	}
	return out, err
}

func heldItem(tx *store.Tx, by store.Viewer, listID, itemID string) (l store.List, held store.Item, err error) {
	if l, err = listFor(&tx.Reader, by, listID, MayEdit); err == nil {
		held, err = tx.HeldItem(by, listID, itemID)
	}
	return l, held, err
}

func errListFull(adding int, next string) error {
	return core.New(core.Invalid, "list_full", "A list has at most 20,000 items, and this one has no room for %d more. %s", adding, next)
}

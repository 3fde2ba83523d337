package list

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

const receiptTime = 24 * time.Hour

// ReceiptIn identifies an item that was added without an account.
type ReceiptIn struct {
	Receipt string `path:"receipt" json:"-"`
}

// ReceiptOut is an item that was added without an account, for its author.
type ReceiptOut struct {
	Item      Item       `json:"item"`
	ListTitle string     `json:"list_title"`
	Held      bool       `json:"held" doc:"It waits for the owner of the list or an editor."`
	ExpiresAt store.Time `json:"expires_at" doc:"Until when it can be changed or withdrawn."`

	Fixed bool `json:"-"` // it can only be withdrawn
}

// getReceipt returns NotFound after the receipt has expired, the item is deleted or rejected, or the list is
// not public.
func getReceipt(r *store.Reader, _ store.Viewer, in ReceiptIn) (ReceiptOut, error) {
	got, err := r.Receipt(core.Digest(in.Receipt))
	position := 0
	if err == nil && !got.Held {
		position, err = r.ItemPosition(store.Viewer{}, got.Item.ListID, got.Item.ID)
	}
	return ReceiptOut{Item: itemOf(got.Item, position), ListTitle: got.ListTitle, Held: got.Held, ExpiresAt: got.ExpiresAt,
		Fixed: mayChangeByReceipt(got) != nil}, err
}

// UpdateByReceiptIn is the input of UpdateByReceipt. Omitted members keep their value.
type UpdateByReceiptIn struct {
	Receipt  string                   `path:"receipt" json:"-"`
	Content  core.Opt[string]         `json:"content,omitzero" notnull:"true" min:"1" max:"2000"`
	Link     core.Opt[string]         `json:"link,omitzero" max:"2048" format:"url" doc:"Null or empty clears it."`
	Metadata core.Opt[jsontext.Value] `json:"metadata,omitzero" format:"object" max:"10000" doc:"Replaces all of it; null clears it."`
}

// updateByReceipt returns Forbidden once the list is not open. On a moderated list it also returns Forbidden after
// the approval, because the approved text must stay.
func updateByReceipt(tx *store.Tx, by store.Viewer, in UpdateByReceiptIn) (out ReceiptOut, err error) {
	meta, err := core.Compact("metadata", in.Metadata.V)
	if err != nil {
		return out, err
	}
	got, err := tx.Receipt(core.Digest(in.Receipt))
	if err == nil {
		err = mayChangeByReceipt(got)
	}
	if err != nil {
		return out, err
	}
	i := UpdateItemIn{Content: in.Content, Link: in.Link, Metadata: in.Metadata}.apply(got.Item, meta)
	switch {
	case i == got.Item:
	case got.Held:
		err = cmp.Or(tx.UpdateHeld(i), queueChanged(tx, i.ListID))
	default:
		err = cmp.Or(tx.UpdateItem(i), tx.Emit(store.Event{Topic: i.ListID, Kind: itemUpdated, ObjectID: i.ID}))
	}
	if err != nil {
		return out, err
	}
	return getReceipt(&tx.Reader, by, ReceiptIn{in.Receipt})
}

func deleteByReceipt(tx *store.Tx, _ store.Viewer, in ReceiptIn) (out core.None, err error) {
	got, err := tx.Receipt(core.Digest(in.Receipt))
	switch {
	case err != nil:
		return out, err
	case got.Held:
		return out, deleteHeld(tx, got.Item)
	}
	return out, cmp.Or(tx.DeleteItem(got.Item), tx.Emit(store.Event{Topic: got.Item.ListID, Kind: itemDeleted, ObjectID: got.Item.ID}))
}

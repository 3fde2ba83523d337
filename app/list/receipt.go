package list

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

const receiptTime = 24 * time.Hour

func newReceipt() string { return "rc_" + rand.Text() }

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
func (s *Service) getReceipt(ctx context.Context, _ store.Viewer, in ReceiptIn) (out ReceiptOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		out, err = readReceipt(r, in.Receipt)
		return err
	})
	return out, core.Found(err)
}

func readReceipt(r *store.Reader, receipt string) (ReceiptOut, error) {
	got, err := r.Receipt(core.Digest(receipt))
	out := receiptOf(got)
	if err == nil && !got.Held {
		out.Item.Position, err = r.ItemPosition(store.Viewer{}, got.Item.ListID, got.Item.ID)
	}
	return out, err
}

func receiptOf(r store.Receipt) ReceiptOut {
	return ReceiptOut{Item: itemOf(r.Item, 0), ListTitle: r.ListTitle, Held: r.Held, ExpiresAt: r.ExpiresAt,
		Fixed: mayChangeByReceipt(r) != nil}
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
func (s *Service) updateByReceipt(ctx context.Context, _ store.Viewer, in UpdateByReceiptIn) (out ReceiptOut, err error) {
	meta, err := core.Compact("metadata", in.Metadata.V)
	if err != nil {
		return out, err
	}
	change := UpdateItemIn{Content: in.Content, Link: in.Link, Metadata: in.Metadata}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		got, err := tx.Receipt(core.Digest(in.Receipt))
		if err == nil {
			err = mayChangeByReceipt(got)
		}
		if err == nil {
			err = changeHeldOrShown(tx, got, change.apply(got.Item, meta))
		}
		if err == nil {
			out, err = readReceipt(&tx.Reader, in.Receipt)
		}
		return err
	})
	return out, core.Found(err)
}

func changeHeldOrShown(tx *store.Tx, got store.Receipt, i store.Item) error {
	switch {
	case i == got.Item:
		return nil
	case got.Held:
		return tx.UpdateHeld(i)
	}
	if err := tx.UpdateItem(i); err != nil {
		return err
	}
	return tx.Emit(store.Event{Topic: i.ListID, Kind: itemUpdated, ObjectID: i.ID})
}

func (s *Service) deleteByReceipt(ctx context.Context, _ store.Viewer, in ReceiptIn) (core.None, error) {
	return core.None{}, core.Found(s.db.Write(ctx, func(tx *store.Tx) error {
		got, err := tx.Receipt(core.Digest(in.Receipt))
		if err != nil {
			return err
		}
		if got.Held {
			return tx.DeleteHeld(got.Item.ID)
		}
		if err := tx.DeleteItem(got.Item); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: got.Item.ListID, Kind: itemDeleted, ObjectID: got.Item.ID})
	}))
}

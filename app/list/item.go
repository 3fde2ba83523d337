package list

import (
	"context"
	"net/url"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// NewItem is the content of a new item.
type NewItem struct {
	Content  string         `json:"content" required:"true" min:"1" max:"2000"`
	Link     string         `json:"link" max:"2048" format:"url" doc:"Where it can be found; becomes source_url. If content is nothing but a link, it is that one by default."`
	Metadata jsontext.Value `json:"metadata" format:"object" max:"10000" doc:"Anything else; stored as it is sent."`
}

func (n NewItem) row() (store.Item, error) {
	meta, err := core.Compact("metadata", n.Metadata)
	if n.Link == "" && isLink(n.Content) {
		n.Link = n.Content
	}
	return store.Item{Content: n.Content, SourceURL: n.Link, Metadata: meta}, err
}

func isLink(text string) bool {
	if len(text) > 2048 || strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// AddItemIn is the input of AddItem.
type AddItemIn struct {
	ListID string `path:"id" json:"-"`
	NewItem
	Reporter string `json:"reporter" max:"200" line:"true" plain:"true" doc:"With the public agent key: who found it. Required then."`
}

// AddItemOut is the added item, or the item that awaits approval.
type AddItemOut struct {
	Item        Item    `json:"item" doc:"An item that waits has the position after the last of the list."`
	Held        bool    `json:"held" doc:"It was added without an account to a moderated list, and waits for the owner or an editor. The status is then 202."`
	Receipt     *string `json:"receipt,omitzero" doc:"For what was added without an account, once: with it the item can be changed or withdrawn at /api/receipts/{receipt} for 24 hours."`
	DuplicateOf *string `json:"duplicate_of,omitzero" read:"own" format:"uuid" doc:"An item of the list that has the same link already. Both stay."`
}

// Accepted implements op.Accepted.
func (o *AddItemOut) Accepted() bool { return o.Held }

// addItem adds an item at the end. The owner and the editors may always; every account and the public agent
// key may on an open list. An item with the public key has a reporter instead of an author. On a moderated
// list such items await approval.
func (s *Service) addItem(ctx context.Context, by store.Viewer, in AddItemIn) (out AddItemOut, err error) {
	anonymous := by.Kind == store.PublicKey
	if anonymous && in.Reporter == "" {
		return out, core.InvalidField("reporter",
			"reporter is required with the public agent key: name who found this, in at most 200 characters.")
	}
	row, err := in.row()
	if err != nil {
		return out, err
	}
	if row.ListID, row.AuthorID = in.ListID, by.UserID; anonymous {
		row.AuthorID, row.Anonymous, row.SourceNote = "", true, in.Reporter
	}
	receipt := newReceipt()
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.List(by, in.ListID)
		if err != nil {
			return core.Found(err)
		}
		if err := MayAdd(listOf(l), by); err != nil {
			return err
		}
		if l.ItemCount >= maxItems {
			return errListFull(l, 1, "Delete some, or start another list.")
		}
		if anonymous {
			if err := limit.OpenListItems.UseStored(tx, by.IP+":"+l.ID, 1); err != nil {
				return err
			}
		}
		duplicate, err := tx.SameLink(l.ID, row.SourceURL)
		if err != nil {
			return err
		}
		if anonymous && l.Moderated {
			out, err = holdItem(tx, l, row)
		} else {
			out, err = insertItem(tx, by, row)
		}
		if err == nil && anonymous {
			out.Receipt = &receipt
			_, err = tx.InsertReceipt(core.Digest(receipt), store.Item{ID: out.Item.ID, ListID: l.ID}, receiptTime)
		}
		out.DuplicateOf = core.OrNil(duplicate)
		return err
	})
	return out, err
}

func insertItem(tx *store.Tx, by store.Viewer, row store.Item) (out AddItemOut, err error) {
	row, position, err := tx.InsertItem(row)
	if err != nil {
		return out, err
	}
	if err := tx.Emit(store.Event{Topic: row.ListID, Kind: itemCreated, ObjectID: row.ID, ActorID: row.AuthorID}); err != nil {
		return out, err
	}
	row, err = tx.Item(by, row.ListID, row.ID)
	out.Item = itemOf(row, position)
	return out, err
}

// UpdateItemIn is the input of UpdateItem. Omitted members keep their value.
type UpdateItemIn struct {
	ListID     string                   `path:"id" json:"-"`
	ItemID     string                   `path:"item_id" json:"-"`
	Content    core.Opt[string]         `json:"content,omitzero" notnull:"true" min:"1" max:"2000"`
	Link       core.Opt[string]         `json:"link,omitzero" max:"2048" format:"url" doc:"Becomes source_url. Null or empty clears it."`
	Metadata   core.Opt[jsontext.Value] `json:"metadata,omitzero" format:"object" max:"10000" doc:"Replaces all of it; null clears it."`
	SourceNote core.Opt[string]         `json:"source_note,omitzero" max:"200" line:"true" plain:"true" doc:"Null or empty clears it. The reporter of an item added without an account stays."`
	Position   core.Opt[int]            `json:"position,omitzero" notnull:"true" min:"0" doc:"Where to move it, 0 for the top; those between move up or down. Only the owner and the editors."`
	Checked    core.Opt[bool]           `json:"checked,omitzero" notnull:"true" doc:"Whether it is checked off. Only on a checkable list."`
	IfMatch    string                   `header:"If-Match" json:"-" max:"200" doc:"The version of the item that is to be changed: its updated_at, or the ETag of a response. If it is another one, nothing is changed."`
}

// updateItem changes, moves or checks off an item. The owner and the editors may. On an open list the author
// may for 24 hours, except for a move.
func (s *Service) updateItem(ctx context.Context, by store.Viewer, in UpdateItemIn) (out ItemOut, err error) {
	meta, err := core.Compact("metadata", in.Metadata.V)
	if err != nil {
		return out, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		c := itemChange{in: in, tx: tx, by: by}
		if err := c.load(meta); err != nil {
			return err
		}
		if err := c.permitted(); err != nil {
			return err
		}
		out, err = c.write()
		return err
	})
	if err == nil && !in.Position.Set {
		out.Item.Position, err = s.position(ctx, by, GetItemIn{in.ListID, in.ItemID})
	}
	return out, err
}

// position counts outside the write, because it reads the index up to the item.
func (s *Service) position(ctx context.Context, by store.Viewer, in GetItemIn) (position int, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		position, err = r.ItemPosition(by, in.ListID, in.ItemID)
		return err
	})
	return position, core.Found(err)
}

func (in UpdateItemIn) apply(i store.Item, metadata string) store.Item {
	in.Content.Into(&i.Content)
	in.Link.Into(&i.SourceURL)
	if in.Metadata.Set {
		i.Metadata = metadata
	}
	in.SourceNote.Into(&i.SourceNote)
	return i
}

type itemChange struct {
	in    UpdateItemIn
	tx    *store.Tx
	by    store.Viewer
	place store.Place // the new place, if in has a position

	list     store.List
	old, new store.Item
	moves    bool
}

func (c *itemChange) load(metadata string) (err error) {
	if c.list, c.old, err = changeable(c.tx, c.by, c.in.ListID, c.in.ItemID); err != nil {
		return err
	}
	if err := unchanged(c.in.IfMatch, c.old.UpdatedAt); err != nil {
		return err
	}
	c.new = c.in.apply(c.old, metadata)
	if !c.in.Position.Set {
		return nil
	}
	c.place, err = c.tx.Place(c.by, c.list, c.old.ID, c.in.Position.V)
	c.moves = !c.old.IsIn(c.place)
	return err
}

// permitted returns an error for a change that only the owner and the editors may make.
func (c *itemChange) permitted() error {
	switch {
	case c.new.SourceNote != c.old.SourceNote && c.old.Anonymous:
		return core.New(core.Conflict, "reporter_stays",
			"This item was added without an account, so source_note names who reported it and cannot be changed. Leave it out.")
	case c.in.Position.Set && c.in.Position.V >= c.list.ItemCount:
		return core.InvalidField("position", "position must be a whole number from 0 to %d, the last of the list.", c.list.ItemCount-1).
			InReceipts("position must be a whole number from 0 to the last of the list.")
	case c.in.Checked.Set && !c.list.Checkable:
		return errNotCheckable()
	case c.moves:
		return MayEdit(listOf(c.list))
	}
	return nil
}

func errNotCheckable() error {
	e := core.InvalidField("checked", "Items of this list cannot be checked off. Make it checkable first.")
	e.Code = "not_checkable"
	return e
}

func (c *itemChange) write() (out ItemOut, err error) {
	edited, checked := c.new != c.old, false
	if edited {
		err = c.tx.UpdateItem(c.new)
	}
	if err == nil && c.moves {
		err = c.tx.MoveItem(c.new, c.place)
	}
	if err == nil && c.in.Checked.Set {
		checked, err = c.tx.CheckItem(c.new, c.in.Checked.V, c.by.UserID)
	}
	if err == nil && (edited || c.moves || checked) {
		err = c.tx.Emit(store.Event{Topic: c.list.ID, Kind: itemUpdated, ObjectID: c.new.ID, ActorID: c.by.UserID})
	}
	if err != nil {
		return out, err
	}
	row, err := c.tx.Item(c.by, c.list.ID, c.new.ID)
	out.Item = itemOf(row, c.in.Position.V)
	return out, err
}

// DeleteItemIn is the input of DeleteItem.
type DeleteItemIn struct {
	ListID  string `path:"id" json:"-"`
	ItemID  string `path:"item_id" json:"-"`
	IfMatch string `header:"If-Match" json:"-" max:"200" doc:"The version of the item that is to be deleted."`
}

// deleteItem deletes an item. The owner and the editors may, and for 24 hours the author of an item on an
// open list.
func (s *Service) deleteItem(ctx context.Context, by store.Viewer, in DeleteItemIn) (core.None, error) {
	return core.None{}, s.db.Write(ctx, func(tx *store.Tx) error {
		_, i, err := changeable(tx, by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		if err := unchanged(in.IfMatch, i.UpdatedAt); err != nil {
			return err
		}
		if err := tx.DeleteItem(i); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: i.ListID, Kind: itemDeleted, ObjectID: i.ID, ActorID: by.UserID})
	})
}

func changeable(tx *store.Tx, by store.Viewer, listID, itemID string) (l store.List, i store.Item, err error) {
	if l, err = tx.List(by, listID); err != nil {
		return l, i, core.Found(err)
	}
	if i, err = tx.Item(by, listID, itemID); err != nil {
		return l, i, core.Found(err)
	}
	return l, i, MayChange(listOf(l), itemOf(i, 0), by, tx.Reader.Now())
}

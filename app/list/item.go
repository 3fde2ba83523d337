package list

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

const (
	authorTime = 24 * time.Hour
	maxItems   = 20_000
)

// ItemsIn is the input of Items.
type ItemsIn struct {
	ListID string `path:"id" json:"-"`
	Limit  int    `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Offset int    `query:"offset" json:"-" min:"0" doc:"Position of the first item."`
}

// ItemsOut is a page of a list's items by position.
type ItemsOut struct {
	Items []Item `json:"items"`
	Total int    `json:"total" doc:"How many items the list has."`
}

func items(r *store.Reader, by store.Viewer, in ItemsIn) (out ItemsOut, err error) {
	l, err := r.List(by, in.ListID)
	if err != nil {
		return out, err
	}
	rows, err := r.Items(by, l.ID, in.Limit, in.Offset)
	return ItemsOut{itemsOf(rows, in.Offset), l.ItemCount}, err
}

// GetItemIn is the input of GetItem.
type GetItemIn struct {
	ListID string `path:"id" json:"-"`
	ItemID string `path:"item_id" json:"-"`
}

// GetItemOut is an item, with other uses of its link.
type GetItemOut struct {
	ItemOut
	AlsoOn AlsoOn `json:"also_on"`
}

// AlsoOn has the lists of the caller's indexes that include the same link.
type AlsoOn struct {
	Count int       `json:"count"`
	Lists []LinkUse `json:"lists" doc:"At most 10 of them, the newest change first."`
}

// LinkUse is an item with the same link on another list.
type LinkUse struct {
	ListID string `json:"list_id" format:"uuid"`
	Title  string `json:"title"`
	ItemID string `json:"item_id" format:"uuid"`
}

func getItem(r *store.Reader, by store.Viewer, in GetItemIn) (out GetItemOut, err error) {
	if out.ItemOut, err = readItem(r, by, in); err != nil {
		return out, err
	}
	uses, total, err := r.LinkUses(by, in.ListID, core.OrZero(out.Item.SourceURL), 10)
	out.AlsoOn = AlsoOn{Count: total, Lists: core.Map(uses, func(u store.LinkUse) LinkUse { return LinkUse(u) })}
	return out, err
}

func readItem(r *store.Reader, by store.Viewer, in GetItemIn) (out ItemOut, err error) {
	i, err := r.Item(by, in.ListID, in.ItemID)
	if err != nil {
		return out, err
	}
	position, err := r.ItemPosition(by, in.ListID, in.ItemID)
	return ItemOut{itemOf(i, position)}, err
}

// NewItem is the content of a new item.
type NewItem struct {
	Content  string         `json:"content" required:"true" min:"1" max:"2000"`
	Link     string         `json:"link" max:"2048" format:"url" doc:"Becomes source_url. By default the content, if that is only a link."`
	Metadata jsontext.Value `json:"metadata" format:"object" max:"10000" doc:"Anything else; stored as it is sent."`
}

func (n NewItem) row() (store.Item, error) {
	meta, err := core.Compact("metadata", n.Metadata)
	if n.Link == "" && isLink(n.Content) {
		n.Link = n.Content
	}
	return store.Item{Content: n.Content, SourceURL: n.Link, Metadata: meta}, err
}

func rowsOf(items []NewItem) (rows []store.Item, err error) {
	rows = make([]store.Item, len(items))
	for n, i := range items {
		if rows[n], err = i.row(); err != nil {
			return nil, err
		}
	}
	return rows, nil
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
	Held        bool    `json:"held" doc:"It was added without an account, and waits for review. The status is 202."`
	Receipt     *string `json:"receipt,omitzero" doc:"Without an account: changes the item at /api/receipts/{receipt} for 24 hours."`
	DuplicateOf *string `json:"duplicate_of,omitzero" read:"own" format:"uuid" doc:"An item of the list with the same link. Both stay."`
}

// Accepted implements op.Accepted.
func (o *AddItemOut) Accepted() bool { return o.Held }

// addItem adds an item at the end. The owner and the editors may always; every account and the public agent
// key may on an open list. An item with the public key has a reporter instead of an author. On a moderated
// list such items await approval.
func addItem(tx *store.Tx, by store.Viewer, in AddItemIn) (out AddItemOut, err error) {
	anonymous := by.Kind == store.PublicKey
	if anonymous && in.Reporter == "" {
		return out, core.InvalidField("reporter",
			"reporter is required with the public agent key: name who found this, in at most 200 characters.")
	}
	row, err := in.row()
	if err != nil {
		return out, err
	}
	l, err := listFor(&tx.Reader, by, in.ListID, mayAdd(by))
	if err == nil && l.ItemCount >= maxItems {
		err = errListFull(1, "Delete some, or start another list.")
	}
	if err == nil && anonymous {
		err = limit.OpenListItems.UseStored(tx, by.IP+":"+l.ID, 1)
	}
	if err != nil {
		return out, err
	}
	duplicate, err := tx.SameLink(l.ID, row.SourceURL)
	if err != nil {
		return out, err
	}
	out.DuplicateOf = core.OrNil(duplicate)
	row.ListID, row.AuthorID = l.ID, by.UserID
	if !anonymous {
		out.Item, err = insertItem(tx, by, row)
		return out, err
	}
	row.AuthorID, row.Anonymous, row.SourceNote = "", true, in.Reporter
	if out.Held = l.Moderated; out.Held {
		out.Item, err = holdItem(tx, l, row)
	} else {
		out.Item, err = insertItem(tx, by, row)
	}
	if err == nil {
		out.Receipt = new("rc_" + rand.Text())
		_, err = tx.InsertReceipt(core.Digest(*out.Receipt), store.Item{ID: out.Item.ID, ListID: l.ID}, receiptTime)
	}
	return out, err
}

func insertItem(tx *store.Tx, by store.Viewer, row store.Item) (Item, error) {
	row, position, err := tx.InsertItem(row)
	if err == nil {
		err = tx.Emit(store.Event{Topic: row.ListID, Kind: itemCreated, ObjectID: row.ID, ActorID: row.AuthorID})
	}
	if err != nil {
		return Item{}, err
	}
	row, err = tx.Item(by, row.ListID, row.ID)
	return itemOf(row, position), err
}

// AddItemsIn is the input of AddItems.
type AddItemsIn struct {
	ListID string    `path:"id" json:"-"`
	Items  []NewItem `json:"items" required:"true" min:"1" max:"100" doc:"In order; all are added, or none."`
}

// AddItemsOut has the added items.
type AddItemsOut struct {
	Items      []Item      `json:"items"`
	Duplicates []Duplicate `json:"duplicates" read:"others" doc:"Items with a link that the list had already. All stay."`
}

// Duplicate is an item with the same link as an earlier one of its list.
type Duplicate struct {
	ItemID      string `json:"item_id" format:"uuid"`
	DuplicateOf string `json:"duplicate_of" format:"uuid"`
}

// addItems adds several items with the rules of addItem, for accounts only. After an error none is added.
func addItems(tx *store.Tx, by store.Viewer, in AddItemsIn) (out AddItemsOut, err error) {
	rows, err := rowsOf(in.Items)
	if err != nil {
		return out, err
	}
	l, err := listFor(&tx.Reader, by, in.ListID, mayAdd(by))
	if err == nil && l.ItemCount+len(rows) > maxItems {
		err = errListFull(len(rows), "Delete some, add no more than there is room for, or start another list.")
	}
	if err != nil {
		return out, err
	}
	out = AddItemsOut{Items: []Item{}, Duplicates: []Duplicate{}}
	for _, row := range rows {
		row.ListID, row.AuthorID = l.ID, by.UserID
		duplicate, err := tx.SameLink(l.ID, row.SourceURL)
		if err != nil {
			return out, err
		}
		added, err := insertItem(tx, by, row)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, added)
		if duplicate != "" {
			out.Duplicates = append(out.Duplicates, Duplicate{added.ID, duplicate})
		}
	}
	return out, nil
}

// UpdateItemIn is the input of UpdateItem. Omitted members keep their value.
type UpdateItemIn struct {
	ListID     string                   `path:"id" json:"-"`
	ItemID     string                   `path:"item_id" json:"-"`
	Content    core.Opt[string]         `json:"content,omitzero" notnull:"true" min:"1" max:"2000"`
	Link       core.Opt[string]         `json:"link,omitzero" max:"2048" format:"url" doc:"Becomes source_url. Null or empty clears it."`
	Metadata   core.Opt[jsontext.Value] `json:"metadata,omitzero" format:"object" max:"10000" doc:"Replaces all of it; null clears it."`
	SourceNote core.Opt[string]         `json:"source_note,omitzero" max:"200" line:"true" plain:"true" doc:"Null or empty clears it."`
	Position   core.Opt[int]            `json:"position,omitzero" notnull:"true" min:"0" doc:"0 for the top. Only for the owner and editors."`
	Checked    core.Opt[bool]           `json:"checked,omitzero" notnull:"true" doc:"Whether it is checked off. Only on a checkable list."`
	IfMatch    string                   `header:"If-Match" json:"-" max:"200" doc:"The expected updated_at or ETag. Else nothing changes."`
}

// updateItem changes, moves or checks off an item. The owner and the editors may. On an open list the author
// may for 24 hours, except for a move.
func (s *Service) updateItem(ctx context.Context, by store.Viewer, in UpdateItemIn) (out ItemOut, err error) {
	meta, err := core.Compact("metadata", in.Metadata.V)
	if err != nil {
		return out, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error { return in.change(tx, by, meta) })
	if err != nil {
		return out, core.Found(err)
	}
	return s.itemNow(ctx, by, GetItemIn{in.ListID, in.ItemID})
}

// itemNow reads outside the write, because it counts the items before.
func (s *Service) itemNow(ctx context.Context, by store.Viewer, in GetItemIn) (out ItemOut, err error) {
	out, err = store.Get(ctx, s.db, func(r *store.Reader) (ItemOut, error) { return readItem(r, by, in) })
	return out, core.Found(err)
}

func (in UpdateItemIn) change(tx *store.Tx, by store.Viewer, metadata string) error {
	l, old, err := changeable(tx, by, in.ListID, in.ItemID)
	if err == nil {
		err = unchanged(in.IfMatch, old.UpdatedAt)
	}
	if err != nil {
		return err
	}
	i, moves, checked := in.apply(old, metadata), false, false
	var place store.Place
	if in.Position.Set {
		if place, err = tx.Place(by, l, old.ID, in.Position.V); err != nil {
			return err
		}
		moves = !old.IsIn(place)
	}
	if err := in.permitted(l, old, moves); err != nil {
		return err
	}
	if i != old {
		err = tx.UpdateItem(i)
	}
	if err == nil && moves {
		err = tx.MoveItem(i, place)
	}
	if err == nil && in.Checked.Set {
		checked, err = tx.CheckItem(i, in.Checked.V, by.UserID)
	}
	if err == nil && (i != old || moves || checked) {
		err = tx.Emit(store.Event{Topic: l.ID, Kind: itemUpdated, ObjectID: i.ID, ActorID: by.UserID})
	}
	return err
}

func (in UpdateItemIn) apply(i store.Item, metadata string) store.Item {
	in.Content.Into(&i.Content)
	in.Link.Into(&i.SourceURL)
	in.SourceNote.Into(&i.SourceNote)
	if in.Metadata.Set {
		i.Metadata = metadata
	}
	return i
}

// permitted returns an error for a change that the list or the item does not permit, or only to the owner and the editors.
func (in UpdateItemIn) permitted(l store.List, old store.Item, moves bool) error {
	switch {
	case in.SourceNote.Set && in.SourceNote.V != old.SourceNote && old.Anonymous:
		return core.New(core.Conflict, "reporter_stays",
			"This item was added without an account, so source_note names who reported it and cannot be changed. Leave it out.")
	case in.Position.Set && in.Position.V >= l.ItemCount:
		return core.InvalidField("position", "position must be a whole number from 0 to the last of the list.")
	case in.Checked.Set && !l.Checkable:
		e := core.InvalidField("checked", "Items of this list cannot be checked off. Make it checkable first.")
		e.Code = "not_checkable"
		return e
	case moves:
		return MayEdit(listOf(l))
	}
	return nil
}

// DeleteItemIn is the input of DeleteItem.
type DeleteItemIn struct {
	ListID  string `path:"id" json:"-"`
	ItemID  string `path:"item_id" json:"-"`
	IfMatch string `header:"If-Match" json:"-" max:"200" doc:"The version of the item that is to be deleted."`
}

// deleteItem deletes an item. The owner and the editors may, and for 24 hours the author of an item on an
// open list.
func deleteItem(tx *store.Tx, by store.Viewer, in DeleteItemIn) (out core.None, err error) {
	_, i, err := changeable(tx, by, in.ListID, in.ItemID)
	if err == nil {
		err = unchanged(in.IfMatch, i.UpdatedAt)
	}
	if err == nil {
		err = cmp.Or(tx.DeleteItem(i), tx.Emit(store.Event{Topic: i.ListID, Kind: itemDeleted, ObjectID: i.ID, ActorID: by.UserID}))
	}
	return out, err
}

func changeable(tx *store.Tx, by store.Viewer, listID, itemID string) (l store.List, i store.Item, err error) {
	if l, err = tx.List(by, listID); err == nil {
		i, err = tx.Item(by, listID, itemID)
	}
	if err == nil {
		err = MayChange(listOf(l), itemOf(i, 0), by, tx.Reader.Now())
	}
	return l, i, err
}

func (s *Service) star(ctx context.Context, by store.Viewer, in GetItemIn) (ItemOut, error) {
	return s.setStar(ctx, by, in, (*store.Tx).Star, func(tx *store.Tx, i store.Item) error {
		return tx.Emit(store.Event{Topic: i.ListID, Kind: starAdded, ObjectID: i.ID, ActorID: by.UserID})
	})
}

func (s *Service) unstar(ctx context.Context, by store.Viewer, in GetItemIn) (ItemOut, error) {
	return s.setStar(ctx, by, in, (*store.Tx).Unstar, func(tx *store.Tx, i store.Item) error {
		return tx.Emit(store.Event{Topic: i.ListID, Kind: starRemoved, ObjectID: i.ID, ActorID: by.UserID})
	})
}

func (s *Service) setStar(ctx context.Context, by store.Viewer, in GetItemIn, set func(*store.Tx, store.Item, string) (bool, error),
	emit func(*store.Tx, store.Item) error) (ItemOut, error) {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.Item(by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		changed, err := set(tx, i, by.UserID)
		if err == nil && changed {
			err = emit(tx, i)
		}
		return err
	})
	if err != nil {
		return ItemOut{}, core.Found(err)
	}
	return s.itemNow(ctx, by, in)
}

// ListOf returns the id of an item's list. It returns NotFound if by may not see the list.
func (s *Service) ListOf(ctx context.Context, by store.Viewer, itemID string) (id string, err error) {
	id, err = store.Get(ctx, s.db, func(r *store.Reader) (string, error) { return r.ListOfItem(by, itemID) })
	return id, core.Found(err)
}

package list

import (
	"context"

	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

// ListsIn is the input of Lists.
type ListsIn struct {
	Public bool `query:"public" json:"-" doc:"Only lists that everybody may read. Required to be true without a credential."`
	Mine   bool `query:"mine" json:"-" doc:"Only your own lists and those shared with you."`
	Limit  int  `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Offset int  `query:"offset" json:"-" min:"0"`

	Others bool `json:"-"` // with Public: exclude the lists of Mine
}

// ListsOut is a page of an index, latest change first.
type ListsOut struct {
	Lists  []List `json:"lists"`
	Total  int    `json:"total" doc:"How many lists there are in all."`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
}

// lists returns public lists, the caller's own and shared lists, or both. Unlisted lists are only in the
// index of their owner and members. The public index needs no account.
func (s *Service) lists(ctx context.Context, by store.Viewer, in ListsIn) (ListsOut, error) {
	out := ListsOut{Limit: in.Limit, Offset: in.Offset}
	scope := store.ListedLists
	switch {
	case in.Mine && in.Public:
		return out, core.InvalidField("mine", "mine and public are different indexes. Send one of them.")
	case in.Public || by.Kind == store.PublicKey && !in.Mine:
		scope = store.PublicLists
		if in.Others {
			scope = store.OthersLists
		}
	case in.Mine:
		scope = store.OwnLists
		fallthrough
	default:
		// The public index is for everybody, the others are an account's.
		if err := op.ListOwnRead.Check(by, op.ReadOnly); err != nil {
			return out, err
		}
	}
	err := s.db.Read(ctx, func(r *store.Reader) error {
		rows, total, err := r.Lists(by, scope, in.Limit, in.Offset)
		out.Lists, out.Total = core.Map(rows, listOf), total
		return err
	})
	return out, err
}

// GetListIn is the input of GetList.
type GetListIn struct {
	ID string `path:"id" json:"-"`
}

func (s *Service) getList(ctx context.Context, by store.Viewer, in GetListIn) (out ListOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		l, err := r.List(by, in.ID)
		out.List = listOf(l)
		return core.Found(err)
	})
	return out, err
}

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

func (s *Service) items(ctx context.Context, by store.Viewer, in ItemsIn) (out ItemsOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		l, err := r.List(by, in.ListID)
		if err != nil {
			return core.Found(err)
		}
		rows, err := r.Items(by, l.ID, in.Limit, in.Offset)
		out.Items, out.Total = make([]Item, len(rows)), l.ItemCount
		for n, row := range rows {
			out.Items[n] = itemOf(row, in.Offset+n)
		}
		return err
	})
	return out, err
}

// GetItemIn is the input of GetItem.
type GetItemIn struct {
	ListID string `path:"id" json:"-"`
	ItemID string `path:"item_id" json:"-"`
}

// GetItemOut is an item, with other uses of its link.
type GetItemOut struct {
	Item   Item   `json:"item"`
	AlsoOn AlsoOn `json:"also_on"`
}

// Version implements op.Versioned.
func (o GetItemOut) Version() string { return o.Item.UpdatedAt.String() }

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

func (s *Service) getItem(ctx context.Context, by store.Viewer, in GetItemIn) (out GetItemOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		i, err := r.Item(by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		position, err := r.ItemPosition(by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		out.Item = itemOf(i, position)
		uses, total, err := r.LinkUses(by, in.ListID, i.SourceURL, 10)
		out.AlsoOn = AlsoOn{Count: total, Lists: core.Map(uses, func(u store.LinkUse) LinkUse { return LinkUse(u) })}
		return err
	})
	return out, core.Found(err)
}

package list

import (
	"context"

	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

// ListsIn asks for an index of lists.
type ListsIn struct {
	Public bool `query:"public" json:"-" doc:"Only lists that everybody may read. Without a credential it has to be true."`
	Mine   bool `query:"mine" json:"-" doc:"Only one's own lists and those shared with one."`
	Limit  int  `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Offset int  `query:"offset" json:"-" min:"0"`
}

// ListsOut is a page of an index, the newest change first.
type ListsOut struct {
	Lists  []List `json:"lists"`
	Total  int    `json:"total" doc:"How many the whole index has."`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
}

// lists returns an index of lists: the public ones, the caller's own and
// shared ones, or, asked for neither, both. Unlisted lists are in nobody's
// but their owner's and members'. All but the public index is for those who
// are signed in (Unauthenticated); the public agent key gets the public one.
func (s *Service) lists(ctx context.Context, by store.Viewer, in ListsIn) (ListsOut, error) {
	out := ListsOut{Limit: in.Limit, Offset: in.Offset}
	scope := store.ListedLists
	switch {
	case in.Mine && in.Public:
		return out, core.InvalidField("mine", "mine and public ask for different indexes; send one of them.")
	case in.Public || by.Kind == store.PublicKey && !in.Mine:
		scope = store.PublicLists
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

// GetListIn names a list.
type GetListIn struct {
	ID string `path:"id" json:"-" format:"uuid"`
}

// getList returns one list; NotFound if the caller may not see it.
func (s *Service) getList(ctx context.Context, by store.Viewer, in GetListIn) (out ListOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		l, err := r.List(by, in.ID)
		out.List = listOf(l)
		return core.Found(err)
	})
	return out, err
}

// ItemsIn asks for a page of a list's items.
type ItemsIn struct {
	ListID string `path:"id" json:"-" format:"uuid"`
	Limit  int    `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Offset int    `query:"offset" json:"-" min:"0" doc:"The position of the first item wanted."`
}

// ItemsOut is a page of a list's items by position.
type ItemsOut struct {
	Items []Item `json:"items"`
	Total int    `json:"total" doc:"How many the list has."`
}

// items returns a page of a list's items; NotFound if the caller may not see
// the list.
func (s *Service) items(ctx context.Context, by store.Viewer, in ItemsIn) (out ItemsOut, err error) {
	err = s.db.Snapshot(ctx, func(r *store.Reader) error {
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

// GetItemIn names an item of a list.
type GetItemIn struct {
	ListID string `path:"id" json:"-" format:"uuid"`
	ItemID string `path:"item_id" json:"-" format:"uuid"`
}

// getItem returns one item; NotFound if the caller may not see its list, or
// the list does not have it.
func (s *Service) getItem(ctx context.Context, by store.Viewer, in GetItemIn) (out ItemOut, err error) {
	err = s.db.Snapshot(ctx, func(r *store.Reader) error {
		i, err := r.Item(by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		position, err := r.ItemPosition(by, in.ListID, in.ItemID)
		out.Item = itemOf(i, position)
		return err
	})
	return out, core.Found(err)
}

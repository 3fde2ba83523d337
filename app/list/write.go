package list

import (
	"context"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// CreateListIn is the input of CreateList.
type CreateListIn struct {
	Title       string    `json:"title" required:"true" min:"1" max:"200" line:"true" plain:"true"`
	Description string    `json:"description" max:"2000"`
	Visibility  string    `json:"visibility" enum:"public|public-edit|unlisted|private" default:"private"`
	Items       []NewItem `json:"items" max:"100" doc:"The first items, in order."`
	Moderated   bool      `json:"moderated" doc:"Holds what is added without an account; it waits for the owner or an editor."`
	Checkable   bool      `json:"checkable" doc:"Its items can be checked off."`
}

func (in CreateListIn) rows() ([]store.Item, error) {
	rows := make([]store.Item, len(in.Items))
	for i, item := range in.Items {
		var err error
		if rows[i], err = item.row(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (s *Service) createList(ctx context.Context, by store.Viewer, in CreateListIn) (out ListOut, err error) {
	rows, err := in.rows()
	if err != nil {
		return out, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.InsertList(store.List{
			OwnerID: by.UserID, Title: in.Title, Description: in.Description, Visibility: in.Visibility, Slug: Slug(in.Title),
			Moderated: in.Moderated, Checkable: in.Checkable,
		})
		if err != nil {
			return err
		}
		for _, i := range rows {
			i.ListID, i.AuthorID = l.ID, by.UserID
			if _, _, err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		l, err = tx.List(by, l.ID)
		out.List = listOf(l)
		return err
	})
	return out, err
}

// UpdateListIn is the input of UpdateList. Omitted members keep their value.
type UpdateListIn struct {
	ID          string           `path:"id" json:"-"`
	Title       core.Opt[string] `json:"title,omitzero" notnull:"true" min:"1" max:"200" line:"true" plain:"true"`
	Description core.Opt[string] `json:"description,omitzero" max:"2000" doc:"Null or empty clears it."`
	Visibility  core.Opt[string] `json:"visibility,omitzero" notnull:"true" enum:"public|public-edit|unlisted|private" doc:"Only the owner changes it."`
	Moderated   core.Opt[bool]   `json:"moderated,omitzero" notnull:"true" doc:"Only the owner changes it."`
	Checkable   core.Opt[bool]   `json:"checkable,omitzero" notnull:"true"`
	IfMatch     string           `header:"If-Match" json:"-" max:"200" doc:"The version of the list that is to be changed: its updated_at, or the ETag of a response. If it is another one, nothing is changed."`
}

// updateList changes a list. Editors may change only title, description and checkable. Streams end for
// viewers who lose access.
func (s *Service) updateList(ctx context.Context, by store.Viewer, in UpdateListIn) (out ListOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		old, err := tx.List(by, in.ID)
		if err != nil {
			return core.Found(err)
		}
		if err := MayEdit(listOf(old)); err != nil {
			return err
		}
		if err := unchanged(in.IfMatch, old.UpdatedAt); err != nil {
			return err
		}
		l := in.apply(old)
		if l.Visibility != old.Visibility || l.Moderated != old.Moderated {
			if err := MayOwn(listOf(old)); err != nil {
				return err
			}
		}
		if l.Visibility != old.Visibility && l.Visibility != Private {
			if err := limit.ListsShown.CallStored(tx, by); err != nil {
				return err
			}
		}
		if l != old {
			if err := tx.UpdateList(old, l); err != nil {
				return err
			}
			if err := tx.Emit(store.Event{Topic: l.ID, Kind: listUpdated, ObjectID: l.ID, ActorID: by.UserID}); err != nil {
				return err
			}
		}
		l, err = tx.List(by, l.ID)
		out.List = listOf(l)
		return err
	})
	return out, err
}

func (in UpdateListIn) apply(l store.List) store.List {
	if in.Title.Set {
		l.Title, l.Slug = in.Title.V, Slug(in.Title.V)
	}
	in.Description.Into(&l.Description)
	in.Visibility.Into(&l.Visibility)
	in.Moderated.Into(&l.Moderated)
	in.Checkable.Into(&l.Checkable)
	return l
}

// DeleteListIn is the input of DeleteList.
type DeleteListIn struct {
	ID      string `path:"id" json:"-"`
	IfMatch string `header:"If-Match" json:"-" max:"200" doc:"The version of the list that is to be deleted."`
}

func (s *Service) deleteList(ctx context.Context, by store.Viewer, in DeleteListIn) (core.None, error) {
	return core.None{}, s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.List(by, in.ID)
		if err != nil {
			return core.Found(err)
		}
		if err := MayOwn(listOf(l)); err != nil {
			return err
		}
		if err := unchanged(in.IfMatch, l.UpdatedAt); err != nil {
			return err
		}
		if err := tx.DeleteList(l); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: l.ID, Kind: listDeleted, ObjectID: l.ID, ActorID: by.UserID})
	})
}

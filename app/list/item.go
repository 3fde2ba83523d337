package list

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// NewItem is what an item begins with.
type NewItem struct {
	Content  string         `json:"content" required:"true" min:"1" max:"2000"`
	Link     string         `json:"link" max:"2048" format:"url" doc:"Where it comes from or can be found; becomes source_url."`
	Metadata jsontext.Value `json:"metadata" format:"object" max:"10000" doc:"Anything else, kept as it is sent."`
}

func (n NewItem) row() (store.Item, error) {
	meta, err := compact(n.Metadata)
	return store.Item{Content: n.Content, SourceURL: n.Link, Metadata: meta}, err
}

// compact returns v without the white space between its tokens.
func compact(v jsontext.Value) (string, error) {
	if v == nil {
		return "", nil
	}
	v = v.Clone()
	if err := v.Compact(); err != nil {
		return "", core.InvalidField("metadata", "metadata must be an object of JSON in which no name stands twice.")
	}
	return string(v), nil
}

// AddItemIn is a new item for the end of a list.
type AddItemIn struct {
	ListID string `path:"id" json:"-" format:"uuid"`
	NewItem
	Reporter string `json:"reporter" max:"200" line:"true" doc:"With the public agent key: who found it. Required then."`
}

// addItem adds an item at the end of a list. The owner and the editors add to
// any, everybody signed in to open ones; so does the public agent key, whose
// items have no author but the reporter it names, 60 an hour for one address
// and list (TooMany). A list that the caller sees and that is not open to
// them is Forbidden.
func (s *Service) addItem(ctx context.Context, by store.Viewer, in AddItemIn) (out ItemOut, err error) {
	anonymous := by.Kind == store.PublicKey
	if anonymous && in.Reporter == "" {
		return out, core.InvalidField("reporter", "reporter is required with the public agent key: say in at most 200 characters who found this.")
	}
	row, err := in.row()
	if err != nil {
		return out, err
	}
	if row.ListID, row.AuthorID = in.ListID, by.UserID; anonymous {
		row.AuthorID, row.Anonymous, row.SourceNote = "", true, in.Reporter
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.List(by, in.ListID)
		if err != nil {
			return core.Found(err)
		}
		if err := MayAdd(listOf(l), by); err != nil {
			return err
		}
		if anonymous {
			if err := anonymousItems().Use(tx, by.IP+":"+l.ID); err != nil {
				return err
			}
		}
		out, err = insertItem(tx, by, row)
		return err
	})
	return out, err
}

func insertItem(tx *store.Tx, by store.Viewer, row store.Item) (out ItemOut, err error) {
	if row, err = tx.InsertItem(row); err != nil {
		return out, err
	}
	if err := tx.Emit(store.Event{Topic: row.ListID, Kind: itemCreated, ObjectID: row.ID, ActorID: row.AuthorID}); err != nil {
		return out, err
	}
	row, err = tx.Item(by, row.ListID, row.ID)
	out.Item = itemOf(row)
	return out, err
}

// UpdateItemIn changes what it has of an item.
type UpdateItemIn struct {
	ListID     string                   `path:"id" json:"-" format:"uuid"`
	ItemID     string                   `path:"item_id" json:"-" format:"uuid"`
	Content    core.Opt[string]         `json:"content,omitzero" min:"1" max:"2000"`
	Link       core.Opt[string]         `json:"link,omitzero" max:"2048" format:"url" doc:"Becomes source_url. Null or empty clears it."`
	Metadata   core.Opt[jsontext.Value] `json:"metadata,omitzero" format:"object" max:"10000" doc:"Replaces all of it; null clears it."`
	SourceNote core.Opt[string]         `json:"source_note,omitzero" max:"200" line:"true" doc:"Null or empty clears it. The reporter of an item added without an account stays."`
	Position   core.Opt[int]            `json:"position,omitzero" min:"0" doc:"Where to move it, 0 for the top; those between move up or down. Only the owner and the editors."`
}

// updateItem changes or moves an item: the owner and the editors any, the
// author of an item on an open list for 24 hours its words; Forbidden for
// others who see it.
func (s *Service) updateItem(ctx context.Context, by store.Viewer, in UpdateItemIn) (out ItemOut, err error) {
	if err := notNull(map[string]bool{"content": in.Content.Null, "position": in.Position.Null}); err != nil {
		return out, err
	}
	meta, err := compact(in.Metadata.V)
	if err != nil {
		return out, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, old, err := changeable(tx, by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		i := in.apply(old, meta)
		if err := in.permitted(l, old, i); err != nil {
			return err
		}
		out, err = updateItem(tx, by, old, i)
		return err
	})
	return out, err
}

// apply returns i with what in has.
func (in UpdateItemIn) apply(i store.Item, metadata string) store.Item {
	if in.Content.Set {
		i.Content = in.Content.V
	}
	if in.Link.Set {
		i.SourceURL = in.Link.V
	}
	if in.Metadata.Set {
		i.Metadata = metadata
	}
	if in.SourceNote.Set {
		i.SourceNote = in.SourceNote.V
	}
	if in.Position.Set {
		i.Position = in.Position.V
	}
	return i
}

// permitted holds what the change from old to i needs beyond MayChange.
func (in UpdateItemIn) permitted(l List, old, i store.Item) error {
	switch {
	case i.SourceNote != old.SourceNote && old.Anonymous:
		return core.New(core.Conflict, "reporter_stays", "This item was added without an account, so source_note says who reported it and stays. Leave it out.")
	case i.Position >= l.ItemCount:
		return core.InvalidField("position", "position must be a whole number from 0 to %d, the list's last.", l.ItemCount-1)
	case i.Position != old.Position:
		return MayEdit(l)
	}
	return nil
}

func updateItem(tx *store.Tx, by store.Viewer, old, i store.Item) (out ItemOut, err error) {
	to := i.Position
	if i.Position = old.Position; i != old {
		err = tx.UpdateItem(i)
	}
	if err == nil && to != old.Position {
		err = tx.MoveItem(i, to)
	}
	if err == nil && (i != old || to != old.Position) {
		err = tx.Emit(store.Event{Topic: i.ListID, Kind: itemUpdated, ObjectID: i.ID, ActorID: by.UserID})
	}
	if err != nil {
		return out, err
	}
	i, err = tx.Item(by, i.ListID, i.ID)
	out.Item = itemOf(i)
	return out, err
}

// deleteItem takes an item off its list: the owner and the editors any, the
// author of one on an open list for 24 hours; Forbidden for others who see it.
func (s *Service) deleteItem(ctx context.Context, by store.Viewer, in GetItemIn) (core.None, error) {
	return core.None{}, s.db.Write(ctx, func(tx *store.Tx) error {
		_, i, err := changeable(tx, by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		if err := tx.DeleteItem(i); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: i.ListID, Kind: itemDeleted, ObjectID: i.ID, ActorID: by.UserID})
	})
}

// changeable returns an item that by may change, and its list.
func changeable(tx *store.Tx, by store.Viewer, listID, itemID string) (l List, i store.Item, err error) {
	row, err := tx.List(by, listID)
	if err != nil {
		return l, i, core.Found(err)
	}
	if i, err = tx.Item(by, listID, itemID); err != nil {
		return l, i, core.Found(err)
	}
	l = listOf(row)
	return l, i, MayChange(l, itemOf(i), by, tx.Now)
}

package list

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

const (
	// MaxImport is the limit of an imported list in bytes. It also limits the texts of its items, because
	// each bookmark repeats its folder's name.
	MaxImport = 8 << 20

	// Limits of one write of an import, so that other writes need not wait long.
	importItems = 200
	importBytes = 64 << 10
)

// ImportIn is the input of Import. The list is the body of the request.
type ImportIn struct {
	Format     string `query:"format" json:"-" required:"true" enum:"json|md|csv|bookmarks" doc:"json, md and csv as they are exported; bookmarks as browsers export them."`
	Title      string `query:"title" json:"-" max:"200" line:"true" plain:"true" doc:"Instead of the one in the list, which CSV does not have."`
	Visibility string `query:"visibility" json:"-" enum:"public|public-edit|unlisted|private" default:"private"`

	Data []byte `json:"-"`

	done bool // list and err are valid
	list Portable
	err  error
}

// MaxBody implements op.BodyReceiver.
func (*ImportIn) MaxBody() int64 { return MaxImport }

// SetBody implements op.BodyReceiver.
func (in *ImportIn) SetBody(b []byte) { in.Data = b }

// Fingerprint implements op.Fingerprinted.
func (in *ImportIn) Fingerprint() string { return core.Digest(string(in.Data)) }

// ImportPlan is what an import would add.
type ImportPlan struct {
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Checkable   bool           `json:"checkable,omitzero"`
	Items       []PortableItem `json:"items"`
}

func (s *Service) planImport(_ context.Context, _ store.Viewer, in ImportIn) (ImportPlan, error) {
	p, err := in.read()
	return ImportPlan{p.Title, p.Description, p.Checkable, p.Items}, err
}

func (in *ImportIn) read() (*Portable, error) {
	if !in.done {
		in.done = true
		if in.list, in.err = parsePortable(in.Format, in.Data); in.err == nil {
			in.err = in.list.check(in.Title)
		}
	}
	return &in.list, in.err
}

// importList creates a list from an export of this or another program. The list is private until it is
// complete. A failed import is deleted.
func (s *Service) importList(ctx context.Context, by store.Viewer, in ImportIn) (out ListOut, err error) {
	p, err := in.read()
	if err != nil {
		return out, err
	}
	var l store.List
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		l, err = tx.InsertList(store.List{OwnerID: by.UserID, Title: p.Title, Description: p.Description, Visibility: Private,
			Slug: Slug(p.Title), Checkable: p.Checkable})
		return err
	})
	for part := range importParts(p.Items) {
		if err != nil {
			break
		}
		rows := importRows(by, l, part)
		err = core.Found(s.db.Write(ctx, func(tx *store.Tx) error { return insertAll(tx, by, l, rows) }))
	}
	if err == nil {
		out.List, err = s.completeImport(ctx, by, l.ID, in.Visibility)
	}
	if err != nil && l.ID != "" {
		s.dropImport(context.WithoutCancel(ctx), by, l.ID)
	}
	return out, err
}

func importParts(items []PortableItem) iter.Seq[[]PortableItem] {
	return func(yield func([]PortableItem) bool) {
		for len(items) > 0 {
			n, size := 1, items[0].textSize()
			for n < min(len(items), importItems) {
				if size += items[n].textSize(); size > importBytes {
					break
				}
				n++
			}
			if !yield(items[:n]) {
				return
			}
			items = items[n:]
		}
	}
}

func importRows(by store.Viewer, l store.List, items []PortableItem) []store.Item {
	rows := make([]store.Item, len(items))
	for n, i := range items {
		rows[n] = store.Item{ListID: l.ID, AuthorID: by.UserID, Content: i.Content, SourceURL: i.Link, SourceNote: i.SourceNote,
			Metadata: string(i.Metadata)}
		if i.Checked && l.Checkable {
			rows[n].Checked, rows[n].CheckedBy = true, by.UserID
		}
	}
	return rows
}

// insertAll checks the size again, because items may have been added meanwhile.
func insertAll(tx *store.Tx, by store.Viewer, l store.List, rows []store.Item) error {
	now, err := tx.List(by, l.ID)
	if err != nil {
		return err
	}
	if now.ItemCount+len(rows) > maxItems {
		return errListFull(now, len(rows), "Others were added to it while it was imported, so nothing of it is kept. Import it again.")
	}
	for _, row := range rows {
		if _, _, err := tx.InsertItem(row); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) completeImport(ctx context.Context, by store.Viewer, id, visibility string) (out List, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		old, err := tx.List(by, id)
		if err != nil {
			return core.Found(err)
		}
		l := old
		if l.Visibility = visibility; l != old {
			if err := tx.UpdateList(old, l); err != nil {
				return err
			}
			l.UpdatedAt = tx.Now
		}
		out = listOf(l)
		return nil
	})
	return out, err
}

// dropImport deletes an incomplete list. If that fails, its owner can delete it.
func (s *Service) dropImport(ctx context.Context, by store.Viewer, id string) {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.List(by, id)
		if err != nil {
			return err
		}
		return tx.DeleteList(l)
	})
	if err != nil {
		s.log.Warn("an incomplete import was not deleted", "list", id, "error", err)
	}
}

// check validates and normalises p. title replaces the title of p.
func (p *Portable) check(title string) error {
	if title != "" {
		p.Title = title
	}
	head := CreateListIn{Title: p.Title, Description: p.Description, Visibility: Private}
	if err := core.Check(&head); err != nil {
		return err
	}
	p.Title, p.Description = head.Title, head.Description
	if err := p.checkSize(); err != nil {
		return err
	}
	for n := range p.Items {
		i := &p.Items[n]
		if err := core.Check(i); err != nil {
			e := core.As(err)
			return core.InvalidField(fmt.Sprintf("items[%d].%s", n, e.Field), "items[%d].%s", n, e.Msg)
		}
		meta, err := core.Compact(fmt.Sprintf("items[%d].metadata", n), i.Metadata)
		if err != nil {
			return err
		}
		if meta != string(i.Metadata) { // many items may share it
			i.Metadata = jsontext.Value(meta)
		}
	}
	return nil
}

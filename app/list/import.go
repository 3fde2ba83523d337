package list

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// MaxImport is the limit of an imported list in bytes.
const MaxImport = 8 << 20

// ImportIn is the input of Import. The list is the body of the request.
type ImportIn struct {
	Format     string `query:"format" json:"-" required:"true" enum:"json|md|csv|bookmarks" doc:"bookmarks: a browser's; others: as exported"`
	Title      string `query:"title" json:"-" max:"200" line:"true" plain:"true" doc:"Instead of the title in the data. CSV has none."`
	Visibility string `query:"visibility" json:"-" enum:"public|public-edit|unlisted|private" default:"private"`

	Data []byte `json:"-"`
}

// MaxBody implements op.BodyReceiver.
func (*ImportIn) MaxBody() int64 { return MaxImport }

// SetBody implements op.BodyReceiver.
func (in *ImportIn) SetBody(b []byte) { in.Data = b }

// Fingerprint implements op.Fingerprinted.
func (in *ImportIn) Fingerprint() string { return core.Digest(string(in.Data)) }

func (s *Service) planImport(_ context.Context, _ store.Viewer, in ImportIn) (Portable, error) {
	p, err := parsePortable(in.Format, in.Data)
	if err == nil {
		err = p.check(in.Title)
	}
	return p, err
}

// importList creates a list from an export of this or another program.
func (s *Service) importList(ctx context.Context, by store.Viewer, in ImportIn) (out ListOut, err error) {
	p, err := s.planImport(ctx, by, in)
	if err != nil {
		return out, err
	}
	rows := core.Map(p.Items, func(i PortableItem) store.Item {
		row := store.Item{Content: i.Content, SourceURL: i.Link, SourceNote: i.SourceNote, Metadata: string(i.Metadata)}
		if i.Checked && p.Checkable {
			row.Checked, row.CheckedBy = true, by.UserID
		}
		return row
	})
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		out, err = insertList(tx, by, store.List{Title: p.Title, Description: p.Description, Visibility: in.Visibility, Checkable: p.Checkable},
			rows)
		return err
	})
	return out, err
}

// check validates and normalises p. title replaces the title of p.
func (p *Portable) check(title string) error {
	head := CreateListIn{Title: cmp.Or(title, p.Title), Description: p.Description, Visibility: Private}
	if err := core.Check(&head); err != nil {
		return err
	}
	p.Title, p.Description = head.Title, head.Description
	if p.isFull() {
		return core.InvalidField("items", "A list has at most 20,000 items, and this one has more. Split it.")
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
		i.Metadata = jsontext.Value(meta)
	}
	return nil
}

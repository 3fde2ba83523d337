package file

import (
	"context"
	"io"

	"hearth/store"
)

// Open returns the content of a blob of size bytes, which the caller has read
// from a row that its viewer may see. It holds nothing of the database between
// two reads, and is for one goroutine.
func (s *Store) Open(ctx context.Context, blobID, size int64) *io.SectionReader {
	return io.NewSectionReader(&parts{db: s.db, ctx: ctx, blob: blobID, at: -1}, 0, size)
}

// parts reads a blob in its parts, and keeps the last one.
type parts struct {
	db   *store.DB
	ctx  context.Context
	blob int64
	at   int // the number of the part in data; -1 without one
	data []byte
}

// ReadAt implements io.ReaderAt.
func (p *parts) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		if part := int(at / store.PartSize); part != p.at {
			p.at = -1
			err := p.db.Read(p.ctx, func(r *store.Reader) (err error) {
				p.data, err = r.BlobPart(p.blob, part)
				return err
			})
			if err != nil {
				return n, err
			}
			p.at = part
		}
		from := int(at % store.PartSize)
		if from >= len(p.data) {
			return n, io.ErrUnexpectedEOF
		}
		got := copy(b[n:], p.data[from:])
		n, at = n+got, at+int64(got)
	}
	return n, nil
}

// Stored is a stored file as its row describes it.
type Stored struct {
	BlobID, Size   int64
	Name, MimeType string
	PreviewID      int64 // the blob of a smaller picture; 0 without one
	PreviewType    string
}

// Served is a file to download.
type Served struct {
	Content  *io.SectionReader
	MimeType string
	Name     string
}

// Serve returns a file, or the smaller picture of it, that the caller has read from
// a row that its viewer may see. It returns store.ErrNoRow if there is no smaller
// one.
func (s *Store) Serve(ctx context.Context, r *store.Reader, f Stored, preview bool) (*Served, error) {
	if !preview {
		return &Served{s.Open(ctx, f.BlobID, f.Size), f.MimeType, f.Name}, nil
	}
	if f.PreviewID == 0 {
		return nil, store.ErrNoRow
	}
	size, err := r.BlobSize(f.PreviewID)
	return &Served{s.Open(ctx, f.PreviewID, size), f.PreviewType, SafeName(f.Name, f.PreviewType)}, err
}

package file

import (
	"context"
	"errors"
	"io"

	"hearth/store"
)

// Content is a stored file that can be read from any place. It reads a part of 64
// KiB at a time and holds nothing of the database in between. It is for one
// goroutine.
type Content struct {
	s    *Store
	ctx  context.Context
	blob int64
	size int64
	at   int64
	part int // of data; -1 without one
	data []byte
}

// Open returns the content of a blob of size bytes, which the caller has read
// from a row that its viewer may see.
func (s *Store) Open(ctx context.Context, blobID, size int64) *Content {
	return &Content{s: s, ctx: ctx, blob: blobID, size: size, part: -1}
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
	Content  *Content
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

// Size returns the size of the content.
func (c *Content) Size() int64 { return c.size }

// Read implements io.Reader.
func (c *Content) Read(b []byte) (int, error) {
	if c.at >= c.size {
		return 0, io.EOF
	}
	n := int(c.at / store.PartSize)
	if n != c.part {
		err := c.s.db.Read(c.ctx, func(r *store.Reader) (err error) {
			c.data, err = r.BlobPart(c.blob, n)
			return err
		})
		if err != nil {
			c.part = -1
			return 0, err
		}
		c.part = n
	}
	from := int(c.at % store.PartSize)
	if from >= len(c.data) {
		return 0, io.ErrUnexpectedEOF
	}
	got := copy(b, c.data[from:])
	c.at += int64(got)
	return got, nil
}

// Seek implements io.Seeker.
func (c *Content) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.size
	}
	if offset < 0 {
		return 0, errors.New("file: seek before the beginning")
	}
	c.at = offset
	return offset, nil
}

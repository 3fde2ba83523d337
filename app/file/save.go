package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"hearth/app/core"
	"hearth/app/media"
	"hearth/store"
)

// content is what a blob is made of.
type content struct {
	r    io.Reader
	size int64
}

func contentOf(p *media.Picture) content { return content{bytes.NewReader(p.Data), int64(len(p.Data))} }

// SaveAttachment stores an upload of by and returns its row.
func (s *Store) SaveAttachment(ctx context.Context, by store.Viewer, u *Upload) (a store.Attachment, err error) {
	if err := s.saving.Acquire(ctx, 1); err != nil {
		return a, err
	}
	defer s.saving.Release(1)
	f, err := u.inspect()
	if err != nil {
		return a, err
	}
	var preview *media.Picture // nil if none is needed or can be made
	if media.Decodable(f) {
		if preview, err = media.Preview(f); err != nil {
			return a, pictureError(err)
		}
	}
	row := store.Attachment{
		UserID: by.UserID, Name: SafeName(u.Name, f.Type), MimeType: f.Type, Size: f.Size(),
		Width: f.Width, Height: f.Height, DurationMs: f.DurationMs,
	}
	all := []content{{f.Reader(), f.Size()}}
	if preview != nil {
		row.PreviewType = preview.Type
		all = append(all, contentOf(preview))
	}
	err = s.save(ctx, by, all, func(tx *store.Tx, blobs []int64) (err error) {
		a = row
		if a.BlobID = blobs[0]; len(blobs) > 1 {
			a.PreviewID = blobs[1]
		}
		a, err = tx.InsertAttachment(a, s.cfg.QuotaAccount)
		return err
	})
	return a, err
}

// SaveAvatar makes a square picture of an upload of by and stores it. In the
// write that completes it, it calls set with the picture, whose account or group
// is not set.
func (s *Store) SaveAvatar(ctx context.Context, by store.Viewer, u *Upload, set func(tx *store.Tx, p store.Picture) error) error {
	if err := s.saving.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.saving.Release(1)
	f, err := u.inspect()
	if err != nil {
		return err
	}
	if !media.Decodable(f) {
		return errNoPicture
	}
	p, err := media.Avatar(f)
	if err != nil {
		return pictureError(err)
	}
	return s.save(ctx, by, []content{contentOf(p)}, func(tx *store.Tx, blobs []int64) error {
		return set(tx, store.Picture{BlobID: blobs[0], MimeType: p.Type})
	})
}

// save stores contents, and calls add with their blobs in the write that
// completes them. Quotas are checked before the first write and in the last one.
func (s *Store) save(ctx context.Context, by store.Viewer, all []content, add func(tx *store.Tx, blobs []int64) error) (err error) {
	var total int64
	for _, c := range all {
		total += c.size
	}
	if err := s.db.Read(ctx, func(r *store.Reader) error { return s.checkQuotas(r, by, total) }); err != nil {
		return err
	}
	var ids []int64
	defer func() {
		if err != nil {
			s.drop(ctx, ids)
		}
	}()
	hashes := make([]string, len(all))
	for i, c := range all {
		id, hash, err := s.write(ctx, c)
		if id != 0 {
			ids = append(ids, id)
		}
		if err != nil {
			return err
		}
		hashes[i] = hash
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := s.checkQuotas(&tx.Reader, by, 0); err != nil {
			return err
		}
		blobs := make([]int64, len(ids))
		for i, id := range ids {
			if blobs[i], err = tx.FinishBlob(id, hashes[i]); err != nil {
				return err
			}
		}
		return add(tx, blobs)
	})
	if errors.Is(err, store.ErrQuota) {
		err = errQuota
	}
	return err
}

// write stores a content in parts, each in a write of its own, and returns the
// incomplete blob and its hash.
func (s *Store) write(ctx context.Context, c content) (id int64, hash string, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		id, err = tx.InsertBlob(c.size)
		return err
	})
	sum := sha256.New()
	buf := make([]byte, store.PartSize)
	var total int64
	for n := 0; err == nil; n++ {
		var got int
		got, err = io.ReadFull(c.r, buf)
		if got > 0 {
			sum.Write(buf[:got])
			total += int64(got)
			part := buf[:got]
			if e := s.db.Write(ctx, func(tx *store.Tx) error { return tx.WritePart(id, n, part) }); e != nil {
				err = e
			}
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
		if total != c.size {
			err = fmt.Errorf("file: %d of %d bytes were read", total, c.size)
		}
	}
	return id, hex.EncodeToString(sum.Sum(nil)), err
}

// drop has the blobs of an upload that failed deleted. If that fails, too, they
// are deleted because they are old.
func (s *Store) drop(ctx context.Context, ids []int64) {
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if err := tx.DropBlob(id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !store.Unavailable(err) {
		s.cfg.Log.Warn("the rest of an upload was not deleted", "error", err)
	}
}

var errNoPicture = core.New(core.Invalid, "not_a_picture",
	"This file cannot be used as a picture. Choose a JPEG, PNG, GIF or still WebP picture with at most 20 megapixels.")

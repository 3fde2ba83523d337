package account

import (
	"context"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// SetAvatarIn is the input of SetAvatar.
type SetAvatarIn struct {
	File *file.Upload `json:"-"`
}

// SetFile implements file.Receiver.
func (in *SetAvatarIn) SetFile(u *file.Upload) { in.File = u }

// Fingerprint implements op.Fingerprinted.
func (in *SetAvatarIn) Fingerprint() string { return in.File.Fingerprint() }

func (s *Service) setAvatar(ctx context.Context, by store.Viewer, in SetAvatarIn) (Me, error) {
	var was, u store.User
	err := s.files.SaveAvatar(ctx, by, in.File, func(tx *store.Tx, p store.Picture) error {
		p.UserID = by.UserID
		p, err := tx.SetPicture(p, s.files.Quota())
		if err == nil {
			was, u, err = changeUser(tx, by, func(u *store.User, _ store.Time) { u.AvatarURL = core.PictureURL(p.ID) })
		}
		return err
	})
	if err != nil {
		return Me{}, ownAccountError(err)
	}
	s.notifyChange(ctx, was, u)
	return meOf(u), nil
}

func (s *Service) deleteAvatar(ctx context.Context, by store.Viewer, _ core.None) (Me, error) {
	return s.changeMe(ctx, by, func(u *store.User, _ store.Time) { u.AvatarURL = "" })
}

// GetPictureIn is the input of GetPicture.
type GetPictureIn struct {
	ID string `path:"id" json:"-"`
}

// Picture is the picture of an account or a group.
type Picture struct {
	Content  *file.Content
	MimeType string
}

func (s *Service) getPicture(ctx context.Context, _ store.Viewer, in GetPictureIn) (out *Picture, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		p, err := r.Picture(in.ID)
		out = &Picture{Content: s.files.Open(ctx, p.BlobID, p.Size), MimeType: p.MimeType}
		return err
	})
	return out, core.Found(err)
}

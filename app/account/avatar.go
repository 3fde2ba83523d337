package account

import (
	"context"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

func (s *Service) setAvatar(ctx context.Context, by store.Viewer, in file.In) (Me, error) {
	var was, u store.User
	err := s.cfg.Files.SaveAvatar(ctx, by, in.File, func(tx *store.Tx, p store.Picture) error {
		p.UserID = by.UserID
		p, err := tx.SetPicture(p, s.cfg.Files.Quota())
		if err != nil {
			return err
		}
		if was, err = tx.User(by.UserID); err != nil {
			return err
		}
		u, err = putUser(tx, by, was, func(u *store.User, _ store.Time) { u.AvatarURL = core.PictureURL(p.ID) })
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

func (s *Service) getPicture(ctx context.Context, _ store.Viewer, in core.ByID) (out *file.Served, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		p, err := r.Picture(in.ID)
		out = &file.Served{Content: s.cfg.Files.Open(ctx, p.BlobID, p.Size), MimeType: p.MimeType}
		return err
	})
	return out, core.Found(err)
}

package chat

import (
	"context"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// SetGroupPictureIn is the input of SetGroupPicture.
type SetGroupPictureIn struct {
	ID   string       `path:"id" json:"-"`
	File *file.Upload `json:"-"`
}

// SetFile implements file.Receiver.
func (in *SetGroupPictureIn) SetFile(u *file.Upload) { in.File = u }

// Fingerprint implements op.Fingerprinted.
func (in *SetGroupPictureIn) Fingerprint() string { return in.File.Fingerprint() }

// The middle of the picture is cropped and encoded again, so that no metadata remains.
func (s *Service) setGroupPicture(ctx context.Context, by store.Viewer, in SetGroupPictureIn) (out Conversation, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error { return mayEditGroup(r, by, in.ID) })
	if err != nil {
		return out, core.Found(err)
	}
	return s.thenShown(ctx, by, in.ID, func() error {
		return s.files.SaveAvatar(ctx, by, in.File, func(tx *store.Tx, p store.Picture) error {
			if err := mayEditGroup(&tx.Reader, by, in.ID); err != nil {
				return err
			}
			p.ConversationID = in.ID
			p, err := tx.SetPicture(p, s.files.Quota())
			if err == nil {
				err = tx.SetGroupAvatar(in.ID, core.PictureURL(p.ID))
			}
			if err == nil {
				err = changed(tx, by, in.ID)
			}
			return err
		})
	})
}

// DeleteGroupPictureIn is the input of DeleteGroupPicture.
type DeleteGroupPictureIn struct {
	ID string `path:"id" json:"-"`
}

func (s *Service) deleteGroupPicture(ctx context.Context, by store.Viewer, in DeleteGroupPictureIn) (out Conversation, err error) {
	return s.writeShown(ctx, by, in.ID, func(tx *store.Tx) error {
		c, err := ownGroup(tx, by, in.ID)
		if err != nil || c.AvatarURL == "" {
			return err
		}
		if err = tx.DeletePicture("", in.ID); err == nil {
			err = tx.SetGroupAvatar(in.ID, "")
		}
		if err == nil {
			err = changed(tx, by, in.ID)
		}
		return err
	})
}

func mayEditGroup(r *store.Reader, by store.Viewer, id string) error {
	_, err := groupOf(r, by, id)
	return err
}

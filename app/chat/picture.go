package chat

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// SetGroupPictureIn is the input of SetGroupPicture.
type SetGroupPictureIn struct {
	ID string `path:"id" json:"-"`
	file.In
}

// The middle of the picture is cropped and encoded again, so that no metadata remains.
func (s *Service) setGroupPicture(ctx context.Context, by store.Viewer, in SetGroupPictureIn) (out Conversation, err error) {
	own := func(r *store.Reader) (store.Conversation, error) { return ownGroup(r, by, in.ID) }
	if _, err := store.Get(ctx, s.DB, own); err != nil {
		return out, core.Found(err)
	}
	err = s.Files.SaveAvatar(ctx, by, in.File, func(tx *store.Tx, p store.Picture) error {
		if _, err := own(&tx.Reader); err != nil {
			return err
		}
		p.ConversationID = in.ID
		p, err := tx.SetPicture(p, s.Files.Quota())
		if err == nil {
			err = setAvatar(tx, by, in.ID, core.PictureURL(p.ID))
		}
		out, err = shownAfter(tx, by, in.ID, err)
		return err
	})
	return out, core.Found(err)
}

func (s *Service) deleteGroupPicture(tx *store.Tx, by store.Viewer, in core.ByID) (Conversation, error) {
	c, err := ownGroup(&tx.Reader, by, in.ID)
	if err == nil && c.AvatarURL != "" {
		err = cmp.Or(tx.DeletePicture("", in.ID), setAvatar(tx, by, in.ID, ""))
	}
	return shownAfter(tx, by, in.ID, err)
}

func setAvatar(tx *store.Tx, by store.Viewer, id, url string) error {
	return cmp.Or(tx.SetGroupAvatar(id, url), changed(tx, by, id))
}

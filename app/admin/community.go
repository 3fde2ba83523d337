package admin

import (
	"context"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// Community is the public data of this server's community.
type Community struct {
	Name         string  `json:"name"`
	PictureURL   *string `json:"pictureUrl"`
	Accent       *string `json:"accent" doc:"The color of links and buttons, as #rrggbb. Null is that of hearth."`
	Welcome      string  `json:"welcome" doc:"What newcomers read."`
	DateLanguage string  `json:"dateLanguage" doc:"The language of dates on pages: auto is that of the reader's browser."`

	MemberInvites bool   `json:"memberInvites" doc:"Whether members may invite people, too, and not only administrators."`
	Signup        string `json:"signup" enum:"open|invite" doc:"Who may join: everybody, or only invited people."`

	SecurityContact string `json:"securityContact" doc:"Where people report a security problem: an e-mail address, or the https address of a page."`
}

func (s *Service) getCommunity(ctx context.Context, _ store.Viewer, _ core.None) (out Community, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		now, err := s.settings(r)
		out = Community{now.CommunityName, now.PictureURL, now.Accent, now.Welcome, now.DateLanguage, now.MemberInvites, now.Signup,
			now.SecurityContact}
		return err
	})
	return out, err
}

// SetCommunityPictureIn is the input of SetCommunityPicture.
type SetCommunityPictureIn struct {
	File *file.Upload `json:"-"`
}

// SetFile implements file.Receiver.
func (in *SetCommunityPictureIn) SetFile(u *file.Upload) { in.File = u }

// Fingerprint implements op.Fingerprinted.
func (in *SetCommunityPictureIn) Fingerprint() string { return in.File.Fingerprint() }

// setCommunityPicture crops and encodes the picture again, so that nothing else of the file remains.
func (s *Service) setCommunityPicture(ctx context.Context, by store.Viewer, in SetCommunityPictureIn) (out Settings, err error) {
	err = s.files.SaveAvatar(ctx, by, in.File, func(tx *store.Tx, p store.Picture) error {
		if err := check(&tx.Reader, by); err != nil {
			return err
		}
		p, err := tx.SetPicture(p, s.files.Quota())
		if err != nil {
			return err
		}
		out, err = s.pictureChanged(tx, by, core.PictureURL(p.ID), "pictureUrl new")
		return err
	})
	return out, core.Found(err)
}

func (s *Service) deleteCommunityPicture(ctx context.Context, by store.Viewer, _ core.None) (out Settings, err error) {
	err = s.write(ctx, by, func(tx *store.Tx) error {
		was, err := s.settings(&tx.Reader)
		if err != nil || was.PictureURL == nil {
			out = was
			return err
		}
		if err := tx.DeletePicture("", ""); err != nil {
			return err
		}
		out, err = s.pictureChanged(tx, by, "", "pictureUrl none")
		return err
	})
	return out, err
}

func (s *Service) pictureChanged(tx *store.Tx, by store.Viewer, url, detail string) (out Settings, err error) {
	if err := tx.SetSetting(store.SettingPicture, url); err != nil {
		return out, err
	}
	if err := tx.Audit(by, "settings.update", "", detail); err != nil {
		return out, err
	}
	return s.settings(&tx.Reader)
}

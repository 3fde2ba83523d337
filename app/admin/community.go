package admin

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

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

	SecurityContact string `json:"securityContact" doc:"An e-mail address or an https address for reports of security problems."`
}

func (s *Service) getCommunity(r *store.Reader, by store.Viewer, _ core.None) (Community, error) {
	now, err := s.getSettings(r, by, core.None{})
	return Community{now.CommunityName, now.PictureURL, now.Accent, now.Welcome, now.DateLanguage, now.MemberInvites, now.Signup,
		now.SecurityContact}, err
}

// setCommunityPicture crops and encodes the picture again, so that nothing else of the file remains. The rights may have
// ended during the upload.
func (s *Service) setCommunityPicture(ctx context.Context, by store.Viewer, in file.In) (out Settings, err error) {
	err = s.cfg.Files.SaveAvatar(ctx, by, in.File, func(tx *store.Tx, p store.Picture) error {
		if err := tx.CheckAdmin(by); errors.Is(err, store.ErrNoRow) {
			return core.ErrAdminOnly
		} else if err != nil {
			return err
		}
		p, err := tx.SetPicture(p, s.cfg.Files.Quota())
		if err != nil {
			return err
		}
		out, err = s.pictureChanged(tx, by, core.PictureURL(p.ID), "pictureUrl new")
		return err
	})
	return out, core.Found(err)
}

func (s *Service) deleteCommunityPicture(tx *store.Tx, by store.Viewer, _ core.None) (Settings, error) {
	was, err := s.getSettings(&tx.Reader, by, core.None{})
	if err != nil || was.PictureURL == nil {
		return was, err
	}
	if err := tx.DeletePicture("", ""); err != nil {
		return was, err
	}
	return s.pictureChanged(tx, by, "", "pictureUrl none")
}

func (s *Service) pictureChanged(tx *store.Tx, by store.Viewer, url, detail string) (out Settings, err error) {
	if err := cmp.Or(tx.SetSetting(store.SettingPicture, url), tx.Audit(by, "settings.update", "", detail)); err != nil {
		return out, err
	}
	return s.getSettings(&tx.Reader, by, core.None{})
}

// contactURL returns mailto: for an e-mail address and https: for a page. It is "" for anything else.
func contactURL(contact string) string {
	switch {
	case core.ValidFormat("email", contact):
		return "mailto:" + url.PathEscape(contact)
	case strings.HasPrefix(contact, "https://") && core.ValidFormat("url", contact):
		u, err := url.Parse(contact)
		if err != nil {
			return ""
		}
		return u.String()
	}
	return ""
}

func adminName(r *store.Reader, _ store.Viewer, _ core.None) (string, error) { return r.AdminName() }

// SecurityURL returns the address for security reports, or "".
func (c Community) SecurityURL() string { return contactURL(c.SecurityContact) }

// contactValid is the lifetime of a copy of SecurityContact, which ends up to a day earlier.
const contactValid = 90 * 24 * time.Hour

// SecurityContact is the address for security reports.
type SecurityContact struct {
	URL     string    `json:"url"`
	Expires time.Time `json:"expires" doc:"At the beginning of a day."`
}

// getSecurityContact returns NotFound if no contact is set.
func (s *Service) getSecurityContact(r *store.Reader, _ store.Viewer, _ core.None) (SecurityContact, error) {
	contact, err := r.Setting(store.SettingSecurity)
	if err == nil && contactURL(contact) == "" {
		err = core.ErrNotFound
	}
	return SecurityContact{contactURL(contact), r.Now().Go().Truncate(24 * time.Hour).Add(contactValid)}, err
}

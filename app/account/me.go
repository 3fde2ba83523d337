package account

import (
	"context"
	"errors"
	"strings"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// Me is an account as shown to its owner.
type Me struct {
	ID             string              `json:"id"`
	Email          string              `json:"email" read:"own"`
	Name           string              `json:"name" read:"own"`
	AvatarURL      *string             `json:"avatarUrl" read:"own"`
	IsBot          bool                `json:"isBot"`
	PresenceStatus string              `json:"presenceStatus" enum:"available|away|busy|invisible|offline"`
	ProfileStatus  *core.ProfileStatus `json:"profileStatus"`
	DiscoveryMode  string              `json:"discoveryMode" enum:"name|email_only|hidden"`
	GroupAdds      string              `json:"groupAdds" enum:"everybody|friends|nobody"`
	IsAdmin        bool                `json:"isAdmin"`
	CreatedAt      store.Time          `json:"createdAt"`
}

func meOf(u store.User) Me {
	return Me{
		ID: u.ID, Email: u.Email, Name: u.Name, AvatarURL: core.OrNil(u.AvatarURL), IsBot: u.IsBot, PresenceStatus: u.PresenceStatus,
		ProfileStatus: core.StatusOf(u), DiscoveryMode: u.DiscoveryMode, GroupAdds: u.GroupAdds, IsAdmin: u.IsAdmin, CreatedAt: u.CreatedAt,
	}
}

func (s *Service) getMe(r *store.Reader, by store.Viewer, _ core.None) (Me, error) {
	u, err := r.User(by.UserID)
	return meOf(u), ownAccountError(err)
}

// Address returns the e-mail address of the account, or "" without one.
func (m Me) Address() string {
	if m.Email == core.MaskedEmail(m.ID) {
		return ""
	}
	return m.Email
}

// UpdateMeIn has the fields to change. Omitted fields keep their value.
type UpdateMeIn struct {
	Name          core.Opt[string] `json:"name,omitzero" notnull:"true" min:"1" max:"80" line:"true" plain:"true"`
	AvatarURL     core.Opt[string] `json:"avatarUrl,omitzero" max:"2048" format:"url" doc:"The profile picture. Null or empty removes it."`
	DiscoveryMode core.Opt[string] `json:"discoveryMode,omitzero" notnull:"true" enum:"name|email_only|hidden" doc:"Who finds the account: everybody by name, people with the exact address, or nobody."`
	GroupAdds     core.Opt[string] `json:"groupAdds,omitzero" notnull:"true" enum:"everybody|friends|nobody" doc:"Who may add you to groups."`
}

func (s *Service) updateMe(ctx context.Context, by store.Viewer, in UpdateMeIn) (Me, error) {
	return s.changeMe(ctx, by, func(u *store.User, _ store.Time) {
		in.Name.Into(&u.Name)
		in.AvatarURL.Into(&u.AvatarURL)
		in.DiscoveryMode.Into(&u.DiscoveryMode)
		in.GroupAdds.Into(&u.GroupAdds)
	})
}

// SetStatusIn has the status shown beside the caller's name. Omitted fields keep their value; null or "" clears them.
type SetStatusIn struct {
	Text     core.Opt[string] `json:"text,omitzero" max:"80" line:"true" plain:"true"`
	Emoji    core.Opt[string] `json:"emoji,omitzero" max:"10" line:"true" plain:"true"`
	Presence core.Opt[string] `json:"presenceStatus,omitzero" notnull:"true" enum:"available|away|busy|invisible|offline" doc:"Others see invisible as offline."`
}

func (s *Service) setStatus(ctx context.Context, by store.Viewer, in SetStatusIn) (Me, error) {
	return s.changeMe(ctx, by, func(u *store.User, now store.Time) {
		in.Text.Into(&u.StatusText)
		in.Emoji.Into(&u.StatusEmoji)
		if in.Text.Set || in.Emoji.Set {
			u.StatusAt = now
		}
		if in.Presence.Set {
			// An absent person who changes it with a key was last seen when they left.
			if (u.Online || u.IsBot || isPerson(by)) && core.HidesPresence(in.Presence.V) && !core.HidesPresence(u.PresenceStatus) {
				u.LastSeenAt = now
			}
			u.PresenceStatus = in.Presence.V
		}
	})
}

func (s *Service) changeMe(ctx context.Context, by store.Viewer, change func(u *store.User, now store.Time)) (Me, error) {
	u, err := s.changeUser(ctx, by, func(tx *store.Tx) (store.User, error) { return tx.User(by.UserID) }, change)
	return meOf(u), ownAccountError(err)
}

// changeUser changes the account that find returns, and tells those who see it.
func (s *Service) changeUser(ctx context.Context, by store.Viewer, find func(*store.Tx) (store.User, error),
	change func(u *store.User, now store.Time)) (u store.User, err error) {
	var was store.User
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if was, err = find(tx); err != nil {
			return err
		}
		u, err = putUser(tx, by, was, change)
		return err
	})
	if err == nil {
		s.notifyChange(ctx, was, u)
	}
	return u, err
}

func putUser(tx *store.Tx, by store.Viewer, was store.User, change func(u *store.User, now store.Time)) (u store.User, err error) {
	u = was
	if change(&u, tx.Now); u == was {
		return u, nil
	}
	if u.AvatarURL != was.AvatarURL && !strings.HasPrefix(u.AvatarURL, core.PicturePath) {
		if err := tx.DeletePicture(u.ID, ""); err != nil {
			return u, err
		}
	}
	if u, err = tx.UpdateUser(u); err != nil {
		return u, err
	}
	return u, tx.Emit(store.Event{Topic: u.ID, Kind: userUpdated, ObjectID: u.ID, ActorID: by.UserID})
}

// ErrNoRow for the caller's own account means that it was deleted since authentication.
func ownAccountError(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return core.ErrUnauthenticated
	}
	return err
}

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

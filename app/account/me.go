package account

import (
	"context"
	"errors"
	"strings"

	"hearth/app/core"
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
		ID: u.ID, Email: u.Email, Name: u.Name, AvatarURL: core.AvatarOf(u), IsBot: u.IsBot,
		PresenceStatus: u.PresenceStatus, ProfileStatus: core.StatusOf(u),
		DiscoveryMode: u.DiscoveryMode, GroupAdds: u.GroupAdds, IsAdmin: u.IsAdmin, CreatedAt: u.CreatedAt,
	}
}

func (s *Service) getMe(ctx context.Context, by store.Viewer, _ core.None) (out Me, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		u, err := r.User(by.UserID)
		out = meOf(u)
		return err
	})
	return out, ownAccountError(err)
}

// UpdateMeIn has the fields to change. Omitted fields keep their value.
type UpdateMeIn struct {
	Name          core.Opt[string] `json:"name,omitzero" notnull:"true" min:"1" max:"80" line:"true" plain:"true"`
	AvatarURL     core.Opt[string] `json:"avatarUrl,omitzero" max:"2048" format:"url" doc:"URL of the profile picture. Null or empty removes it."`
	DiscoveryMode core.Opt[string] `json:"discoveryMode,omitzero" notnull:"true" enum:"name|email_only|hidden" doc:"Who can find the account: everybody by name, only those who know the exact e-mail address, or nobody."`
	GroupAdds     core.Opt[string] `json:"groupAdds,omitzero" notnull:"true" enum:"everybody|friends|nobody" doc:"Who may add the account to groups. Everybody else can send an invite link."`
}

func (s *Service) updateMe(ctx context.Context, by store.Viewer, in UpdateMeIn) (Me, error) {
	return s.changeMe(ctx, by, func(u *store.User, _ store.Time) {
		if in.Name.Set {
			u.Name = in.Name.V
		}
		if in.AvatarURL.Set {
			u.AvatarURL = in.AvatarURL.V
		}
		if in.DiscoveryMode.Set {
			u.DiscoveryMode = in.DiscoveryMode.V
		}
		if in.GroupAdds.Set {
			u.GroupAdds = in.GroupAdds.V
		}
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
		if in.Text.Set {
			u.StatusText = in.Text.V
		}
		if in.Emoji.Set {
			u.StatusEmoji = in.Emoji.V
		}
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

func (s *Service) changeMe(ctx context.Context, by store.Viewer, change func(u *store.User, now store.Time)) (out Me, err error) {
	var was, u store.User
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		was, u, err = changeUser(tx, by, change)
		return err
	})
	if err == nil {
		s.notifyChange(ctx, was, u)
	}
	return meOf(u), ownAccountError(err)
}

func changeUser(tx *store.Tx, by store.Viewer, change func(u *store.User, now store.Time)) (was, u store.User, err error) {
	if was, err = tx.User(by.UserID); err != nil {
		return was, u, err
	}
	u = was
	if change(&u, tx.Now); u == was {
		return was, u, nil
	}
	if u.AvatarURL != was.AvatarURL && !strings.HasPrefix(u.AvatarURL, core.PicturePath) {
		if err := tx.DeletePicture(u.ID, ""); err != nil {
			return was, u, err
		}
	}
	if u, err = tx.UpdateUser(u); err != nil {
		return was, u, err
	}
	return was, u, tx.Emit(store.Event{Topic: u.ID, Kind: userUpdated, ObjectID: u.ID, ActorID: u.ID})
}

// ErrNoRow for the caller's own account means that it was deleted since authentication.
func ownAccountError(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return core.ErrUnauthenticated
	}
	return err
}

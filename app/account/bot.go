package account

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

const maxBots = 20

// Bot is a bot as shown to its owner: an account that only keys act as.
type Bot struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	AvatarURL *string    `json:"avatarUrl"`
	CreatedAt store.Time `json:"createdAt"`
}

func botOf(u store.User) Bot {
	return Bot{ID: u.ID, Name: u.Name, AvatarURL: core.AvatarOf(u), CreatedAt: u.CreatedAt}
}

func (s *Service) listBots(ctx context.Context, by store.Viewer, _ core.None) (out []Bot, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		bots, err := r.OwnBots(by)
		out = make([]Bot, len(bots))
		for i, u := range bots {
			out[i] = botOf(u)
		}
		return err
	})
	return out, err
}

func botFor(tx *store.Tx, by store.Viewer, in KeyBotIn, fallback string) (userID string, bot store.Bot, err error) {
	u := store.User{}
	if in.ID != "" {
		u, err = tx.OwnBot(by, in.ID)
	} else {
		u, err = createBot(tx, by, cmp.Or(in.Name, fallback), in.AvatarURL)
	}
	return u.ID, store.Bot{ID: u.ID, Name: u.Name, AvatarURL: u.AvatarURL}, err
}

func createBot(tx *store.Tx, by store.Viewer, name, avatarURL string) (u store.User, err error) {
	bots, err := tx.OwnBots(by)
	if err != nil {
		return u, err
	}
	if len(bots) >= maxBots {
		return u, core.New(core.Conflict, "too_many_bots",
			"You have %d bots, which is the maximum. Delete one you no longer need, then try again.", len(bots))
	}
	if err := limit.Bots.CallStored(tx, by); err != nil {
		return u, err
	}
	id := store.NewID()
	return tx.InsertUser(store.User{
		ID: id, Email: id + "@bots.invalid", Name: name, AvatarURL: avatarURL, IsBot: true, BotOwnerID: by.UserID, SignupProvider: "bot",
	})
}

// UpdateBotIn has the fields of a bot to change. Omitted fields keep their value.
type UpdateBotIn struct {
	ID        string           `path:"id" json:"-"`
	Name      core.Opt[string] `json:"name,omitzero" notnull:"true" min:"1" max:"80" line:"true" plain:"true"`
	AvatarURL core.Opt[string] `json:"avatarUrl,omitzero" max:"2048" format:"url" doc:"URL of the bot's picture. Null or empty removes it."`
}

func (s *Service) updateBot(ctx context.Context, by store.Viewer, in UpdateBotIn) (out Bot, err error) {
	var was, u store.User
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		if u, err = tx.OwnBot(by, in.ID); err != nil {
			return err
		}
		was = u
		if in.Name.Set {
			u.Name = in.Name.V
		}
		if in.AvatarURL.Set {
			u.AvatarURL = in.AvatarURL.V
		}
		if u == was {
			return nil
		}
		if u, err = tx.UpdateUser(u); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: u.ID, Kind: userUpdated, ObjectID: u.ID, ActorID: by.UserID})
	})
	if err != nil {
		return out, core.Found(err)
	}
	s.notifyChange(ctx, was, u)
	return botOf(u), nil
}

// BotIn identifies one of the caller's bots.
type BotIn struct {
	ID string `path:"id" json:"-"`
}

func (s *Service) deleteBot(ctx context.Context, by store.Viewer, in BotIn) (core.None, error) {
	return core.None{}, core.Found(s.erase(ctx, in.ID, func(tx *store.Tx, _ store.User) error {
		if err := checkSession(&tx.Reader, by); err != nil {
			return err
		}
		_, err := tx.OwnBot(by, in.ID)
		return err
	}))
}

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
	return Bot{ID: u.ID, Name: u.Name, AvatarURL: core.OrNil(u.AvatarURL), CreatedAt: u.CreatedAt}
}

func (s *Service) listBots(r *store.Reader, by store.Viewer, _ core.None) ([]Bot, error) {
	bots, err := r.OwnBots(by)
	return core.Map(bots, botOf), err
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
	if err == nil && len(bots) >= maxBots {
		err = core.New(core.Conflict, "too_many_bots",
			"You have %d bots, which is the maximum. Delete one you no longer need, then try again.", len(bots))
	}
	if err == nil {
		err = limit.Bots.CallStored(tx, by)
	}
	if err != nil {
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

func (s *Service) updateBot(ctx context.Context, by store.Viewer, in UpdateBotIn) (Bot, error) {
	bot := func(tx *store.Tx) (store.User, error) { return tx.OwnBot(by, in.ID) }
	u, err := s.changeUser(ctx, by, bot, func(u *store.User, _ store.Time) {
		in.Name.Into(&u.Name)
		in.AvatarURL.Into(&u.AvatarURL)
	})
	return botOf(u), core.Found(err)
}

func (s *Service) deleteBot(ctx context.Context, by store.Viewer, in core.ByID) (core.None, error) {
	return core.None{}, core.Found(s.erase(ctx, in.ID, func(tx *store.Tx, _ store.User) error {
		_, err := tx.OwnBot(by, in.ID)
		return err
	}))
}

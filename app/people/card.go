package people

import (
	"hearth/app/core"
	"hearth/store"
)

// OwnCard is the caller's add-me card.
type OwnCard struct {
	Token     *string     `json:"token" doc:"Null before the first use"`
	Link      *string     `json:"link" doc:"The address of its page"`
	Headline  string      `json:"headline"`
	Enabled   bool        `json:"enabled" doc:"Whether others can open it"`
	UpdatedAt *store.Time `json:"updatedAt"`
}

func (s *Service) ownCard(c store.Card) OwnCard {
	out := OwnCard{Token: core.OrNil(c.Token), Headline: c.Headline, Enabled: c.Enabled, UpdatedAt: c.UpdatedAt.Ptr()}
	if c.Token != "" {
		out.Link = core.OrNil(s.link(c))
	}
	return out
}

func (s *Service) link(c store.Card) string { return s.cfg.BaseURL + "/c/" + c.Token }

func (s *Service) getCard(r *store.Reader, by store.Viewer, _ core.None) (OwnCard, error) {
	c, err := r.OwnCard(by)
	return s.ownCard(c), err
}

// UpdateCardIn has the fields to change. Omitted fields keep their value.
type UpdateCardIn struct {
	Headline core.Opt[string] `json:"headline,omitzero" max:"140" line:"true" plain:"true" doc:"Below the name. Null or empty removes it."`
	Enabled  core.Opt[bool]   `json:"enabled,omitzero" notnull:"true" doc:"Whether others can open it"`
}

// updateCard keeps the token.
func (s *Service) updateCard(tx *store.Tx, by store.Viewer, in UpdateCardIn) (OwnCard, error) {
	return s.changeCard(tx, by, func(c *store.Card) {
		in.Headline.Into(&c.Headline)
		in.Enabled.Into(&c.Enabled)
	})
}

// rotateCard replaces the token. Links and codes with the old token stop working.
func (s *Service) rotateCard(tx *store.Tx, by store.Viewer, _ core.None) (OwnCard, error) {
	return s.changeCard(tx, by, func(c *store.Card) { c.Token = "" })
}

// changeCard writes the card if it differs. A card without a token gets one.
func (s *Service) changeCard(tx *store.Tx, by store.Viewer, change func(*store.Card)) (out OwnCard, err error) {
	was, err := tx.OwnCard(by)
	if err != nil {
		return out, err
	}
	c := was
	if change(&c); c.Token == "" {
		c.Token = core.NewSecret(16)
	}
	if c != was {
		c, err = tx.PutCard(c)
	}
	return s.ownCard(c), err
}

// Card is the public view of a card, without the owner's id and address.
type Card struct {
	Name      string              `json:"name"`
	Headline  string              `json:"headline"`
	AvatarURL *string             `json:"avatarUrl"`
	Status    *core.ProfileStatus `json:"status"`
	Link      string              `json:"link" doc:"The address of its page"`
}

// openCard returns NotFound for a token that is unknown, rotated or disabled. The same holds for owners who
// hide or are suspended, for bots, and across a block.
func (s *Service) openCard(r *store.Reader, by store.Viewer, in core.ByToken) (out Card, err error) {
	c, err := r.Card(by, in.Token)
	if err != nil {
		return out, err
	}
	u, err := r.CardOwner(c)
	return Card{Name: u.Name, Headline: c.Headline, AvatarURL: core.OrNil(u.AvatarURL), Status: core.StatusOf(u), Link: s.link(c)}, err
}

// CardFriend is the caller's relation to the owner of a card.
type CardFriend struct {
	UserID    *string     `json:"userId" format:"uuid" doc:"Null in the state none: a card does not tell whose it is"`
	State     string      `json:"state" enum:"none|incoming|outgoing|friends"`
	UpdatedAt *store.Time `json:"updatedAt"`
}

func cardFriendOf(f store.Friend) CardFriend {
	out := CardFriend{State: f.State, UpdatedAt: f.UpdatedAt.Ptr()}
	if f.State != "none" {
		out.UserID = &f.UserID
	}
	return out
}

func cardFriend(r *store.Reader, by store.Viewer, in core.ByToken) (CardFriend, error) {
	f, err := friendByCard(r, by, in.Token)
	return cardFriendOf(f), err
}

func friendByCard(r *store.Reader, by store.Viewer, token string) (store.Friend, error) {
	c, err := r.Card(by, token)
	switch {
	case err != nil:
		return store.Friend{}, err
	case c.UserID == by.UserID:
		return store.Friend{}, core.New(core.Invalid, "own_card", "This is your own card. Share its link with others.")
	}
	return stateWith(r, by, c.UserID)
}

// requestByCard is requestFriend for the owner of a card. It changes nothing between friends.
func requestByCard(tx *store.Tx, by store.Viewer, in core.ByToken) (CardFriend, error) {
	f, err := friendByCard(&tx.Reader, by, in.Token)
	if err == nil && f.State != "friends" {
		f, err = change(tx, by, f, request)
	}
	return cardFriendOf(f), err
}

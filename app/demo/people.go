package demo

import (
	"time"

	"hearth/store"
)

// relations adds the steps that make friends, requests, a card and a block.
func (s *seeder) relations() {
	ago := func(days int) time.Time { return s.now.Add(-time.Duration(days)*day - time.Hour) }
	relate := func(days int, a, b, state, mirrored string) {
		s.at(ago(days), func(tx *store.Tx) error {
			return tx.PutFriends(s.users[a].ID, s.users[b].ID, state, mirrored)
		})
	}
	relate(20, "mira", "tomas", "friends", "friends")
	relate(18, "mira", "amina", "friends", "friends")
	relate(11, "noam", "mira", "friends", "friends")
	relate(3, "kenji", "mira", "outgoing", "incoming")
	relate(1, "priya", "mira", "outgoing", "incoming")
	relate(2, "mira", "layla", "outgoing", "incoming")
	s.at(ago(15), func(tx *store.Tx) error {
		_, err := tx.PutCard(store.Card{UserID: s.users["mira"].ID, Token: "demo-card-of-mira", Headline: "Bread on Sundays, at the mill", Enabled: true})
		return err
	})
	s.at(ago(4), func(tx *store.Tx) error {
		mira, sion := s.users["mira"].ID, s.users["sion"].ID
		_, err := tx.InsertBlock(mira, sion)
		if err == nil {
			_, err = tx.HideDirects(mira, sion)
		}
		return err
	})
}

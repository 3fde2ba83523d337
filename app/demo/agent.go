package demo

import (
	"slices"
	"time"

	"hearth/store"
)

// secretaries adds steps that give people their answers for automatic replies.
func (s *seeder) secretaries(answers []answer) {
	for i, a := range answers {
		s.at(s.now.Add(-20*day).Add(time.Duration(i)*time.Minute), func(tx *store.Tx) error {
			row := store.SecretaryAnswer{ID: s.id(), UserID: s.users[a.who].ID, Question: a.question, Answer: a.text}
			if _, err := tx.InsertSecretaryAnswer(row); err != nil {
				return err
			}
			return tx.EnableSecretary(row.UserID, true)
		})
	}
}

// key adds a step with an agent key and what it was used for. Nobody has the key
// itself.
func (s *seeder) key(k key) {
	id := ""
	s.at(s.now.Add(-30*day), func(tx *store.Tx) error {
		id = s.id()
		row, err := tx.InsertKey(store.Key{
			ID: id, UserID: s.users[k.who].ID, Kind: "agent", Name: k.name, AgentName: k.agent, Prefix: "oc_" + s.id()[:8], Hash: s.id() + s.id(), CanRead: true, CanWrite: true,
		})
		s.keys[k.who+" "+k.name] = row
		return err
	})
	s.at(s.now.Add(-time.Minute), func(tx *store.Tx) error {
		var uses []store.KeyUse
		for _, u := range k.uses {
			uses = append(uses, store.KeyUse{KeyID: id, Operation: u.operation, Failed: u.failed, Uses: u.times, LastAt: store.TimeOf(s.now.Add(-u.ago))})
		}
		if err := tx.AddKeyUses(uses); err != nil {
			return err
		}
		last := slices.MaxFunc(uses, func(a, b store.KeyUse) int { return int(a.LastAt - b.LastAt) })
		return tx.TouchKeys(map[string]store.Time{id: last.LastAt})
	})
}

package chat

import (
	"slices"

	"hearth/app/core"
	"hearth/store"
)

func (v *view) loadMentions(rows []store.Message) (map[store.Time][]store.Mention, error) {
	found, err := v.r.Mentions(v.by, rows)
	out := map[store.Time][]store.Mention{}
	for _, q := range found {
		out[q.MessageAt] = append(out[q.MessageAt], q)
	}
	return out, err
}

func (m *Message) setMentions(places []store.Mention) {
	m.Places = places
	for _, q := range places {
		if !slices.Contains(m.Mentions, q.UserID) {
			m.Mentions = append(m.Mentions, q.UserID)
		}
	}
}

// FindMentionableIn is the input of FindMentionable.
type FindMentionableIn struct {
	ConversationID string `path:"id" json:"-"`
	Q              string `query:"q" json:"-" max:"100" doc:"Beginnings of words of the name, in any order; everybody if left out"`
	Limit          int    `query:"limit" json:"-" default:"8" min:"1" max:"50" clamp:"true"`
}

// FindMentionableOut has the people who can be mentioned.
type FindMentionableOut struct {
	People []core.PublicUser `json:"people"`
}

// Members who sent the latest messages come first. Two people with a block between them cannot mention each other.
func (s *Service) findMentionable(r *store.Reader, by store.Viewer, in FindMentionableIn) (FindMentionableOut, error) {
	found, err := r.Mentionable(by, in.ConversationID, in.Q, in.Limit)
	return FindMentionableOut{core.Map(found, func(u store.User) core.PublicUser { return core.UserFor(u, by.UserID) })}, err
}

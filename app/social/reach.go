package social

import (
	"hearth/app/core"
	"hearth/store"
)

// ReachOut is the number and names of the people that an audience reaches now.
type ReachOut struct {
	Total  int      `json:"total"`
	People []Person `json:"people" doc:"The first 200 by name"`
	Groups int      `json:"groups" doc:"Groups of the audience, whose later members it reaches too"`
}

// Person is an account as the caller sees it.
type Person struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	AvatarURL *string `json:"avatarUrl"`
	IsBot     bool    `json:"isBot"`
}

const maxReached = 200

func getReach(r *store.Reader, by store.Viewer, in Audience) (out ReachOut, err error) {
	a := store.Audience{UserIDs: unique(in.UserIDs), ConversationIDs: unique(in.ConversationIDs)}
	if err := mustName(r, by, "audience", a); err != nil {
		return out, err
	}
	return reachOf(r, by, a)
}

func reachOf(r *store.Reader, by store.Viewer, a store.Audience) (out ReachOut, err error) {
	if out.Groups, err = r.GroupsOf(by, a); err != nil {
		return out, err
	}
	rows, err := r.Reach(by, a, maxReached)
	for _, p := range rows {
		out.Total = p.Total
		out.People = append(out.People, Person{ID: p.ID, Name: p.Name, AvatarURL: core.OrNil(p.AvatarURL), IsBot: p.IsBot})
	}
	return out, err
}

// WaitingOut has the counts of pending decisions that every page shows.
type WaitingOut struct {
	Count  int        `json:"count" doc:"Requests of agents, matches and drafts that wait for a decision"`
	Simple bool       `json:"simple" doc:"The caller wants to see conversations only"`
	Until  store.Time `json:"until" doc:"When the first request of an agent expires, which lowers Count; 0 for none"`
}

func getWaiting(r *store.Reader, by store.Viewer, _ core.None) (out WaitingOut, err error) {
	p, err := r.Preference(by)
	if err == nil {
		out.Count, err = r.Waiting(by)
	}
	if err == nil && out.Count > 0 {
		out.Until, err = r.NextGrantExpiry(by)
	}
	out.Simple = p.ExperienceMode == "simple"
	return out, err
}

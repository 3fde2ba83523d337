package social

import (
	"slices"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// Audience is the audience of an intent or a Story: people, and the members of conversations. Members are read when
// the audience is checked; the owner must be one of them, too.
type Audience struct {
	UserIDs         []string `json:"userIds" required:"true" max:"100" format:"uuid"`
	ConversationIDs []string `json:"conversationIds" required:"true" max:"100" format:"uuid"`
}

func (a *Audience) chosen(field string) (store.Audience, error) {
	out := store.Audience{UserIDs: unique(a.UserIDs), ConversationIDs: unique(a.ConversationIDs)}
	if out.Empty() {
		return out, core.InvalidField(field, "%s has nobody. Name people or conversations, or leave it out where it may be left out.", field)
	}
	return out, nil
}

func unique(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }

func mustName(r *store.Reader, by store.Viewer, field string, a store.Audience) error {
	if a.Empty() {
		return nil
	}
	if slices.Contains(a.UserIDs, by.UserID) {
		return core.InvalidField(field, "%s names you. Leave yourself out: you are never matched with yourself, and you see your own Stories "+
			"anyway.", field)
	}
	unknown, err := r.AudienceUnknown(by, a)
	if err == nil && len(unknown) > 0 {
		err = core.InvalidField(field, "%s has people or conversations that you do not know, or bots: %s. Leave them out.", field,
			strings.Join(unknown[:min(3, len(unknown))], ", "))
	}
	return err
}

// AudienceOut is the audience of an intent or a Story, as far as its owner can name it now.
type AudienceOut struct {
	Audience    Audience // empty for an intent that is for everybody
	People      []Person // of Audience.UserIDs, the first 200 by name
	Unreachable int      // chosen people and conversations that cannot be named any more
	Reach       ReachOut // of Audience
}

func getAudience(r *store.Reader, by store.Viewer, in core.ByID) (out AudienceOut, err error) {
	i, err := r.Intent(by, in.ID)
	if err != nil || !i.Restricted {
		return out, err
	}
	a, err := r.IntentAudience(by, i.Seq)
	if err == nil {
		out, err = chosenOf(r, by, a)
	}
	return out, err
}

func getStoryAudience(r *store.Reader, by store.Viewer, in core.ByID) (out AudienceOut, err error) {
	if _, err := r.Story(by, in.ID); err != nil {
		return out, err
	}
	a, err := r.StoryAudience(by, in.ID)
	if err == nil {
		out, err = chosenOf(r, by, a)
	}
	return out, err
}

func chosenOf(r *store.Reader, by store.Viewer, a store.Audience) (out AudienceOut, err error) {
	lost, err := r.AudienceUnknown(by, a)
	if err != nil {
		return out, err
	}
	isLost := func(id string) bool { return slices.Contains(lost, id) }
	a.UserIDs, a.ConversationIDs = slices.DeleteFunc(a.UserIDs, isLost), slices.DeleteFunc(a.ConversationIDs, isLost)
	out.Audience, out.Unreachable = Audience(a), len(lost)
	named, err := reachOf(r, by, store.Audience{UserIDs: a.UserIDs})
	if err != nil {
		return out, err
	}
	out.People = named.People
	out.Reach, err = reachOf(r, by, a)
	return out, err
}

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

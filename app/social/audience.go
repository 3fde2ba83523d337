package social

import (
	"slices"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// Audience is whom an intent or a Story is for: people, and those who are members
// of the conversations, together with the owner, at the moment when it is asked.
type Audience struct {
	UserIDs         []string `json:"userIds" required:"true" max:"100" format:"uuid"`
	ConversationIDs []string `json:"conversationIds" required:"true" max:"100" format:"uuid"`
}

func audienceOf(a store.Audience) Audience {
	return Audience{UserIDs: append([]string{}, a.UserIDs...), ConversationIDs: append([]string{}, a.ConversationIDs...)}
}

// chosen returns the audience without repetitions, in the order of the ids. It
// returns Invalid if that is empty.
func (a *Audience) chosen(field string) (store.Audience, error) {
	out := store.Audience{UserIDs: unique(a.UserIDs), ConversationIDs: unique(a.ConversationIDs)}
	if out.Empty() {
		return out, core.InvalidField(field, "%s has nobody. Name people or conversations, or leave it out where it may be left out.", field)
	}
	return out, nil
}

func unique(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }

// mustName returns Invalid if an audience has the caller, or people or conversations
// that the caller does not know.
func mustName(r *store.Reader, by store.Viewer, field string, a store.Audience) error {
	if a.Empty() {
		return nil
	}
	if slices.Contains(a.UserIDs, by.UserID) {
		return core.InvalidField(field, "%s names you. Leave yourself out: you are never matched with yourself, and you see your own Stories anyway.", field)
	}
	unknown, err := r.AudienceUnknown(by, a)
	if err == nil && len(unknown) > 0 {
		err = core.InvalidField(field, "%s has people or conversations that you do not know, or bots: %s. Leave them out.", field, strings.Join(unknown[:min(3, len(unknown))], ", "))
	}
	return err
}

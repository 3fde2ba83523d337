package chat

import (
	"slices"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// ReactIn is the input of React.
type ReactIn struct {
	ID    string `path:"id" json:"-"`
	Emoji string `json:"emoji" required:"true" max:"10" doc:"One of 👍 ❤️ 😂 😮 😢 🙏 🗂️ 📁 📎 ✅"`
	Kind  string `json:"kind" enum:"filed" doc:"For 🗂️ 📁 📎 ✅: the message was filed at href"`
	Href  string `json:"href" max:"2048" format:"url" doc:"Where it was filed; for kind filed alone"`
}

// ReactOut has all reactions to the message.
type ReactOut struct {
	Reactions []ReactionSummary `json:"reactions" read:"others"`
}

// The same reaction again changes nothing; another kind or address replaces it.
func (s *Service) react(tx *store.Tx, by store.Viewer, in ReactIn) (ReactOut, error) {
	emoji, err := emojiOf(in.Emoji)
	if err == nil {
		err = in.checkFiled(emoji)
	}
	if err != nil {
		return ReactOut{}, err
	}
	q := store.Reaction{UserID: by.UserID, Emoji: emoji, Kind: in.Kind, Href: in.Href}
	return changeReactions(tx, by, in.ID, func(m *store.Message) (bool, error) { return tx.React(m, q) })
}

func (in ReactIn) checkFiled(emoji string) error {
	switch {
	case in.Kind == "" && in.Href != "":
		return core.InvalidField("href", "href belongs to the kind filed: send kind filed as well, or leave href out.")
	case in.Kind == "":
		return nil
	case in.Href == "":
		return core.InvalidField("href", "href is required with kind filed: send the web address at which the message was filed.")
	case !slices.Contains(filing(), emoji):
		return core.InvalidField("emoji", "emoji must be one of %s with kind filed.", strings.Join(filing(), " "))
	}
	return nil
}

// UnreactIn is the input of Unreact.
type UnreactIn struct {
	ID    string `path:"id" json:"-"`
	Emoji string `path:"emoji" json:"-"`
}

func (s *Service) unreact(tx *store.Tx, by store.Viewer, in UnreactIn) (ReactOut, error) {
	emoji, err := emojiOf(in.Emoji)
	if err != nil {
		return ReactOut{}, err
	}
	return changeReactions(tx, by, in.ID, func(m *store.Message) (bool, error) { return tx.Unreact(m, by.UserID, emoji) })
}

func changeReactions(tx *store.Tx, by store.Viewer, id string, change func(*store.Message) (bool, error)) (out ReactOut, err error) {
	m, err := tx.Message(by, id)
	if err == nil && m.DeletedAt != 0 {
		err = store.ErrNoRow
	}
	if err != nil {
		return out, err
	}
	changed, err := change(&m)
	if err == nil && changed {
		err = tx.Emit(store.Event{Topic: m.ConversationID, Kind: reactionUpdated, ObjectID: m.ID, ActorID: by.UserID})
	}
	if err != nil {
		return out, err
	}
	found, err := newView(&tx.Reader, by).loadReactions([]store.Message{m})
	return ReactOut{found[m.CreatedAt]}, err
}

// emojis are the emojis that a message can have, as clients show them.
func emojis() []string {
	return []string{"👍", "❤️", "😂", "😮", "😢", "🙏", "🗂️", "📁", "📎", "✅"}
}

// filing has the emojis that can say where a message was filed.
func filing() []string { return []string{"🗂️", "📁", "📎", "✅"} }

// The variation selector U+FE0F is optional.
func emojiOf(s string) (string, error) {
	plain := func(s string) string { return strings.ReplaceAll(s, "\ufe0f", "") }
	for _, e := range emojis() {
		if plain(e) == plain(s) {
			return e, nil
		}
	}
	return "", core.InvalidField("emoji", "emoji must be one of %s.", strings.Join(emojis(), " "))
}

func (v *view) loadReactions(rows []store.Message) (map[store.Time][]ReactionSummary, error) {
	found, err := v.r.Reactions(v.by, rows)
	out := map[store.Time][]ReactionSummary{}
	for _, c := range found {
		out[c.MessageAt] = append(out[c.MessageAt], ReactionSummary{c.Emoji, c.Count, c.ByViewer, core.OrNil(c.Kind), core.OrNil(c.Href)})
	}
	return out, err
}

// ReactionEvent is the data of reaction.updated: the reactions as they are now.
type ReactionEvent struct {
	ConversationID string            `json:"conversationId"`
	MessageID      string            `json:"messageId"`
	Reactions      []ReactionSummary `json:"reactions"`
}

func renderReactions(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	m, err := store.First(r.MessagesByID(viewer, ev.ObjectID))
	if err != nil {
		return nil, err
	}
	found, err := newView(r, viewer).loadReactions([]store.Message{m})
	return ReactionEvent{ConversationID: m.ConversationID, MessageID: m.ID, Reactions: found[m.CreatedAt]}, err
}

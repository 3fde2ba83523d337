package page

import (
	"net/url"

	"hearth/app/chat"
	"hearth/app/core"
)

type reactionView struct {
	Emoji, Name string
	Count       int
	Own         bool
	Href, Host  string // set where the message was filed
}

func reactionChoices() []reactionView {
	return []reactionView{
		{Emoji: "👍", Name: "Thumbs up"}, {Emoji: "❤️", Name: "Heart"}, {Emoji: "😂", Name: "Laughing"},
		{Emoji: "😮", Name: "Surprised"},
		{Emoji: "😢", Name: "Sad"}, {Emoji: "🙏", Name: "Thank you"}, {Emoji: "✅", Name: "Done"}, {Emoji: "📎", Name: "Paperclip"},
		{Emoji: "📁", Name: "Folder"}, {Emoji: "🗂️", Name: "Archive"},
	}
}

func emojiName(emoji string) string {
	for _, c := range reactionChoices() {
		if c.Emoji == emoji {
			return c.Name
		}
	}
	return emoji
}

func reactionOf(r chat.ReactionSummary) reactionView {
	view := reactionView{Emoji: r.Emoji, Name: emojiName(r.Emoji), Count: r.Count, Own: r.ByMe, Href: core.OrZero(r.Href)}
	if u, err := url.Parse(view.Href); err == nil {
		view.Host = u.Hostname()
	}
	return view
}

func (s *site) messageReact(v *visit) error {
	var err error
	conversation := v.id("id")
	id := v.id("message")
	if emoji := v.form("remove"); emoji != "" {
		_, err = s.Chat.Unreact.Call(v.ctx(), v.by, chat.UnreactIn{ID: id, Emoji: emoji})
	} else {
		_, err = s.Chat.React.Call(v.ctx(), v.by, chat.ReactIn{ID: id, Emoji: v.form("add")})
	}
	return v.next(withQuery("/chat/"+conversation, v.r.URL.RawQuery)+"#m-"+id, err)
}

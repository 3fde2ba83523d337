package page

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// LivePattern is the route of the stream of an open page.
const LivePattern = "GET /chat/live"

// chatLive answers a guest with a status: a stream cannot lead to the sign-in page.
func chatLive(s *site, v *visit) error {
	err := s.Stream(v.w, v.r, v.by)
	if core.IsKind(err, core.Unauthenticated) {
		v.w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	return err
}

// messageEvent is what an open page receives of a message: the element of the list of messages, and what
// changes in the row of the conversation.
type messageEvent struct {
	ConversationID string        `json:"conversationId"`
	ID             string        `json:"id"`
	SenderID       string        `json:"senderId"`
	At             store.Time    `json:"at"`
	HTML           template.HTML `json:"html"`
	Preview        string        `json:"preview"`
	From           string        `json:"from"`      // whose name precedes the preview in a group, or ""
	Unread         bool          `json:"unread"`    // it counts as unread until it is read
	Mentioned      bool          `json:"mentioned"` // it names the viewer
	Tagged         bool          `json:"tagged"`    // it may have a tag, for the Stream
}

// Events returns a table of events as open pages receive them: messages as HTML, all else as it is.
func Events(table []core.Event) []core.Event {
	return core.Map(table, func(e core.Event) core.Event {
		if chat.ShowsMessage(e.Kind) {
			e.Data, e.Render = messageEvent{}, renderMessage
		}
		return e
	})
}

func renderMessage(r *store.Reader, by store.Viewer, ev store.Event) (any, error) {
	m, err := chat.ShownMessage(r, by, ev.ObjectID)
	if err != nil || m == nil {
		return nil, err
	}
	views, err := loadViews()
	if err != nil {
		return nil, err
	}
	t := messageViews{me: by.UserID}
	html, err := views.parts.render("message", t.message(*m))
	out := messageEvent{ConversationID: m.ConversationID, ID: m.ID, SenderID: m.SenderID, At: m.CreatedAt, HTML: html,
		Unread: m.SenderID != by.UserID && m.DeletedAt == nil, Mentioned: slices.Contains(m.Mentions, by.UserID),
		Tagged: strings.ContainsAny(m.Content, "#＃")}
	out.Preview, out.From = lineOf(m, m.Preview(), by.UserID)
	return out, err
}

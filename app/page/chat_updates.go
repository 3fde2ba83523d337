package page

import (
	"net/http"

	"hearth/app/chat"
	"hearth/app/core"
)

// LivePattern is the route of the stream of an open page.
const LivePattern = "GET /chat/live"

// chatLive answers a guest with a status: a stream cannot lead to the sign-in page.
func (s *site) chatLive(v *visit) error {
	if s.Live == nil || v.r.Method != http.MethodGet { // HEAD would wait for the end
		return core.ErrNotFound
	}
	err := s.Live.ServePage(v.w, v.r, v.by)
	if core.IsKind(err, core.Unauthenticated) {
		v.w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	return err
}

const maxUpdates = 50

// chatUpdates answers the script of an open page with the requested messages, rows and head. What the person
// may no longer see is left out.
func (s *site) chatUpdates(v *visit) error {
	q := v.r.URL.Query()
	ids, rows := q["message"], q["row"]
	if len(ids) > maxUpdates || len(rows) > maxUpdates {
		return core.InvalidField("message", "At most %d messages and conversations can be requested at once.", maxUpdates)
	}
	var view updatesView
	if len(ids) > 0 {
		in := chat.MessagesByIDIn{ConversationID: q.Get("conversation"), IDs: ids}
		messages := get(v, s.Chat.MessagesByID, in)
		t := messageViews{me: v.by.UserID}
		view.Messages = core.Map(messages, t.message)
	}
	s.addRows(v, &view, rows)
	view.Unread = get(v, s.Chat.UnreadTotal, core.None{})
	return s.show(v, &view)
}

func (s *site) addRows(v *visit, view *updatesView, ids []string) {
	if len(ids) == 0 {
		return
	}
	found := get(v, s.Chat.ConversationsByID, chat.ConversationsByIDIn{IDs: ids})
	shown := v.query("conversation")
	for _, c := range found {
		view.Rows = append(view.Rows, s.row(c, v.by.UserID, shown))
		if c.ID == shown && v.query("head") != "" {
			s.addHead(v, view, shown)
		}
	}
}

func (s *site) addHead(v *visit, view *updatesView, id string) {
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	head := s.headOf(c, v.by.UserID)
	view.Head = &head
	view.Changes = eachChange(s.changesOf(v, c, chat.MessagesAroundOut{}))
}

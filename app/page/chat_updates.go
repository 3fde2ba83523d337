package page

import (
	"net/http"

	"hearth/app/chat"
	"hearth/app/core"
)

// maxUpdates bounds the ids of each kind in one request for updates.
const maxUpdates = 50

// chatUpdates answers the script of an open page with what changed: the
// messages it names, of the conversation it shows, the rows of the
// conversations it names and, with head=1, the head of the one it shows. What
// may no longer be seen is left out.
func chatUpdates(s *site, v *visit) error {
	q := v.r.URL.Query()
	ids, rows := q["message"], q["row"]
	if len(ids) > maxUpdates || len(rows) > maxUpdates {
		return core.InvalidField("message", "At most %d messages and conversations can be requested at once.", maxUpdates)
	}
	var view updatesView
	if len(ids) > 0 {
		in := chat.MessagesByIDIn{ConversationID: q.Get("conversation"), IDs: ids}
		messages, err := s.Chat.MessagesByID.Call(v.ctx(), v.by, in)
		if err != nil {
			return err
		}
		t := messageViews{me: v.by.UserID}
		view.Messages = core.Map(messages, t.message)
	}
	for _, id := range rows {
		if err := s.addRow(v, &view, id); err != nil {
			return err
		}
	}
	total, err := s.Chat.UnreadTotal.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	view.Unread = total.UnreadTotal
	return s.show(v, http.StatusOK, view)
}

// addRow adds the row of a conversation, if the person of v is in it, and the
// head if the page shows it.
func (s *site) addRow(v *visit, view *updatesView, id string) error {
	c, err := s.Chat.GetConversation.Call(v.ctx(), v.by, chat.GetConversationIn{ID: id})
	if core.IsKind(err, core.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	shown := v.query("conversation")
	view.Rows = append(view.Rows, s.row(c, v.by.UserID, shown))
	if v.query("head") != "" && c.ID == shown {
		head := s.headOf(c, v.by.UserID)
		view.Head = &head
	}
	return nil
}

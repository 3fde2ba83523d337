package page

import (
	"net/http"

	"hearth/app/chat"
	"hearth/app/core"
)

// maxUpdates bounds the ids of each kind in one request for updates.
const maxUpdates = 50

// chatUpdates answers the script of an open page with what changed: the
// messages it names, of the conversation it shows, and the rows of the
// conversations it names. What may no longer be seen is left out.
func chatUpdates(s *site, v *visit) error {
	q := v.r.URL.Query()
	shown, ids, rows := q.Get("conversation"), q["message"], q["row"]
	if len(ids) > maxUpdates || len(rows) > maxUpdates {
		return core.InvalidField("message", "At most %d messages and conversations can be asked for at once.", maxUpdates)
	}
	var view updatesView
	if len(ids) > 0 {
		messages, err := s.Chat.MessagesByID.Call(v.ctx(), v.by, chat.MessagesByIDIn{ConversationID: shown, IDs: ids})
		if err != nil {
			return err
		}
		t := thread{me: v.by.UserID}
		view.Messages = core.Map(messages, t.message)
	}
	for _, id := range rows {
		c, err := s.Chat.GetConversation.Call(v.ctx(), v.by, chat.GetConversationIn{ID: id})
		switch {
		case core.IsKind(err, core.NotFound):
		case err != nil:
			return err
		default:
			view.Rows = append(view.Rows, s.row(c, v.by.UserID, shown))
		}
	}
	total, err := s.Chat.UnreadTotal.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	view.Unread = total.UnreadTotal
	return s.show(v, http.StatusOK, view)
}

package page

import (
	"net/http"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// chatSeen marks messages as read, up to the moment in the address. Browsers without scripts load it as an
// image. The script instead reports what was on the screen.
func (s *site) chatSeen(v *visit) error {
	upTo, err := store.ParseTime(v.query("upTo"))
	if err != nil || v.r.Method != http.MethodGet || v.r.Header.Get("Sec-Purpose") != "" || !forPicture(v.r) {
		return core.ErrNotFound
	}
	v.then(func() error {
		_, err := s.Chat.MarkRead.Call(v.ctx(), v.by, chat.MarkReadIn{ConversationID: v.id("id"), UpTo: &upTo})
		if err == nil {
			v.w.WriteHeader(http.StatusNoContent)
		}
		return err
	})
	return nil
}

// forPicture reports whether a browser requests an image rather than follows a link. Without https, only the
// Accept header distinguishes the two.
func forPicture(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return (dest == "" || dest == "image") && !strings.Contains(r.Header.Get("Accept"), "text/html")
}

// chatUnread leaves the conversation, because its page would mark the messages as read again.
func (s *site) chatUnread(v *visit) error {
	_, err := send(v, s.Chat.MarkUnread, func(in *chat.MarkUnreadIn) { in.MessageID = v.form("from") })
	return v.next("/chat?done=unread", err)
}

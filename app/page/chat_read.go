package page

import (
	"net/http"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// chatSeen marks the messages of a page as read, up to the moment in the
// address. Browsers without scripts load it as a picture of the page that shows
// them; the others know what was on the screen.
func chatSeen(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	upTo, err := store.ParseTime(v.query("upTo"))
	if err != nil || v.r.Method != http.MethodGet || v.r.Header.Get("Sec-Purpose") != "" || !forPicture(v.r) {
		return core.ErrNotFound
	}
	v.then(func() error {
		_, err := s.Chat.MarkRead.Call(v.ctx(), v.by, chat.MarkReadIn{ConversationID: id, UpTo: &upTo})
		if err == nil {
			v.w.WriteHeader(http.StatusNoContent)
		}
		return err
	})
	return nil
}

// forPicture reports whether a browser requests a picture, rather than a page that a
// link leads to. Without https, it says so by what it accepts alone.
func forPicture(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return (dest == "" || dest == "image") && !strings.Contains(r.Header.Get("Accept"), "text/html")
}

// chatRead marks all messages of a conversation as read.
func chatRead(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if _, err := s.Chat.MarkRead.Call(v.ctx(), v.by, chat.MarkReadIn{ConversationID: id}); err != nil {
		return err
	}
	return v.seeOther("/chat/" + id + "?newest=1")
}

// chatUnread marks the messages from one on as unread, and leaves the
// conversation, which would read them again.
func chatUnread(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if _, err := s.Chat.MarkUnread.Call(v.ctx(), v.by, chat.MarkUnreadIn{ConversationID: id, MessageID: v.form("from")}); err != nil {
		return err
	}
	return v.seeOther("/chat?done=unread")
}

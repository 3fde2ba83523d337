package page

import (
	"fmt"
	"net/url"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

func (s *site) chatRoutes() []route {
	return []route{
		{"GET /chat", person, s.chatIndex, "chat_index"},
		{"GET /search", person, s.search, "search"},
		{"GET /chat/new", person, s.chatNew, "chat_new"},
		{"POST /chat/new", person, s.posted(s.chatCreate, "participantIds", "title"), "chat_new"},
		{"GET /chat/updates", person, s.chatUpdates, "chat_updates"},
		{LivePattern, anyone, s.chatLive, ""},
		{"GET /chat/invite/{token}", person, s.inviteShow, "chat_invite"},
		{"POST /chat/invite", person, s.posted(s.inviteAccept), ""},
		{"GET /chat/open", person, s.chatOpen, "chat_open"},
		{"GET /home", person, s.home, ""},
		{"POST /chat/{id}/join", person, act(s, s.Chat.JoinConversation, "/chat/{id}"), ""},
		{"POST /chat/{id}/open", person, s.posted(s.chatSetOpen), "chat_people"},
		{"GET /chat/{id}", person, s.chatShow, "chat"},
		{"POST /chat/{id}", person, s.posted(s.chatSend, "content"), "chat"},
		{"POST /chat/{id}/message/{message}", person, s.posted(s.messageEdit), "chat"},
		{"POST /chat/{id}/message/{message}/delete", person, s.posted(s.messageDelete), ""},
		{"POST /chat/{id}/message/{message}/react", person, s.posted(s.messageReact), ""},
		{"GET /chat/{id}/seen", person, s.chatSeen, ""},
		{"GET /chat/{id}/people", person, fresh(s.showPeople), "chat_people"},
		{"GET /chat/{id}/stream", person, s.showStream, "chat_stream"},
		{"GET /chat/{id}/context", person, s.showLane, "chat_context"},
		{"POST /chat/{id}/people", person, act(s, s.Chat.AddParticipant, "/chat/{id}/people?done=added"), "chat_people"},
		{"POST /chat/{id}/people/{userId}/remove", person, act(s, s.Chat.RemoveParticipant, "/chat/{id}/people?done=removed"), "chat_people"},
		{"POST /chat/{id}/people/{userId}/owner", person, actWith(s, s.Chat.UpdateParticipant, "/chat/{id}/people?done=saved",
			func(_ *visit, in *chat.UpdateParticipantIn) { in.Role = "owner" }), "chat_people"},
		{"POST /chat/{id}/title", person,
			edit(s, via(s.Chat.GetConversation), storedTitle, s.Chat.UpdateConversation, "/chat/{id}/people?done=saved"), "chat_people"},
		{"POST /chat/{id}/picture", person, act(s, s.Chat.SetGroupPicture, "/chat/{id}/people?done=picture"), "chat_people"},
		{"POST /chat/{id}/picture/remove", person, act(s, s.Chat.DeleteGroupPicture, "/chat/{id}/people?done=no-picture"), "chat_people"},
		{"POST /chat/{id}/invite", person, made(s, s.createInvite, s.showPeople), "chat_people"},
		{"POST /chat/{id}/invite/{inviteId}/revoke", person, act(s, s.Chat.RevokeInvite, "/chat/{id}/people?done=revoked-link"), "chat_people"},
		{"POST /chat/{id}/read", person, act(s, s.Chat.MarkRead, "/chat/{id}?newest=1"), ""},
		// Leaves the conversation, because its page would mark the messages as read again.
		{"POST /chat/{id}/unread", person, actWith(s, s.Chat.MarkUnread, "/chat?done=unread",
			func(v *visit, in *chat.MarkUnreadIn) { in.MessageID = v.form("from") }), ""},
		{"POST /chat/{id}/mute", person, s.posted(s.chatMute), ""},
		{"POST /chat/{id}/notify", person,
			edit(s, via(s.Chat.GetConversation), storedNotify, s.Chat.SetNotify, "/chat/{id}/people?done=saved"), "chat_people"},
		{"POST /chat/{id}/leave", person, sure("/chat/{id}/people", actWith(s, s.Chat.RemoveParticipant,
			"/chat?done=left", func(v *visit, in *chat.RemoveParticipantIn) { in.UserID = v.by.UserID })), "chat_people"},
		{"POST /chat/{id}/context", person, s.onPost(s.contextPost, "text"), "chat_context"},
		{"POST /chat/{id}/context/{postId}/edit", person, s.onPost(s.contextEdit, "text"), "chat_context"},
		{"POST /chat/{id}/context/{postId}/delete", person, actOnPost(s, s.Lane.DeleteContextPost, ""), "chat_context"},
		{"POST /chat/{id}/context/{postId}/ask", person, actOnPost(s, s.Lane.AskAgents, "agents-asked"), "chat_context"},
		{"POST /chat/{id}/context/{postId}/track", person, s.onPost(s.contextTrack), "chat_context"},
		{"POST /chat/{id}/context/{postId}/report", person, actOnPost(s, s.Lane.ReportContextPost, "reported"), "chat_context"},
		{"POST /chat/{id}/stream", person, s.posted(s.streamAdd, "text"), "chat_stream"},
		{"POST /chat/{id}/stream/{entryId}/pin", person, actWith(s, s.Lane.PinThought, "/chat/{id}/stream#e-{entryId}",
			func(v *visit, in *lane.PinThoughtIn) { in.ID, in.ConversationID = v.id("entryId"), v.id("id") }), "chat_stream"},
		{"POST /chat/{id}/stream/{entryId}/unpin", person, actWith(s, s.Lane.UnpinThought, "/chat/{id}/stream#e-{entryId}",
			func(v *visit, in *lane.UnpinThoughtIn) { in.ID, in.ConversationID = v.id("entryId"), v.id("id") }), "chat_stream"},
		{"POST /chat/{id}/stream/{entryId}/collapsed", person, act(s, s.Lane.CollapseEntry, "/chat/{id}/stream#e-{entryId}"), "chat_stream"},
	}
}

type rowView struct {
	ID, Title, Preview string
	Face               Person // supplies the initials
	LastAt             store.Time
	Unread             int
	Mentioned          bool // an unread message mentions the viewer
	Muted              bool
	Current            bool
	Group              bool
}

type columnView struct {
	Rows  []rowView
	First bool   // starts with the newest conversation
	More  string // address of the next conversations; "" after the last
}

type headView struct {
	ID, Title, Line string
	Prompt          string
	Face            Person
	Muted           bool
	Back, BackLabel string
	PeopleURL       string // "" if there is nothing to manage
	StreamURL       string // "" on its own page
	Tab             string // messages, context or stream; "" without tabs
	PersonID        string // the other person of a direct conversation, or ""
	ProfileURL      string // the other person's page, or ""
}

type quoteView struct{ ID, SenderName, Content, URL string }

type messageView struct {
	Change             *changeView // an event line instead of a message
	ID, ConversationID string
	Sender             Person
	Own                bool
	Content            string
	Names              []nameView // names that the content mentions
	Files              []fileView
	Transcript         string      // of a voice note
	Card               *serverCard // nil unless the server made it
	CreatedAt          store.Time
	Edited, Deleted    bool
	AgentName          string
	ViaSecretary       bool
	ReplyTo            *quoteView
	NewDay             bool
	FirstUnread        bool
	Focus              bool
	Marked             bool // named by the address
	Run                bool // soon after a message of the same sender: without name and picture
	Editing            bool
	Edit               Form
	Deleting           bool
	Reactions          []reactionView
	Picking            bool   // the picker is open
	Query              string // part of the conversation, in the links of the message
}

type chatIndexView struct {
	Frame
	columnView
}

type chatView struct {
	Frame
	columnView
	Head     headView
	Messages []messageView
	Older    string // address of the previous page; "" at the start
	Newer    string // address of the next page; "" at the end
	Latest   bool   // the page includes the newest message

	UnreadHere int
	UnreadAt   store.Time // time of the first unread message; 0 without one
	ReadAt     store.Time // everything up to here is read
	Gap        bool       // some unread messages precede the page
	SeenURL    string     // image that marks the page's messages as read without scripts; "" if there is nothing to mark
	Reply      *quoteView
	SendID     string // makes a repeated form harmless
	Form       Form
	Blank      messageView // the template for the script
	Newcomer   *newcomerView
	Stream     streamView // beside the messages on wide screens
	Lane       laneView
	Side       string // what is beside the messages: context, stream
}

type unreadView = chat.UnreadTotalOut

type updatesView struct {
	Head     *headView // nil unless requested
	Messages []messageView
	Changes  []messageView // the latest changes of the group, with Head
	Rows     []rowView
	Unread   unreadView
}

type chatNewView struct {
	Frame
	columnView
	Form   Form
	Query  string
	Chosen []Person
	Found  []Person
}

type participant struct {
	Person
	Owner, You, CanRemove bool
}

type inviteView struct {
	Frame
	Invite chat.Invite
	Token  string
}

type chatPeopleView struct {
	Frame
	columnView
	Head      headView
	Form      Form
	OpenForm  Form // of the choice who can join
	Notify    Form // of the choice what notifies
	People    []participant
	Muted     store.Time // 0 if not muted
	Forever   bool       // muted without an end
	Invite    string     // a new link, shown only once
	IsGroup   bool
	CanManage bool
	Invites   []chat.GroupInvite
	Query     string
	Found     []Person
}

// Summary returns the beginning of a message, for labels.
func (m messageView) Summary() string {
	if m.Content == "" && len(m.Files) > 0 {
		return m.Files[0].Name
	}
	return oneLine(unformatted(oneLine(m.Content, 120)), 60)
}

// blankMessage has every part that a message of the viewer can have. The script copies it for a message being
// sent, and removes the unused parts.
func blankMessage() messageView {
	return messageView{Own: true, ReplyTo: &quoteView{}}
}

const rowsShown = 100

func personOf(u core.PublicUser) Person {
	p := Person{ID: u.ID, Name: u.Name, Picture: pictureOf(core.OrZero(u.AvatarURL)), IsBot: u.IsBot}
	switch {
	case u.PresenceStatus == "away" || u.PresenceStatus == "busy":
		p.Presence = u.PresenceStatus
	case u.PresenceStatus == "available" && !u.IsBot:
		p.Presence = "online"
	}
	if u.ProfileStatus != nil {
		p.Status = strings.TrimSpace(u.ProfileStatus.Emoji + " " + u.ProfileStatus.Text)
	}
	return p
}

func others(c chat.Conversation, me string) []Person {
	var out []Person
	for _, p := range c.Participants {
		if p.User.ID != me {
			out = append(out, personOf(p.User))
		}
	}
	return out
}

// nameOf returns the name of the conversation for me, and the person who supplies its initials.
func nameOf(c chat.Conversation, me string) (title string, who Person) {
	with := others(c, me)
	names := strings.Join(namesOf(with), ", ")
	if more := c.ParticipantCount - len(c.Participants); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case c.Type == "direct" && len(with) > 0:
		return with[0].Name, with[0]
	case c.Type == "direct":
		for _, p := range c.Participants {
			who = personOf(p.User)
		}
		return "My notes", who
	case core.OrZero(c.Title) != "":
		names = core.OrZero(c.Title)
	case names == "":
		names = "Only you"
	}
	return names, face(c.ID, names, core.OrZero(c.AvatarURL))
}

func namesOf(people []Person) []string {
	return core.Map(people, func(p Person) string { return p.Name })
}

func (s *site) column(v *visit, current string) columnView {
	before := v.moment("until")
	all, err := s.Chat.ListConversations.Call(v.ctx(), v.by, chat.ListConversationsIn{Before: before, Limit: rowsShown})
	v.failed(err)
	view := columnView{First: before == nil}
	for _, c := range all.Items {
		view.Rows = append(view.Rows, s.row(c, v.by.UserID, current))
	}
	if all.Next != nil {
		view.More = "/chat?until=" + url.QueryEscape(all.Next.Get("before"))
	}
	return view
}

func (s *site) row(c chat.Conversation, me, current string) rowView {
	r := rowView{ID: c.ID, Group: c.Type == "group", Unread: c.UnreadCount, Mentioned: c.Mentioned, LastAt: c.LastMessageAt,
		Muted: s.mutedUntil(c) != 0, Current: c.ID == current}
	r.Title, r.Face = nameOf(c, me)
	if c.LastMessage != nil {
		var from string
		if r.Preview, from = lineOf(c.LastMessage, c.LastMessagePreview, me); r.Group && from != "" {
			r.Preview = from + ": " + r.Preview
		}
	}
	return r
}

// lineOf returns the line of a message in the column, and whose name precedes it in a group, or "".
func lineOf(m *chat.Message, preview, me string) (line, from string) {
	line = unformatted(preview)
	switch {
	case m.DeletedAt != nil:
		return "Message deleted", ""
	case m.MessageType == "card" && line == "":
		return "You were matched", ""
	case line == "":
		return "", ""
	case m.SenderID == me:
		return "You: " + line, ""
	}
	return line, m.Sender.Name
}

func (s *site) headIn(c chat.Conversation, me, tab string) headView {
	h := s.headOf(c, me)
	if s.Lane.Context && !isSelf(c) {
		h.Tab = tab
	}
	return h
}

func (s *site) headOf(c chat.Conversation, me string) headView {
	h := headView{ID: c.ID, Muted: s.mutedUntil(c) != 0, Back: "/chat", BackLabel: "Back to all conversations", PeopleURL: "/chat/" + c.ID +
		"/people", StreamURL: "/chat/" + c.ID + "/stream"}
	h.Title, h.Face = nameOf(c, me)
	h.Prompt = "Message " + h.Title
	with := others(c, me)
	switch {
	case c.Type == "group":
		h.Line = strings.Join(append([]string{"You"}, namesOf(with)...), ", ")
	case len(with) == 0:
		h.Line, h.Prompt, h.PeopleURL, h.StreamURL = "Only you can see this", "Write a note", "", "/thoughts"
	default:
		h.PersonID, h.ProfileURL = with[0].ID, with[0].Profile()
		h.Line = strings.TrimPrefix(with[0].Status+" · "+with[0].Presence, " · ")
		h.Line = strings.TrimSuffix(h.Line, " · ")
	}
	return h
}

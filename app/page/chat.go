package page

import (
	"hearth/app/chat"
	"hearth/store"
)

// rowView is one conversation in the column beside the messages.
type rowView struct {
	ID, Title, Preview string
	Face               Person // whose initials are its picture
	LastAt             store.Time
	Unread             int
	Mentioned          bool // an unread message mentions the viewer
	Muted              bool
	Current            bool // it is the one on the page
}

// columnView is that column.
type columnView struct {
	Rows  []rowView
	First bool   // it begins with the newest conversation
	More  string // address of the conversations after these; "" after the last
}

// headView is the head of a conversation.
type headView struct {
	ID, Title, Line string
	Prompt          string // of the field for a message
	Face            Person
	Muted           bool
	Back, BackLabel string
	PeopleURL       string // "" where there is nothing to manage
	StreamURL       string // "" on its own page
	Tab             string // which part of the conversation is shown: messages, context, stream; "" without tabs
	PersonID        string // of the other one in a direct conversation, or ""
	ProfileURL      string // of their page, or ""
	SearchURL       string // where its messages are searched
}

// quoteView is a message that another one answers; URL is where it is.
type quoteView struct{ ID, SenderName, Content, URL string }

type messageView struct {
	Change             *changeView // a line between messages instead of one
	ID, ConversationID string
	Sender             Person
	Own                bool
	Content            string
	Names              []nameView // whom the content mentions
	Files              []fileView
	Transcript         string      // of a voice note
	Card               *serverCard // nil unless the server made it
	CreatedAt          store.Time
	Edited, Deleted    bool
	AgentName          string // of the key that sent it
	ViaSecretary       bool
	ReplyTo            *quoteView
	NewDay             bool // first of its day
	FirstUnread        bool
	Focus              bool   // it is what the page opens at
	Marked             bool   // it is the message that the address names
	PlaceURL           string // its address
	Run                bool   // soon after another of the same sender: no name, no picture
	Editing            bool
	Edit               Form
	Deleting           bool   // the page asks whether to delete it
	SelfURL, ActionURL string // the message on this page; where its edit form goes
	DeleteURL          string
	ReplyURL, EditURL  string
	ReportURL          string // of a message by another person
	AskURL             string // where the page asks whether to delete it
	Reactions          []reactionView
	Picking            bool   // the page offers reactions to choose from
	ReactURL, PickURL  string // where reactions go; where the page offers them
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
	Older    string // address of the page before; "" at the start
	Newer    string // address of the page after; "" at the end
	Latest   bool   // the page ends with the newest message

	UnreadHere int        // unread messages of the conversation
	UnreadAt   store.Time // when the first of them was sent; 0 without one
	ReadAt     store.Time // up to when everything is read
	Gap        bool       // there are unread messages before those of the page
	SeenURL    string     // what a browser without scripts loads to mark the messages of the page as read; "" if that marks none
	Reply      *quoteView
	SendID     string // makes sending the form twice harmless
	Form       Form
	Blank      messageView // the shape that the script fills
	Newcomer   *newcomerView
	Stream     streamView // beside the messages on wide screens
	Lane       laneView
	Side       string // what is beside the messages: context, stream
}

// updatesView is what changed in the chat, for the script of an open page.
type updatesView struct {
	Head     *headView // nil unless it was requested
	Messages []messageView
	Changes  []messageView // of the group whose head was requested, the latest
	Rows     []rowView
	Unread   int
}

type chatNewView struct {
	Frame
	columnView
	Form   Form
	Query  string
	Chosen []Person
	Found  []Person
}

// participant is a person in a conversation.
type participant struct {
	Person
	Owner, You, CanRemove bool
}

type chatPeopleView struct {
	Frame
	columnView
	Head      headView
	Form      Form
	OpenForm  Form // of who can join
	People    []participant
	Muted     store.Time // until when; 0 is not
	Forever   bool       // muted without an end
	Invite    string     // a link just made: the only time it is shown
	IsGroup   bool
	CanManage bool // may change who is in the group, and its name
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

// blankMessage has every part that a message of the viewer can have. The script
// copies it for a message that is being sent, and removes the parts that this
// one does not have.
func blankMessage() messageView {
	return messageView{Own: true, ReplyTo: &quoteView{}}
}

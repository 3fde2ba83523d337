package page

import "hearth/store"

// talk is one conversation in the column beside a thread.
type talk struct {
	ID, Title, Preview string
	Face               Person // whose initials stand for it
	LastAt             store.Time
	Unread             int
	Muted              bool
}

// sideView is that column; Current marks the conversation on the page.
type sideView struct {
	Talks   []talk
	Current string
	More    string // where the conversations after these are; "" after the last
}

// room is the head of a conversation.
type room struct {
	ID, Title, Line string
	Face            Person
	Muted           bool
	Back, BackLabel string
	PeopleURL       string // "" where there is nothing to manage
}

type quoteView struct{ ID, SenderName, Content string }

type messageView struct {
	ID, ConversationID string
	Sender             Person
	Own                bool
	Content            string
	Card               string // a server-made card, as a sentence
	CreatedAt          store.Time
	Edited, Deleted    bool
	AgentName          string // of the key that sent it
	ViaSecretary       bool
	ReplyTo            *quoteView
	NewDay             bool // first of its day
	FirstUnread        bool
	Run                bool // follows the same sender closely: no name, no picture
	Editing            bool
	Edit               Form
	Deleting           bool   // asked whether to
	SelfURL, ActionURL string // the message on this page; where its edit form goes
	DeleteURL          string
	ReplyURL, EditURL  string
	AskURL             string // where it asks whether to delete
}

type chatIndexView struct {
	Frame
	sideView
}

type chatView struct {
	Frame
	sideView
	Room     room
	Messages []messageView
	Older    string // address of the page before, "" at the beginning
	Latest   bool   // the page ends with the newest message
	Reply    *quoteView
	SendID   string // makes sending the form twice harmless
	Form     Form
	Blank    messageView // the shape the script fills
}

type chatNewView struct {
	Frame
	sideView
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
	sideView
	Room    room
	Form    Form
	People  []participant
	Muted   store.Time // until when; 0 is not
	ForGood bool
	Invite  string // a link just made: the only time it is shown
	IsGroup bool
	IsOwner bool // who is looking may change it
	Query   string
	Found   []Person
}

// blankMessage has every part a message of one's own can have: the script
// copies it for a message on its way, takes out what this one has not, and
// has the server's own rendering replace it.
func blankMessage() messageView {
	return messageView{Own: true, ReplyTo: &quoteView{}}
}

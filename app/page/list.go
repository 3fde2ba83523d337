package page

import (
	"strings"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

type listView struct {
	ID, Title, Description string
	Visibility             string
	OwnerID, OwnerName     string
	OwnerHidden            bool // from the reader
	ItemCount              int
	UpdatedAt              store.Time
	Moderated              bool
	Checkable              bool
	Done                   int // items that are checked off
}

func viewOfList(l list.List) listView {
	return listView{ID: l.ID, Title: l.Title, Description: l.Description, Visibility: l.Visibility,
		OwnerID: l.OwnerID, OwnerName: l.OwnerName, OwnerHidden: l.OwnerHidden, ItemCount: l.ItemCount, UpdatedAt: l.UpdatedAt, Moderated: l.Moderated,
		Checkable: l.Checkable, Done: core.OrZero(l.CheckedCount)}
}

type itemView struct {
	ID, ListID string
	Number     int    // 1 for the first item of the list
	Brief      string // its first words, for the labels of its buttons
	Content    string
	AuthorID   string // "" when added without an account
	AuthorName string
	AuthorURL  string // of their page, for those who are signed in
	SourceURL  string
	OwnLink    bool // the content does not have the link
	SourceNote string
	Reported   bool // added with the public key: the note has who reported it, and cannot be changed
	CreatedAt  store.Time
	UpdatedAt  store.Time
	StarCount  int
	Starred    bool
	Comments   int

	Checkable  bool // its list is
	CanCheck   bool
	Done       bool // it is checked off
	DoneAt     store.Time
	DoneByName string // "" if their account is gone
	DoneByURL  string // as AuthorURL
}

func viewOfItem(v *visit, i list.Item) itemView {
	return itemView{OwnLink: i.SourceURL != nil && !strings.Contains(i.Content, *i.SourceURL),
		ID: i.ID, ListID: i.ListID, Number: i.Position + 1, Brief: oneLine(i.Content, 40), Content: i.Content,
		AuthorID: core.OrZero(i.AuthorID), AuthorName: i.AuthorName, AuthorURL: v.profile(core.OrZero(i.AuthorID)), SourceURL: core.OrZero(i.SourceURL), SourceNote: core.OrZero(i.SourceNote),
		Reported: i.AuthorID == nil && strings.HasPrefix(i.AuthorName, "Anonymous ("), CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
		StarCount: i.StarCount, Starred: i.Starred, Comments: i.CommentCount,
		Checkable: i.Checked != nil, Done: core.OrZero(i.Checked), DoneAt: core.OrZero(i.CheckedAt),
		DoneByName: core.OrZero(i.CheckedByName), DoneByURL: v.profile(core.OrZero(i.CheckedBy))}
}

func (v *visit) viewsOfItems(items []list.Item) []itemView {
	return core.Map(items, func(i list.Item) itemView { return viewOfItem(v, i) })
}

// pager has the addresses of the pages around one; Label names it.
type pager struct{ Label, Prev, Next string }

type listIndexView struct {
	Frame
	Mine, Public           []listView
	MinePager, PublicPager pager
}

type listFormView struct {
	Frame
	Form   Form
	List   listView
	CanOwn bool // may change its visibility, and delete it
}

// itemsView is the part of a list that a page shows.
type itemsView struct {
	List            listView
	Items           []itemView
	From            int // number of the first item shown
	Prev, Next      string
	CanAdd, CanEdit bool
	CanAddAsGuest   bool
}

type listPageView struct {
	Frame
	itemsView
	CanOwn, Shared bool // may share it; is one of those it is shared with
	Waiting        int  // items that wait for approval, for those who decide
	Form           Form
	BaseURL        string
	AgentKey       string // the public agent key
}

// entry is one member of an item's metadata, as text.
type entry struct{ Key, Value string }

type listItemView struct {
	Frame
	List     listView
	Item     itemView
	Metadata []entry
	Back     string // address of the item on its list
	CanEdit  bool
	CanMove  bool
	Form     Form
	MoveForm Form

	StarCount    int
	Starred      bool
	AlsoOn       list.AlsoOn
	Preview      *linkView // nil if nothing is known of the link
	Comments     []commentView
	CommentTotal int
	CommentPager pager
	CommentForm  Form
}

// linkView is what the page of a link says about itself.
type linkView struct{ Title, Description, Site string }

// foundView is an item that was found.
type foundView struct {
	URL, ListTitle, AuthorName string
	UpdatedAt                  store.Time
	Parts                      []markedText
}

type listSearchView struct {
	Frame
	Query string
	First bool
	Lists []listView
	Items []foundView
	Next  string
}

// listMember is a person whom a list is shared with.
type listMember struct {
	Person
	Role string // "viewer" or "editor"
	You  bool
}

type listPeopleView struct {
	Frame
	List   listView
	Owner  Person
	People []listMember
	CanOwn bool
	Form   Form
	Query  string
	Found  []Person
}

package page

import (
	"strings"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

type itemView struct {
	ID, ListID string
	Number     int
	Brief      string // first words, for labels of buttons
	Content    string
	AuthorID   string // "" for an item added without an account
	AuthorName string
	AuthorURL  string
	SourceURL  string
	OwnLink    bool // the content does not include the link
	SourceNote string
	Reported   bool // added with the public key: the note names the reporter, and cannot be changed
	CreatedAt  store.Time
	UpdatedAt  store.Time
	StarCount  int
	Starred    bool
	Comments   int

	Checkable  bool // the list is checkable
	CanCheck   bool
	Done       bool
	DoneAt     store.Time
	DoneByName string // "" for a deleted account
	DoneByURL  string
}

func viewOfItem(v *visit, i list.Item) itemView {
	return itemView{OwnLink: i.SourceURL != nil && !strings.Contains(i.Content, *i.SourceURL),
		ID: i.ID, ListID: i.ListID, Number: i.Position + 1, Brief: oneLine(i.Content, 40), Content: i.Content,
		AuthorID: core.OrZero(i.AuthorID), AuthorName: i.AuthorName, AuthorURL: v.profile(core.OrZero(i.AuthorID)),
		SourceURL: core.OrZero(i.SourceURL), SourceNote: core.OrZero(i.SourceNote),
		Reported: i.AuthorID == nil && strings.HasPrefix(i.AuthorName, "Anonymous ("), CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
		StarCount: i.StarCount, Starred: i.Starred, Comments: i.CommentCount,
		Checkable: i.Checked != nil, Done: core.OrZero(i.Checked), DoneAt: core.OrZero(i.CheckedAt),
		DoneByName: core.OrZero(i.CheckedByName), DoneByURL: v.profile(core.OrZero(i.CheckedBy))}
}

func (v *visit) viewsOfItems(items []list.Item) []itemView {
	return core.Map(items, func(i list.Item) itemView { return viewOfItem(v, i) })
}

type pager struct{ Label, Prev, Next string }

type listIndexView struct {
	Frame
	Mine, Public           []list.List
	MinePager, PublicPager pager
}

type listFormView struct {
	Frame
	Form   Form
	List   list.List
	CanOwn bool // may change its visibility, and delete it
}

type itemsView struct {
	List            list.List
	Items           []itemView
	From            int // number of the first item on the page
	Prev, Next      string
	CanAdd, CanEdit bool
	CanAddAsGuest   bool
}

type listPageView struct {
	Frame
	itemsView
	CanOwn, Shared bool // may share it; is one of its members
	Waiting        int  // items that await approval, for people who decide
	Form           Form
	BaseURL        string
	AgentKey       string
}

type entry struct{ Key, Value string }

type listItemView struct {
	Frame
	List     list.List
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
	Preview      *linkView
	Comments     []commentView
	CommentTotal int
	CommentPager pager
	CommentForm  Form
}

type linkView struct{ Title, Description, Site string }

type foundView struct {
	URL, ListTitle, AuthorName string
	UpdatedAt                  store.Time
	Parts                      []markedText
}

type listSearchView struct {
	Frame
	Query string
	First bool
	Lists []list.List
	Items []foundView
	Next  string
}

type listMember struct {
	Person
	Role string // "viewer" or "editor"
	You  bool
}

type listPeopleView struct {
	Frame
	List   list.List
	Owner  Person
	People []listMember
	CanOwn bool
	Form   Form
	Query  string
	Found  []Person
}

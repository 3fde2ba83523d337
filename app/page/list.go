package page

import "hearth/store"

type listView struct {
	ID, Title, Description string
	Visibility             string
	OwnerName              string
	ItemCount              int
	UpdatedAt              store.Time
}

type itemView struct {
	ID, ListID string
	Number     int    // 1 for the first item of the list
	Brief      string // how it begins, to tell it from others
	Content    string
	AuthorID   string // "" when added without an account
	AuthorName string
	SourceURL  string
	SourceNote string
	Reported   bool // added with the public key: the note says who reported it, and stays
	CreatedAt  store.Time
	UpdatedAt  store.Time
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
	CanOwn bool // may change who sees it, and delete it
}

type listPageView struct {
	Frame
	List            listView
	Items           []itemView
	From            int // number of the first item shown
	Prev, Next      string
	CanAdd, CanEdit bool
	CanOwn, Shared  bool // may share it; is one of those it is shared with
	Form            Form
	BaseURL         string
	AgentKey        string // the public agent key
}

// entry is one member of an item's metadata, written as text.
type entry struct{ Key, Value string }

type listItemView struct {
	Frame
	List     listView
	Item     itemView
	Metadata []entry
	Back     string // where it stands on its list
	CanEdit  bool
	CanMove  bool
	Form     Form
	MoveForm Form
}

// listMember is somebody a list is shared with.
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

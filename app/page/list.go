package page

import (
	"strings"

	"hearth/app/core"
	"hearth/app/list"
)

func (s *site) listRoutes() []route {
	return []route{
		{"GET /{$}", public, s.listIndex, "list_index"},
		{"GET /list/search", anyone, s.listSearch, "list_search"},
		{"GET /list/new", person, s.showListNew, "list_new"},
		{"POST /list/new", person, s.listCreate, "list_new"},
		{"GET /list/import", person, s.listImport, "list_import"},
		{"POST /list/import", importer, s.listImportSend, "list_import"},
		{"GET /list/{id}", forms, s.listShow, "list"},
		{"POST /list/{id}", anyone, s.itemAdd, "list"},
		{"GET /list/{id}/feed.atom", forms, s.listFeedAtom, ""},
		{"GET /list/{id}/feed.json", forms, s.listFeedJSON, ""},
		{"GET /list/{id}/queue", person, s.showQueue, "list_queue"},
		{"POST /list/{id}/queue/{item_id}/approve", person, s.itemApprove, "list_queue"},
		{"POST /list/{id}/queue/{item_id}/reject", person, act(s, s.List.RejectItem, "/list/{id}/queue?done=rejected-item"), "list_queue"},
		{"GET /receipt/{receipt}", anyone, s.showReceipt, "receipt"},
		{"POST /receipt/{receipt}", bearer,
			edit(s, s.receipt, storedReceipt, s.List.UpdateByReceipt, "/receipt/{receipt}?done=saved"), "receipt"},
		{"POST /receipt/{receipt}/withdraw", bearer, sure("/receipt/{receipt}", s.receiptWithdraw), ""},
		{"GET /sitemap.xml", public, s.sitemap, ""},
		{"GET /list/{id}/items", public, s.listItems, "list_items"},
		{"GET /list/{id}/edit", person, s.showListEdit, "list_edit"},
		{"POST /list/{id}/edit", person, edit(s, s.listOf, storedList, s.List.UpdateList, "/list/{id}?done=saved"), "list_edit"},
		{"POST /list/{id}/delete", person, sure("/list/{id}/edit", act(s, s.List.DeleteList, "/?done=deleted")), ""},
		{"GET /list/{id}/people", person, s.showListPeople, "list_people"},
		{"POST /list/{id}/people", person, s.listShare, "list_people"},
		{"POST /list/{id}/people/{user_id}/remove", person, act(s, s.List.DeleteMember, "/list/{id}/people?done=removed"), "list_people"},
		{"POST /list/{id}/people/{user_id}/owner", person, s.listHandOver, "list_people"},
		{"POST /list/{id}/leave", person, sure("/list/{id}/people", actWith(s, s.List.DeleteMember, "/?done=unlist",
			func(v *visit, in *list.DeleteMemberIn) { in.UserID = v.by.UserID })), ""},
		{"GET /list/{id}/item/{item_id}", public, s.itemShow, "list_item"},
		{"POST /list/{id}/item/{item_id}", person, edit(s, s.item, storedItem, s.List.UpdateItem, "/list/{id}/item/{item_id}?done=saved"),
			"list_item"},
		{"POST /list/{id}/item/{item_id}/move", person, s.itemMove, "list_item"},
		{"POST /list/{id}/item/{item_id}/delete", person,
			sure("/list/{id}/item/{item_id}", act(s, s.List.DeleteItem, "/list/{id}?done=deleted")), ""},
		{"POST /list/{id}/item/{item_id}/check", person, s.itemCheck, ""},
		{"POST /list/{id}/item/{item_id}/star", person, s.itemStar, ""},
		{"POST /list/{id}/item/{item_id}/comments", person, s.itemComment, "list_item"},
		{"POST /list/{id}/item/{item_id}/comments/{comment_id}/delete", person,
			act(s, s.List.DeleteComment, "/list/{id}/item/{item_id}?done=deleted#comments"), ""},
	}
}

type itemView struct {
	list.Item
	Number               int
	Brief                string // first words, for labels of buttons
	OwnLink              bool   // the content does not include the link
	Reported             bool   // added with the public key: the note names the reporter, and cannot be changed
	AuthorURL, DoneByURL string
	CanCheck             bool
}

func (v *visit) item(i list.Item) itemView {
	return itemView{Item: i, Number: i.Position + 1, Brief: oneLine(i.Content, 40), Reported: reported(i),
		OwnLink:   i.SourceURL != nil && !strings.Contains(i.Content, *i.SourceURL),
		AuthorURL: v.profile(core.OrZero(i.AuthorID)), DoneByURL: v.profile(core.OrZero(i.CheckedBy))}
}

func reported(i list.Item) bool {
	return i.AuthorID == nil && strings.HasPrefix(i.AuthorName, "Anonymous (")
}

// Done reports whether the item is checked off.
func (i itemView) Done() bool { return core.OrZero(i.Checked) }

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

	AlsoOn       list.AlsoOn
	Preview      *list.LinkPreview
	Comments     []commentView
	CommentTotal int
	CommentPager pager
	CommentForm  Form
}

type listSearchView struct {
	Frame
	list.SearchOut
	Query string
	First bool
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

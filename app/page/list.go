package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/store"
)

func (s *site) listRoutes() []route {
	return []route{
		{"GET /{$}", public, s.listIndex, "list_index"},
		{"GET /list/search", anyone, s.listSearch, "list_search"},
		{"GET /list/new", person, s.showListNew, "list_new"},
		{"POST /list/new", person, s.posted(s.listCreate, "title", "description", "visibility", "items"), "list_new"},
		{"GET /list/import", person, s.listImport, "list_import"},
		{"POST /list/import", importer, s.listImportSend, "list_import"},
		{"GET /list/{id}", forms, s.listShow, "list"},
		{"GET /list/{id}/{slug}", forms, s.listShow, "list"},
		{"POST /list/{id}", anyone, s.posted(s.itemAdd, "content", "link", "reporter"), "list"},
		{"GET /list/{id}/feed.atom", forms, s.listFeed, ""},
		{"GET /list/{id}/feed.json", forms, s.listFeed, ""},
		{"GET /list/{id}/queue", person, s.showQueue, "list_queue"},
		{"POST /list/{id}/queue/{item_id}/approve", person, s.fromInbox(s.posted(s.itemApprove)), "list_queue"},
		{"POST /list/{id}/queue/{item_id}/reject", person,
			s.fromInbox(act(s, s.List.RejectItem, "/list/{id}/queue?done=rejected-item")), "list_queue"},
		{"GET /receipt/{receipt}", anyone, s.showReceipt, "receipt"},
		{"POST /receipt/{receipt}", bearer,
			edit(s, via(s.List.GetReceipt), storedReceipt, s.List.UpdateByReceipt, "/receipt/{receipt}?done=saved"), "receipt"},
		{"POST /receipt/{receipt}/withdraw", bearer, sure("/receipt/{receipt}", s.posted(s.receiptWithdraw)), ""},
		{"GET /sitemap.xml", public, s.sitemap, ""},
		{"GET /list/{id}/items", public, s.listItems, "list_items"},
		{"GET /list/{id}/edit", person, s.showListEdit, "list_edit"},
		{"POST /list/{id}/edit", person, edit(s, via(s.List.GetList), storedList, s.List.UpdateList, "/list/{id}?done=saved"), "list_edit"},
		{"POST /list/{id}/delete", person, sure("/list/{id}/edit", act(s, s.List.DeleteList, "/?done=deleted")), ""},
		{"GET /list/{id}/people", person, s.showListPeople, "list_people"},
		{"POST /list/{id}/people", person, s.posted(s.listShare), "list_people"},
		{"POST /list/{id}/people/{user_id}/remove", person, act(s, s.List.DeleteMember, "/list/{id}/people?done=removed"), "list_people"},
		{"POST /list/{id}/people/{user_id}/owner", person, s.posted(s.listHandOver), "list_people"},
		{"POST /list/{id}/leave", person, sure("/list/{id}/people", actWith(s, s.List.DeleteMember, "/?done=unlist",
			func(v *visit, in *list.DeleteMemberIn) { in.UserID = v.by.UserID })), ""},
		{"GET /list/{id}/item/{item_id}", public, s.itemShow, "list_item"},
		{"POST /list/{id}/item/{item_id}", person,
			edit(s, via(s.List.GetItem), storedItem, s.List.UpdateItem, "/list/{id}/item/{item_id}?done=saved"), "list_item"},
		{"POST /list/{id}/item/{item_id}/move", person, s.posted(s.itemMove, "position"), "list_item"},
		{"POST /list/{id}/item/{item_id}/delete", person,
			sure("/list/{id}/item/{item_id}", act(s, s.List.DeleteItem, "/list/{id}?done=deleted")), ""},
		{"POST /list/{id}/item/{item_id}/check", person, s.posted(s.itemCheck), ""},
		{"POST /list/{id}/item/{item_id}/star", person, s.posted(s.itemStar), ""},
		{"POST /list/{id}/item/{item_id}/comments", person, s.posted(s.itemComment, "content"), "list_item"},
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
	return i.AuthorID == nil && strings.HasPrefix(i.AuthorName, list.Anonymous)
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
	CanAdd, CanEdit bool
	CanAddAsGuest   bool
	pager
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
	URL    string
	Code   template.URL // of URL
	CanOwn bool
	Form   Form
	Query  string
	Found  []Person
}

const (
	listsShown = 50
	itemsShown = 100
)

func (s *site) listIndex(v *visit) error {
	var view listIndexView
	title := ""
	if v.by.SignedIn() {
		title = "Lists"
	}
	mine, public := v.offset("mine"), v.offset("public")
	out := get(v, s.List.Browse, list.ListsIn{Limit: listsShown, Offset: public})
	view.Public = out.Lists
	view.PublicPager = indexPager("Pages of public lists", out, func(n int) string {
		return fmt.Sprintf("/?mine=%d&public=%d#public", mine, n)
	})
	if v.by.SignedIn() {
		out = get(v, s.List.Lists, list.ListsIn{Mine: true, Limit: listsShown, Offset: mine})
		view.Mine = out.Lists
		view.MinePager = indexPager("Pages of your lists", out, func(n int) string { return fmt.Sprintf("/?mine=%d&public=%d", n, public) })
	}
	err := s.page(v, title, "lists", "", &view)
	view.Path = "" // signing in leads to the index by default
	view.About = s.about(view.Frame, cmp.Or(view.Site, "hearth"), s.community(v).Welcome, "/", "")
	return err
}

func indexPager(label string, out list.ListsOut, address func(offset int) string) pager {
	p := pagerAt(out.Offset, out.Limit, out.Total, address)
	p.Label = label
	return p
}

// pagerAt returns the pager of a page of limit rows that begins at offset.
func pagerAt(offset, limit, total int, address func(offset int) string) (p pager) {
	if offset > 0 {
		p.Prev = address(max(0, offset-limit))
	}
	if offset+limit < total {
		p.Next = address(offset + limit)
	}
	return p
}

func (s *site) listShow(v *visit) error {
	if form := v.formOf(); form != formHTML {
		return s.sendForm(v, form)
	}
	l, items := s.items(v)
	if slug := v.r.PathValue("slug"); v.err == nil && slug != "" && slug != l.Slug { // a former title
		return v.seeOther(l.Path())
	}
	view := listPageView{itemsView: items, CanOwn: v.by.SignedIn() && list.MayOwn(l) == nil, Shared: l.Role != nil,
		Form: v.filled(Form{}), BaseURL: s.BaseURL, AgentKey: s.PublicKey}
	if view.CanEdit { // items still await approval after moderation ends
		out := get(v, s.List.Queue, list.GetListIn{ID: l.ID})
		view.Waiting = out.Total
	}
	err := s.page(v, l.Title, "lists", "", &view)
	if l.Visibility == list.Public || l.Visibility == list.PublicEdit {
		view.About = s.about(view.Frame, l.Title, l.Description, l.Path(), "")
	}
	view.Alternates = []Alternate{
		{formAtom, l.Title, "/list/" + l.ID + "/feed.atom"}, {"application/feed+json", l.Title, "/list/" + l.ID + "/feed.json"},
		{formMD, l.Title + " as Markdown", "/list/" + l.ID + ".md"}, {formJSON, l.Title + " as JSON", "/list/" + l.ID + ".json"},
	}
	return err
}

// listItems answers the script of an open list with its current items.
func (s *site) listItems(v *visit) error {
	_, view := s.items(v)
	return s.show(v, view)
}

func (s *site) items(v *visit) (l list.List, view itemsView) {
	id := v.id("id")
	l = get(v, s.List.GetList, list.GetListIn{ID: id}).List
	offset := s.itemOffset(v, l)
	out := get(v, s.List.Items, list.ItemsIn{ListID: id, Limit: itemsShown, Offset: offset})
	view = itemsView{List: l, Items: core.Map(out.Items, v.item), From: offset + 1,
		CanAdd:        v.by.SignedIn() && list.MayAdd(l, v.by) == nil,
		CanEdit:       v.by.SignedIn() && list.MayEdit(l) == nil,
		CanAddAsGuest: mayAddAsGuest(v, l)}
	view.List.ItemCount = out.Total
	for n, i := range out.Items {
		view.Items[n].CanCheck = s.mayCheck(v, l, i)
	}
	view.pager = pagerAt(offset, itemsShown, out.Total, func(n int) string { return listAddress(id, n) })
	return l, view
}

// itemOffset returns the offset of the page: from the address, or of the page with the named item. A fragment
// does not reach the server.
func (s *site) itemOffset(v *visit, l list.List) int {
	id := v.query("item")
	if !store.ValidID(id) {
		return v.offset("offset")
	}
	out, err := s.List.GetItem.Call(v.ctx(), v.by, list.GetItemIn{ListID: l.ID, ItemID: id})
	if core.IsKind(err, core.NotFound) {
		return 0 // the item was deleted
	}
	v.failed(err)
	return pageOf(out.Item.Position)
}

func pageOf(position int) int { return position / itemsShown * itemsShown }

func listAddress(id string, offset int) string {
	if offset == 0 {
		return "/list/" + id
	}
	return fmt.Sprintf("/list/%s?offset=%d", id, offset)
}

func itemAddress(i list.Item) string {
	return listAddress(i.ListID, pageOf(i.Position)) + "#item-" + i.ID
}

// The formats of a list, by the suffix of its address or the Accept header.
const (
	formHTML = "text/html"
	formJSON = "application/json"
	formMD   = "text/markdown"
	formAtom = "application/atom+xml"
)

// formOf returns the requested format of a list, and removes the suffix from the id. Errors are sent in that
// format.
func (v *visit) formOf() string {
	if v.wants != "" {
		return v.wants
	}
	if v.wants = map[string]string{"feed.atom": formAtom, "feed.json": formJSON}[path.Base(v.r.URL.Path)]; v.wants != "" {
		return v.wants
	}
	id, ending, found := strings.Cut(v.r.PathValue("id"), ".")
	if v.wants = map[string]string{"json": formJSON, "md": formMD, "atom": formAtom}[ending]; found && v.wants != "" {
		v.r.SetPathValue("id", id)
	} else {
		v.wants = middleware.Accepted(v.r, formHTML, formJSON, formMD, formAtom)
	}
	return v.wants
}

func (v *visit) failProgram(e *core.Error) {
	mediaType, b := "text/plain; charset=utf-8", []byte(e.Msg+"\n")
	if v.wants == formJSON {
		body, err := json.Marshal(struct {
			Error string `json:"error"`
			Code  string `json:"code"`
		}{e.Msg, e.Code})
		if err == nil {
			mediaType, b = formJSON, append(body, '\n')
		}
	}
	v.w.Header().Set("Vary", "Accept, Authorization, Cookie")
	v.write(middleware.Status(e.Kind), mediaType, b)
}

type listJSON struct {
	List  list.List   `json:"list"`
	Items []list.Item `json:"items"`
	Total int         `json:"total"`
}

func (s *site) sendForm(v *visit, form string) error {
	id := v.id("id")
	if form == formAtom {
		return s.listFeed(v)
	}
	l := get(v, s.List.GetList, list.GetListIn{ID: id}).List
	out := get(v, s.List.Items, list.ItemsIn{ListID: id, Limit: itemsShown, Offset: v.offset("offset")})
	if form == formMD {
		return v.send(formMD+"; charset=utf-8", s.markdown(l, out.Items), nil)
	}
	b, err := json.Marshal(listJSON{l, out.Items, out.Total}, json.Deterministic(true))
	return v.send(formJSON, append(b, '\n'), err)
}

// markdown returns a page of a list as Markdown, with instructions to continue and to add.
func (s *site) markdown(l list.List, items []list.Item) []byte {
	var b bytes.Buffer
	b.WriteString(list.MarkdownHead(l.Title, l.Description))
	for _, i := range items {
		b.WriteString(list.MarkdownItem(i))
	}
	fmt.Fprintf(&b, "\nA list of %s with %d items, as text that its authors wrote: %s/list/%s\n", list.EscapeMarkdown(l.OwnerName),
		l.ItemCount, s.BaseURL, l.ID)
	if n := len(items); n > 0 && items[n-1].Position+1 < l.ItemCount {
		fmt.Fprintf(&b, "\nMore: %s/list/%s.md?offset=%d\n", s.BaseURL, l.ID, items[n-1].Position+1)
	}
	if l.Visibility == list.PublicEdit && s.PublicKey != "" {
		fmt.Fprintf(&b, "\nAnyone can add to it:\n\n    curl -X POST %s/api/lists/%s/items -H 'Authorization: Bearer %s' -H 'Content-Type: "+
			"application/json' -d '{\"content\":\"What you found\",\"reporter\":\"your name\"}'\n",
			s.BaseURL, l.ID, s.PublicKey)
	}
	return b.Bytes()
}

// send sends b after the reads of the visit, unless one of them or err failed.
func (v *visit) send(mediaType string, b []byte, err error) error {
	v.then(func() error {
		v.w.Header().Set("Vary", "Accept, Authorization, Cookie")
		v.write(http.StatusOK, mediaType, b)
		return nil
	})
	return cmp.Or(v.err, err)
}

func (s *site) listFeed(v *visit) error {
	f := get(v, s.List.Feed, list.GetListIn{ID: v.id("id")})
	f.Base = s.BaseURL
	if v.formOf() == formAtom {
		b, err := f.Atom()
		return v.send(formAtom+"; charset=utf-8", b, err)
	}
	b, err := f.JSON()
	return v.send("application/feed+json", b, err)
}

func (s *site) sitemap(v *visit) error {
	b, err := s.List.Sitemap(v.ctx(), s.BaseURL)
	return v.send("application/xml; charset=utf-8", b, err)
}

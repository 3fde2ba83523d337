package page

import (
	"fmt"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

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
	out := get(v, s.List.Lists, list.ListsIn{Public: true, Others: v.by.SignedIn(), Limit: listsShown, Offset: public})
	view.Public = out.Lists
	view.PublicPager = indexPager("Pages of public lists", out, func(n int) string {
		return fmt.Sprintf("/?mine=%d&public=%d#public", mine,
			n)
	})
	if v.by.SignedIn() {
		out = get(v, s.List.Lists, list.ListsIn{Mine: true, Limit: listsShown, Offset: mine})
		view.Mine = out.Lists
		view.MinePager = indexPager("Pages of your lists", out, func(n int) string { return fmt.Sprintf("/?mine=%d&public=%d", n, public) })
	}
	err := s.page(v, title, "lists", "", &view)
	view.Path = "" // signing in leads to the index by default
	return err
}

func indexPager(label string, out list.ListsOut, address func(offset int) string) pager {
	p := pager{Label: label}
	if out.Offset > 0 {
		p.Prev = address(max(0, out.Offset-out.Limit))
	}
	if out.Offset+len(out.Lists) < out.Total {
		p.Next = address(out.Offset + out.Limit)
	}
	return p
}

func (s *site) listShow(v *visit) error {
	if form := v.formOf(); form != formHTML {
		return s.sendForm(v, form)
	}
	return s.showList(v)
}

func (s *site) showList(v *visit) error {
	l, items := s.items(v)
	view := listPageView{itemsView: items, CanOwn: v.by.SignedIn() && list.MayOwn(l) == nil, Shared: l.Role != nil,
		Form: v.filled(Form{}), BaseURL: s.BaseURL, AgentKey: s.PublicKey}
	if view.CanEdit { // items still await approval after moderation ends
		out := get(v, s.List.Queue, list.GetListIn{ID: l.ID})
		view.Waiting = out.Total
	}
	err := s.page(v, l.Title, "lists", "", &view)
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

func (s *site) listOf(v *visit) (list.ListOut, error) { return send(v, s.List.GetList) }

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
	if offset > 0 {
		view.Prev = listAddress(id, max(0, offset-itemsShown))
	}
	if offset+len(out.Items) < out.Total {
		view.Next = listAddress(id, offset+itemsShown)
	}
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

package page

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

const (
	listsShown = 50  // lists on a page of an index
	itemsShown = 100 // items on a page of a list
)

func viewOfList(l list.List) listView {
	return listView{ID: l.ID, Title: l.Title, Description: l.Description, Visibility: l.Visibility,
		OwnerName: l.OwnerName, ItemCount: l.ItemCount, UpdatedAt: l.UpdatedAt}
}

func viewOfItem(i list.Item) itemView {
	return itemView{ID: i.ID, ListID: i.ListID, Number: i.Position + 1, Brief: oneLine(i.Content, 40), Content: i.Content,
		AuthorID: text(i.AuthorID), AuthorName: i.AuthorName, SourceURL: text(i.SourceURL),
		SourceNote: text(i.SourceNote), Reported: i.AuthorID == nil && strings.HasPrefix(i.AuthorName, "Anonymous ("), CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt}
}

// text is what p points to, and "" for nil.
func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// offset reads where a page begins from the address; anything odd is the
// beginning, for an address is easily mangled on its way.
func (v *visit) offset(name string) int {
	n, err := strconv.Atoi(v.query(name))
	if err != nil {
		return 0
	}
	return max(0, n)
}

func listIndex(s *site, v *visit) error {
	title := ""
	if v.by.SignedIn() {
		title = "Lists"
	}
	f, err := s.frame(v, title, "lists", "")
	if err != nil {
		return err
	}
	f.Path = "" // the index is where signing in leads by itself
	view := listIndexView{Frame: f}
	mine, public := v.offset("mine"), v.offset("public")
	out, err := s.List.Lists.Call(v.ctx(), v.by, list.ListsIn{Public: true, Limit: listsShown, Offset: public})
	if err != nil {
		return err
	}
	view.Public = core.Map(out.Lists, viewOfList)
	view.PublicPager = indexPager("Pages of public lists", out, func(n int) string { return fmt.Sprintf("/?mine=%d&public=%d#public", mine, n) })
	if v.by.SignedIn() {
		out, err := s.List.Lists.Call(v.ctx(), v.by, list.ListsIn{Mine: true, Limit: listsShown, Offset: mine})
		if err != nil {
			return err
		}
		view.Mine = core.Map(out.Lists, viewOfList)
		view.MinePager = indexPager("Pages of your lists", out, func(n int) string { return fmt.Sprintf("/?mine=%d&public=%d", n, public) })
	}
	return s.show(v, http.StatusOK, "list_index", view)
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

func listShow(s *site, v *visit) error { return s.showList(v, Form{}) }

// showList answers with a list, and with what was wrong with a new item.
func (s *site) showList(v *visit, form Form) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	out, err := s.List.GetList.Call(v.ctx(), v.by, list.GetListIn{ID: id})
	if err != nil {
		return err
	}
	offset, err := s.itemOffset(v, out.List)
	if err != nil {
		return err
	}
	items, err := s.List.Items.Call(v.ctx(), v.by, list.ItemsIn{ListID: id, Limit: itemsShown, Offset: offset})
	if err != nil {
		return err
	}
	f, err := s.frame(v, out.List.Title, "lists", "")
	if err != nil {
		return err
	}
	view := listPageView{Frame: f, List: viewOfList(out.List), Items: core.Map(items.Items, viewOfItem), From: offset + 1,
		CanAdd:  v.by.SignedIn() && list.MayAdd(out.List, v.by) == nil,
		CanEdit: v.by.SignedIn() && list.MayEdit(out.List) == nil,
		CanOwn:  v.by.SignedIn() && list.MayOwn(out.List) == nil, Shared: out.List.Role != nil,
		Form: form, BaseURL: s.BaseURL, AgentKey: s.PublicKey}
	view.List.ItemCount = items.Total
	if offset > 0 {
		view.Prev = listAddress(id, max(0, offset-itemsShown))
	}
	if offset+len(items.Items) < items.Total {
		view.Next = listAddress(id, offset+itemsShown)
	}
	code := http.StatusOK
	if form.Failed() {
		code = http.StatusUnprocessableEntity
	}
	return s.show(v, code, "list", view)
}

// itemOffset is where the page begins: as the address says, or so that the
// item it names is on it. A fragment alone does not reach the server.
func (s *site) itemOffset(v *visit, l list.List) (int, error) {
	id := v.query("item")
	if !store.ValidID(id) {
		return v.offset("offset"), nil
	}
	out, err := s.List.GetItem.Call(v.ctx(), v.by, list.GetItemIn{ListID: l.ID, ItemID: id})
	if core.IsKind(err, core.NotFound) {
		return 0, nil // it is gone since; the list is still there
	}
	return pageOf(out.Item.Position), err
}

func pageOf(position int) int { return position / itemsShown * itemsShown }

func listAddress(id string, offset int) string {
	if offset == 0 {
		return "/list/" + id
	}
	return fmt.Sprintf("/list/%s?offset=%d", id, offset)
}

// itemAddress is where an item stands on its list.
func itemAddress(i list.Item) string {
	return listAddress(i.ListID, pageOf(i.Position)) + "#item-" + i.ID
}

func itemShow(s *site, v *visit) error { return s.showItem(v, nil, nil) }

// showItem answers with one item; a form that is not nil was not right.
func (s *site) showItem(v *visit, failed, move *Form) error {
	l, i, err := s.listAndItem(v)
	if err != nil {
		return err
	}
	f, err := s.frame(v, oneLine(i.Content, 60), "lists", "")
	if err != nil {
		return err
	}
	item := viewOfItem(i)
	view := listItemView{Frame: f, List: viewOfList(l), Item: item, Metadata: entries(i.Metadata), Back: itemAddress(i),
		CanEdit:  list.MayChange(l, i, v.by, store.TimeOf(s.Now())) == nil,
		CanMove:  v.by.SignedIn() && list.MayEdit(l) == nil && l.ItemCount > 1,
		Form:     newForm("content", i.Content, "link", item.SourceURL, "source_note", item.SourceNote),
		MoveForm: newForm("position", strconv.Itoa(item.Number))}
	code := http.StatusOK
	if failed != nil {
		view.Form, code = *failed, http.StatusUnprocessableEntity
	}
	if move != nil {
		view.MoveForm, code = *move, http.StatusUnprocessableEntity
	}
	return s.show(v, code, "list_item", view)
}

func (s *site) listAndItem(v *visit) (l list.List, i list.Item, err error) {
	in, err := itemIn(v)
	if err != nil {
		return l, i, err
	}
	lout, err := s.List.GetList.Call(v.ctx(), v.by, list.GetListIn{ID: in.ListID})
	if err != nil {
		return l, i, err
	}
	iout, err := s.List.GetItem.Call(v.ctx(), v.by, in)
	return lout.List, iout.Item, err
}

func itemIn(v *visit) (in list.GetItemIn, err error) {
	if in.ListID, err = v.id("id"); err == nil {
		in.ItemID, err = v.id("item_id")
	}
	return in, err
}

// oneLine is the beginning of a text for a title.
func oneLine(s string, most int) string {
	words := []rune(strings.Join(strings.Fields(s), " "))
	if len(words) <= most {
		return string(words)
	}
	return string(words[:most-1]) + "…"
}

// entries returns the members of an item's metadata in their order, values
// as text: strings as they are, everything else as JSON.
func entries(metadata jsontext.Value) []entry {
	dec := jsontext.NewDecoder(bytes.NewReader(metadata))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	var out []entry
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return out
		}
		e := entry{Key: key.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return out
		}
		if value.Kind() != '"' || json.Unmarshal(value, &e.Value) != nil {
			e.Value = string(value)
		}
		out = append(out, e)
	}
	return out
}

package page

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

func itemShow(s *site, v *visit) error { return s.showItem(v, itemForms{}) }

type itemForms struct{ edit, move, comment Form }

func (s *site) showItem(v *visit, forms itemForms) error {
	l, got, err := s.listAndItem(v)
	if err != nil {
		return err
	}
	i, edit, move := got.Item, forms.edit, forms.move
	item := viewOfItem(v, i)
	view := listItemView{List: l, Item: item, Metadata: entries(string(i.Metadata)), Back: itemAddress(i),
		CanEdit:  list.MayChange(l, i, v.by, store.TimeOf(s.Now())) == nil,
		CanMove:  v.by.SignedIn() && list.MayEdit(l) == nil && l.ItemCount > 1,
		Form:     edit.Or(storedItem(item)),
		MoveForm: move.Or(newForm("position", strconv.Itoa(item.Number)))}
	view.Item.CanCheck = s.mayCheck(v, l, i)
	view.AlsoOn, view.Starred, view.StarCount = got.AlsoOn, i.Starred, i.StarCount
	if item.SourceURL != "" {
		if p, ok := s.List.StoredPreview(v.ctx(), l.ID, item.SourceURL); ok {
			view.Preview = &linkView{core.OrZero(p.Title), core.OrZero(p.Description), core.OrZero(p.SiteName)}
		}
	}
	s.itemComments(v, &view, l, i, forms.comment)
	view.Frame = s.frame(v, oneLine(i.Content, 60), "lists", "")
	return s.show(v, max(edit.status(), move.status(), forms.comment.status()), view)
}

func (s *site) listAndItem(v *visit) (l list.List, i list.GetItemOut, err error) {
	in := itemIn(v)
	lout, err := s.List.GetList.Call(v.ctx(), v.by, list.GetListIn{ID: in.ListID})
	if err != nil {
		return l, i, err
	}
	iout, err := s.List.GetItem.Call(v.ctx(), v.by, in)
	return lout.List, iout, err
}

func itemIn(v *visit) list.GetItemIn {
	return list.GetItemIn{ListID: v.id("id"), ItemID: v.id("item_id")}
}

func itemAdd(s *site, v *visit) error {
	id := v.id("id")
	add := func() (string, error) {
		in := list.AddItemIn{ListID: id, NewItem: list.NewItem{Content: v.form("content"), Link: v.form("link")}}
		if !v.by.SignedIn() {
			return s.addAsGuest(v, in)
		}
		out, err := s.List.AddItem.Call(v.ctx(), v.by, in)
		if out.DuplicateOf != nil {
			return "/list/" + id + "/item/" + out.Item.ID + "?done=duplicate", err
		}
		return itemAddress(out.Item), err
	}
	return s.submit(v, []string{"content", "link", "reporter"}, add, func(f Form) error { return s.showList(v, f) })
}

// storedItem returns the form of an item. An item added without an account has no note.
func storedItem(i itemView) Form {
	f := newForm("content", i.Content, "link", i.SourceURL)
	if !i.Reported {
		f.Values.Set("source_note", i.SourceNote)
	}
	return f
}

func itemUpdate(s *site, v *visit) error {
	in := itemIn(v)
	load := func() (list.GetItemOut, error) { return s.List.GetItem.Call(v.ctx(), v.by, in) }
	fields := []string{"content", "link", "source_note"}
	stored := func(got list.GetItemOut) Form { return storedItem(viewOfItem(v, got.Item)) }
	return edit(s, v, fields, load, stored, func(got list.GetItemOut, e edits) (string, error) {
		change := list.UpdateItemIn{ListID: in.ListID, ItemID: in.ItemID, Content: e.text("content"), Link: e.text("link"),
			SourceNote: e.text("source_note"), IfMatch: got.Item.UpdatedAt.String()}
		_, err := s.List.UpdateItem.Call(v.ctx(), v.by, change)
		return "/list/" + in.ListID + "/item/" + in.ItemID + "?done=saved", err
	}, func(f Form) error { return s.showItem(v, itemForms{edit: f}) })
}

// itemMove moves an item by one, or to a position counted from 1. It returns to the page of the button.
func itemMove(s *site, v *visit) error {
	l, got, err := s.listAndItem(v)
	if err != nil {
		return err
	}
	i := got.Item
	move := func() (string, error) {
		if v.form(versionField) == newForm("position", v.form("position")).Version() {
			return "/list/" + l.ID + "/item/" + i.ID, nil // the position is unchanged
		}
		to, err := v.target(l, i)
		if err != nil {
			return "", err
		}
		out, err := s.List.UpdateItem.Call(v.ctx(), v.by, list.UpdateItemIn{ListID: l.ID, ItemID: i.ID, Position: core.Some(to)})
		if v.form("to") != "" {
			return itemAddress(out.Item), err
		}
		return "/list/" + l.ID + "/item/" + i.ID + "?done=moved", err
	}
	return s.submit(v, []string{"position"}, move, func(f Form) error { return s.showItem(v, itemForms{move: f}) })
}

func (v *visit) target(l list.List, i list.Item) (int, error) {
	switch v.form("to") {
	case "up":
		return max(0, i.Position-1), nil
	case "down":
		return min(l.ItemCount-1, i.Position+1), nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(v.form("position")))
	if err != nil || n < 1 || n > l.ItemCount {
		return 0, core.InvalidField("position", "position must be a whole number from 1 to %d.", l.ItemCount)
	}
	return n - 1, nil
}

func (s *site) mayCheck(v *visit, l list.List, i list.Item) bool {
	return l.Checkable && v.by.SignedIn() && list.MayChange(l, i, v.by, store.TimeOf(s.Now())) == nil
}

func itemCheck(s *site, v *visit) error {
	in := itemIn(v)
	change := list.UpdateItemIn{ListID: in.ListID, ItemID: in.ItemID, Checked: core.Some(v.form("checked") == "yes")}
	out, err := s.List.UpdateItem.Call(v.ctx(), v.by, change)
	if err != nil {
		return err
	}
	if v.form("from") == "list" {
		return v.seeOther(itemAddress(out.Item))
	}
	return v.seeOther("/list/" + in.ListID + "/item/" + in.ItemID)
}

func itemDelete(s *site, v *visit) error {
	in := itemIn(v)
	if !v.confirmed() {
		return v.seeOther("/list/" + in.ListID + "/item/" + in.ItemID)
	}
	_, err := s.List.DeleteItem.Call(v.ctx(), v.by, list.DeleteItemIn{ListID: in.ListID, ItemID: in.ItemID})
	return v.next("/list/"+in.ListID+"?done=deleted", err)
}

// entries returns the metadata of an item in order. Values other than strings are JSON.
func entries(metadata string) []entry {
	dec := jsontext.NewDecoder(strings.NewReader(metadata))
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

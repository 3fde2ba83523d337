package page

import (
	"net/http"
	"strconv"
	"strings"

	"hearth/app/core"
	"hearth/app/list"
)

func listNew(s *site, v *visit) error {
	return s.showListNew(v, newForm("visibility", list.Private))
}

func (s *site) showListNew(v *visit, form Form) error {
	f, err := s.frame(v, "New list", "lists", "")
	if err != nil {
		return err
	}
	code := http.StatusOK
	if form.Failed() {
		code = http.StatusUnprocessableEntity
	}
	return s.show(v, code, "list_new", listFormView{Frame: f, Form: form})
}

func listCreate(s *site, v *visit) error {
	in := list.CreateListIn{Title: v.form("title"), Description: v.form("description"), Visibility: v.form("visibility")}
	for line := range strings.Lines(v.form("items")) {
		if line = strings.TrimSpace(line); line != "" {
			in.Items = append(in.Items, list.NewItem{Content: line})
		}
	}
	out, err := s.List.CreateList.Call(v.ctx(), v.by, in)
	if err != nil && typed(err) {
		return s.showListNew(v, failed(v.r.PostForm, err, "title", "description", "visibility", "items"))
	}
	if err != nil {
		return err
	}
	return v.seeOther("/list/" + out.List.ID)
}

func listEdit(s *site, v *visit) error { return s.showListEdit(v, nil) }

func (s *site) showListEdit(v *visit, failed *Form) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	out, err := s.List.GetList.Call(v.ctx(), v.by, list.GetListIn{ID: id})
	if err == nil {
		err = list.MayEdit(out.List)
	}
	if err != nil {
		return err
	}
	f, err := s.frame(v, "Edit "+out.List.Title, "lists", "")
	if err != nil {
		return err
	}
	l := out.List
	view := listFormView{Frame: f, List: viewOfList(l), CanOwn: list.MayOwn(l) == nil,
		Form: newForm("title", l.Title, "description", l.Description, "visibility", l.Visibility)}
	code := http.StatusOK
	if failed != nil {
		view.Form, code = *failed, http.StatusUnprocessableEntity
	}
	return s.show(v, code, "list_edit", view)
}

func listUpdate(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	in := list.UpdateListIn{ID: id, Title: core.Some(v.form("title")), Description: core.Some(v.form("description"))}
	if v.r.PostForm.Has("visibility") { // an editor's form does not have it
		in.Visibility = core.Some(v.form("visibility"))
	}
	if _, err := s.List.UpdateList.Call(v.ctx(), v.by, in); err != nil {
		if !typed(err) {
			return err
		}
		form := failed(v.r.PostForm, err, "title", "description", "visibility")
		return s.showListEdit(v, &form)
	}
	return v.seeOther("/list/" + id + "?done=saved")
}

func listDelete(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if v.form("sure") != "yes" {
		return v.seeOther("/list/" + id + "/edit")
	}
	if _, err := s.List.DeleteList.Call(v.ctx(), v.by, list.GetListIn{ID: id}); err != nil {
		return err
	}
	return v.seeOther("/?done=deleted")
}

func itemAdd(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	out, err := s.List.AddItem.Call(v.ctx(), v.by, list.AddItemIn{ListID: id,
		NewItem: list.NewItem{Content: v.form("content"), Link: v.form("link")}})
	if err != nil && typed(err) {
		return s.showList(v, failed(v.r.PostForm, err, "content", "link"))
	}
	if err != nil {
		return err
	}
	return v.seeOther(itemAddress(out.Item))
}

func itemUpdate(s *site, v *visit) error {
	in, err := itemIn(v)
	if err != nil {
		return err
	}
	change := list.UpdateItemIn{ListID: in.ListID, ItemID: in.ItemID, Content: core.Some(v.form("content")), Link: core.Some(v.form("link"))}
	if v.r.PostForm.Has("source_note") { // the form of an item added without an account does not have it
		change.SourceNote = core.Some(v.form("source_note"))
	}
	_, err = s.List.UpdateItem.Call(v.ctx(), v.by, change)
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err, "content", "link", "source_note")
		return s.showItem(v, &form, nil)
	}
	if err != nil {
		return err
	}
	return v.seeOther("/list/" + in.ListID + "/item/" + in.ItemID + "?done=saved")
}

// itemMove moves an item one up, one down, or to a place counted from 1. It
// leads back to where the button was: to the item on its list, or alone.
func itemMove(s *site, v *visit) error {
	l, i, err := s.listAndItem(v)
	if err != nil {
		return err
	}
	onList := v.form("to") != ""
	to := i.Position
	switch v.form("to") {
	case "up":
		to = max(0, to-1)
	case "down":
		to = min(l.ItemCount-1, to+1)
	default:
		n, err := strconv.Atoi(strings.TrimSpace(v.form("position")))
		if err != nil || n < 1 || n > l.ItemCount {
			form := failed(v.r.PostForm, core.InvalidField("position", "position must be a whole number from 1 to %d.", l.ItemCount), "position")
			return s.showItem(v, nil, &form)
		}
		to = n - 1
	}
	out, err := s.List.UpdateItem.Call(v.ctx(), v.by, list.UpdateItemIn{ListID: l.ID, ItemID: i.ID, Position: core.Some(to)})
	if err != nil {
		return err
	}
	if onList {
		return v.seeOther(itemAddress(out.Item))
	}
	return v.seeOther("/list/" + l.ID + "/item/" + i.ID + "?done=moved")
}

func itemDelete(s *site, v *visit) error {
	in, err := itemIn(v)
	if err != nil {
		return err
	}
	if v.form("sure") != "yes" {
		return v.seeOther("/list/" + in.ListID + "/item/" + in.ItemID)
	}
	if _, err := s.List.DeleteItem.Call(v.ctx(), v.by, in); err != nil {
		return err
	}
	return v.seeOther("/list/" + in.ListID + "?done=deleted")
}

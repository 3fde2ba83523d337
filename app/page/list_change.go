package page

import (
	"slices"
	"strings"

	"hearth/app/list"
)

func listNew(s *site, v *visit) error {
	return s.showListNew(v, newForm("visibility", list.Private))
}

func (s *site) showListNew(v *visit, form Form) error {
	f := s.frame(v, "New list", "lists", "")
	return s.show(v, form.status(), listFormView{Frame: f, Form: form})
}

func listCreate(s *site, v *visit) error {
	in := list.CreateListIn{Title: v.form("title"), Description: v.form("description"), Visibility: v.form("visibility"),
		Moderated: v.form("moderated") == "yes", Checkable: v.checked("checkable")}
	for line := range strings.Lines(v.form("items")) {
		if line = strings.TrimSpace(line); line != "" {
			in.Items = append(in.Items, list.NewItem{Content: line})
		}
	}
	create := func() (string, error) {
		out, err := s.List.CreateList.Call(v.ctx(), v.by, in)
		return "/list/" + out.List.ID, err
	}
	return s.submit(v, []string{"title", "description", "visibility", "items"}, create, func(f Form) error { return s.showListNew(v, f) })
}

// checked reports whether a box is ticked. A hidden field before the box has the same name.
func (v *visit) checked(name string) bool { return slices.Contains(v.r.PostForm[name], "yes") }

func (s *site) showListEdit(v *visit, form Form) error {
	l, err := s.list(v)
	if err == nil {
		err = list.MayEdit(l)
	}
	if err != nil {
		return err
	}
	view := listFormView{List: l, CanOwn: list.MayOwn(l) == nil, Form: form.Or(storedList(l))}
	view.Frame = s.frame(v, "Edit "+l.Title, "lists", "")
	return s.show(v, form.status(), view)
}

// storedList returns the form of a list. An editor's form has no visibility.
func storedList(l list.List) Form {
	f := newForm("title", l.Title, "description", l.Description, "checkable", "no", "checkable", yesIf(l.Checkable))
	if list.MayOwn(l) == nil {
		f.Values.Set("visibility", l.Visibility)
		f.Values.Set("moderated", yesIf(l.Moderated))
	}
	return f
}

func listUpdate(s *site, v *visit) error {
	load := func() (list.List, error) { return s.list(v) }
	fields := []string{"title", "description", "visibility"}
	return edit(s, v, fields, load, storedList, func(l list.List, e edits) (string, error) {
		in := list.UpdateListIn{ID: l.ID, Title: e.text("title"), Description: e.text("description"), Visibility: e.text("visibility"),
			IfMatch: l.UpdatedAt.String()}
		if v.r.PostForm.Has("visibility") { // an editor's form does not have it
			in.Moderated = e.box("moderated")
		}
		if v.r.PostForm.Has("checkable") { // set by a hidden field even if the box is not ticked
			in.Checkable = e.box("checkable")
		}
		_, err := s.List.UpdateList.Call(v.ctx(), v.by, in)
		return "/list/" + l.ID + "?done=saved", err
	}, func(f Form) error { return s.showListEdit(v, f) })
}

func listDelete(s *site, v *visit) error {
	id := v.id("id")
	if !v.confirmed() {
		return v.seeOther("/list/" + id + "/edit")
	}
	_, err := s.List.DeleteList.Call(v.ctx(), v.by, list.DeleteListIn{ID: id})
	return v.next("/?done=deleted", err)
}

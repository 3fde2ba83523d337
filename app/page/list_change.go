package page

import (
	"strings"

	"hearth/app/core"
	"hearth/app/list"
)

func (s *site) showListNew(v *visit) error {
	return s.page(v, "New list", "lists", "", &listFormView{Form: v.filled(newForm("visibility", list.Private))})
}

func (s *site) listCreate(v *visit) error {
	return s.submit(v, func() (string, error) {
		out, err := send(v, s.List.CreateList, func(in *list.CreateListIn) {
			for _, line := range lines(v.form("items")) {
				in.Items = append(in.Items, list.NewItem{Content: line})
			}
		})
		return "/list/" + out.List.ID, err
	}, "title", "description", "visibility", "items")
}

func (s *site) showListEdit(v *visit) error {
	l, err := s.listOf(v)
	if err == nil {
		err = list.MayEdit(l.List)
	}
	if err != nil {
		return err
	}
	view := listFormView{List: l.List, CanOwn: list.MayOwn(l.List) == nil, Form: v.filled(storedList(l))}
	return s.page(v, "Edit "+l.List.Title, "lists", "", &view)
}

// storedList returns the form of a list. An editor's form has no visibility.
func storedList(out list.ListOut) Form {
	l := out.List
	f := newForm("title", l.Title, "description", l.Description, "checkable", "no", "checkable", yesIf(l.Checkable))
	if list.MayOwn(l) == nil {
		f.Values.Set("visibility", l.Visibility)
		f.Values.Set("moderated", yesIf(l.Moderated))
	}
	return f
}

func (s *site) showListPeople(v *visit) error {
	out, err := s.listOf(v)
	if err != nil {
		return err
	}
	l := out.List
	view := listPeopleView{List: l, Owner: Person{ID: l.OwnerID, Name: l.OwnerName, Picture: pictureOf(l.OwnerAvatar)},
		CanOwn: list.MayOwn(l) == nil, Form: v.filled(Form{}), Query: strings.TrimSpace(v.query("q"))}
	var in []Person
	for _, m := range get(v, s.List.Members, list.GetListIn{ID: l.ID}).Members {
		p := Person{ID: m.UserID, Name: m.Name, Picture: pictureOf(m.AvatarURL)}
		in = append(in, p)
		view.People = append(view.People, listMember{Person: p, Role: m.Role, You: m.UserID == v.by.UserID})
	}
	if view.CanOwn {
		view.Found = s.findPeople(v, view.Query, in)
	}
	return s.page(v, "Share "+l.Title, "lists", "", &view)
}

func (s *site) listShare(v *visit) error {
	return s.submit(v, func() (string, error) {
		_, err := send(v, s.List.PutMember, func(in *list.PutMemberIn) { in.UserID = v.form("userId") })
		if core.IsKind(err, core.NotFound) {
			if _, e := send(v, s.List.Members); e == nil {
				err = core.New(core.Invalid, "unreachable", "This person can’t be added. Search for them again.")
			}
		}
		return v.address("/list/{id}/people?done=shared"), err
	})
}

func (s *site) listHandOver(v *visit) error {
	return s.submit(v, func() (string, error) {
		if !v.confirmed() {
			return "", core.New(core.Invalid, "unconfirmed", "Tick the box first: this cannot be undone by you.")
		}
		_, err := send(v, s.List.HandOver, func(in *list.HandOverIn) { in.UserID = v.id("user_id") })
		return v.address("/list/{id}/people?done=handed-over"), err
	})
}

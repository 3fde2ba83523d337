package page

import (
	"strings"

	"hearth/app/core"
	"hearth/app/list"
)

func listPeople(s *site, v *visit) error { return s.showListPeople(v, Form{}) }

// showListPeople answers with whom a list is shared with, and with why a
// change of that could not be made.
func (s *site) showListPeople(v *visit, form Form) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	l, err := s.List.GetList.Call(v.ctx(), v.by, list.GetListIn{ID: id})
	if err != nil {
		return err
	}
	shared, err := s.List.Members.Call(v.ctx(), v.by, list.GetListIn{ID: id})
	if err != nil {
		return err
	}
	view := listPeopleView{List: viewOfList(l.List), Owner: Person{ID: l.List.OwnerID, Name: l.List.OwnerName}, CanOwn: list.MayOwn(l.List) == nil, Form: form, Query: strings.TrimSpace(v.query("q"))}
	var in []Person
	for _, m := range shared.Members {
		p := Person{ID: m.UserID, Name: m.Name}
		in = append(in, p)
		view.People = append(view.People, listMember{Person: p, Role: m.Role, You: m.UserID == v.by.UserID})
	}
	if view.CanOwn {
		if view.Found, err = s.findPeople(v, view.Query, in); err != nil {
			return err
		}
	}
	if view.Frame, err = s.frame(v, "People of "+l.List.Title, "lists", ""); err != nil {
		return err
	}
	return s.show(v, form.status(), "list_people", view)
}

// changePeople answers a change of whom a list is shared with: back to the
// page, or the page with what was wrong.
func (s *site) changePeople(v *visit, done string, change func(listID string) error) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if err := change(id); err != nil {
		if !typed(err) {
			return err
		}
		return s.showListPeople(v, failed(v.r.PostForm, err))
	}
	return v.seeOther("/list/" + id + "/people?done=" + done)
}

func listShare(s *site, v *visit) error {
	return s.changePeople(v, "shared", func(id string) error {
		_, err := s.List.PutMember.Call(v.ctx(), v.by, list.PutMemberIn{ListID: id, UserID: v.form("userId"), Role: v.form("role")})
		if core.IsKind(err, core.NotFound) {
			if _, e := s.List.Members.Call(v.ctx(), v.by, list.GetListIn{ID: id}); e == nil {
				err = core.New(core.Invalid, "unreachable", "Nobody you can share with was found under this name. Look the person up again.")
			}
		}
		return err
	})
}

func listUnshare(s *site, v *visit) error {
	return s.changePeople(v, "removed", func(id string) error {
		user, err := v.id("user")
		if err == nil {
			_, err = s.List.DeleteMember.Call(v.ctx(), v.by, list.DeleteMemberIn{ListID: id, UserID: user})
		}
		return err
	})
}

func listLeave(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if v.form("sure") != "yes" {
		return v.seeOther("/list/" + id + "/people")
	}
	if _, err := s.List.DeleteMember.Call(v.ctx(), v.by, list.DeleteMemberIn{ListID: id, UserID: v.by.UserID}); err != nil {
		return err
	}
	return v.seeOther("/?done=unlist")
}

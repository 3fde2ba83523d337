package page

import (
	"strings"

	"hearth/app/core"
	"hearth/app/list"
)

func (s *site) showListPeople(v *visit, form Form) error {
	l, err := s.list(v)
	if err != nil {
		return err
	}
	shared := get(v, s.List.Members, list.GetListIn{ID: l.ID})
	view := listPeopleView{List: l, Owner: Person{ID: l.OwnerID, Name: l.OwnerName, Picture: pictureOf(l.OwnerAvatar)},
		CanOwn: list.MayOwn(l) == nil,
		Form:   form, Query: strings.TrimSpace(v.query("q"))}
	var in []Person
	for _, m := range shared.Members {
		p := Person{ID: m.UserID, Name: m.Name, Picture: pictureOf(m.AvatarURL)}
		in = append(in, p)
		view.People = append(view.People, listMember{Person: p, Role: m.Role, You: m.UserID == v.by.UserID})
	}
	if view.CanOwn {
		view.Found = s.findPeople(v, view.Query, in)
	}
	view.Frame = s.frame(v, "Share "+l.Title, "lists", "")
	return s.show(v, form.status(), view)
}

func (s *site) changePeople(v *visit, done string, change func(listID string) error) error {
	id := v.id("id")
	act := func() (string, error) { return "/list/" + id + "/people?done=" + done, change(id) }
	return s.submit(v, nil, act, func(f Form) error { return s.showListPeople(v, f) })
}

func listShare(s *site, v *visit) error {
	return s.changePeople(v, "shared", func(id string) error {
		_, err := s.List.PutMember.Call(v.ctx(), v.by, list.PutMemberIn{ListID: id, UserID: v.form("userId"), Role: v.form("role")})
		if core.IsKind(err, core.NotFound) {
			if _, e := s.List.Members.Call(v.ctx(), v.by, list.GetListIn{ID: id}); e == nil {
				err = core.New(core.Invalid, "unreachable", "This person can’t be added. Search for them again.")
			}
		}
		return err
	})
}

func listUnshare(s *site, v *visit) error {
	return s.changePeople(v, "removed", func(id string) error {
		_, err := s.List.DeleteMember.Call(v.ctx(), v.by, list.DeleteMemberIn{ListID: id, UserID: v.id("user")})
		return err
	})
}

func listLeave(s *site, v *visit) error {
	id := v.id("id")
	if !v.confirmed() {
		return v.seeOther("/list/" + id + "/people")
	}
	_, err := s.List.DeleteMember.Call(v.ctx(), v.by, list.DeleteMemberIn{ListID: id, UserID: v.by.UserID})
	return v.next("/?done=unlist", err)
}

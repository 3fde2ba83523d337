package page

import (
	"net/url"
	"strings"

	"hearth/app/core"
	"hearth/app/list"
)

const importShown = 50

type listImportView struct {
	Frame
	Form      Form
	Data      string // the uploaded list; "" before the upload
	About     string
	Items     []list.PortableItem
	Total     int
	Links     int
	Checkable bool
	Checked   int
}

func listImport(s *site, v *visit) error {
	return s.showImport(v, newForm("visibility", list.Private), list.ImportPlan{}, "")
}

// showImport shows the upload form or, after an upload, the items that an import adds.
func (s *site) showImport(v *visit, form Form, plan list.ImportPlan, data string) error {
	view := listImportView{Form: form, Data: data, About: plan.Description, Items: plan.Items[:min(importShown, len(plan.Items))],
		Total: len(plan.Items), Checkable: plan.Checkable}
	for _, i := range plan.Items {
		if i.Link != "" {
			view.Links++
		}
		if i.Checked {
			view.Checked++
		}
	}
	view.Frame = s.frame(v, "Import a list", "lists", "")
	return s.show(v, form.status(), view)
}

func listImportSend(s *site, v *visit) error {
	data := v.form("data")
	if v.uploadErr != nil {
		return s.refuse(v, []string{"file"}, v.uploadErr, func(f Form) error { return s.showImport(v, f, list.ImportPlan{}, "") })
	}
	if strings.TrimSpace(data) == "" {
		err := core.InvalidField("file", "Choose a file, or paste a list below.")
		return s.refuse(v, []string{"file"}, err, func(f Form) error { return s.showImport(v, f, list.ImportPlan{}, "") })
	}
	in := list.ImportIn{Format: list.FormatOf(data), Visibility: firstOf(v.form("visibility"), list.Private), Title: v.form("title"),
		Data: []byte(data)}
	if v.form("import") == "" {
		return s.checkImport(v, in)
	}
	add := func() (string, error) {
		out, err := s.List.ImportList.Call(v.ctx(), v.by, in)
		return "/list/" + out.List.ID + "?done=imported", err
	}
	return s.submit(v, []string{"title", "visibility"}, add, func(f Form) error {
		in.Title, in.Visibility = "", list.Private // one of them may be the error
		plan, err := s.List.PlanImport.Call(v.ctx(), v.by, in)
		if err != nil {
			return s.showImport(v, f, list.ImportPlan{}, "")
		}
		return s.showImport(v, f, plan, data)
	})
}

func (s *site) checkImport(v *visit, in list.ImportIn) error {
	plan, err := s.List.PlanImport.Call(v.ctx(), v.by, in)
	if err != nil {
		// The error is in the list, not in a field of the form.
		e := *core.As(err)
		e.Field = "file"
		return s.refuse(v, []string{"file"}, &e, func(f Form) error { return s.showImport(v, f, list.ImportPlan{}, "") })
	}
	form := Form{Values: url.Values{"title": {plan.Title}, "visibility": {in.Visibility}}}
	return s.showImport(v, form, plan, string(in.Data))
}

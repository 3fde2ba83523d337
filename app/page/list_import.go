package page

import (
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

// listImport shows the upload form or, if an import was refused, its items again.
func (s *site) listImport(v *visit) error {
	if v.form("import") == "" || v.form("data") == "" {
		return s.showImport(v, list.Portable{}, "")
	}
	in := importIn(v)
	in.Title, in.Visibility = "", list.Private // one of them may be the error
	plan, err := s.List.PlanImport.Call(v.ctx(), v.by, in)
	if err != nil {
		return s.showImport(v, list.Portable{}, "")
	}
	return s.showImport(v, plan, v.form("data"))
}

func importIn(v *visit) list.ImportIn {
	data := v.form("data")
	return list.ImportIn{Format: list.FormatOf(data), Visibility: firstOf(v.form("visibility"), list.Private), Title: v.form("title"),
		Data: []byte(data)}
}

// showImport shows the upload form or, after an upload, the items that an import adds.
func (s *site) showImport(v *visit, plan list.Portable, data string) error {
	view := listImportView{Form: v.filled(newForm("visibility", list.Private)), Data: data, About: plan.Description,
		Items: plan.Items[:min(importShown, len(plan.Items))],
		Total: len(plan.Items), Checkable: plan.Checkable}
	for _, i := range plan.Items {
		if i.Link != "" {
			view.Links++
		}
		if i.Checked {
			view.Checked++
		}
	}
	return s.page(v, "Import a list", "lists", "", &view)
}

func (s *site) listImportSend(v *visit) error {
	switch {
	case v.uploadErr != nil:
		return s.refuse(v, v.uploadErr, "file")
	case strings.TrimSpace(v.form("data")) == "":
		return s.refuse(v, core.InvalidField("file", "Choose a file, or paste a list below."), "file")
	case v.form("import") == "":
		return s.checkImport(v, importIn(v))
	}
	return s.submit(v, func() (string, error) {
		out, err := s.List.ImportList.Call(v.ctx(), v.by, importIn(v))
		return "/list/" + out.List.ID + "?done=imported", err
	}, "title", "visibility")
}

func (s *site) checkImport(v *visit, in list.ImportIn) error {
	plan, err := s.List.PlanImport.Call(v.ctx(), v.by, in)
	if err != nil {
		// The error is in the list, not in a field of the form.
		e := *core.As(err)
		e.Field = "file"
		return s.refuse(v, &e, "file")
	}
	v.again = new(newForm("title", plan.Title, "visibility", in.Visibility))
	return s.showImport(v, plan, string(in.Data))
}

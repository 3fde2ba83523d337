package page

import (
	"cmp"
	"net/url"
	"strings"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

func (s *site) showListNew(v *visit) error {
	return s.page(v, "New list", "lists", "", &listFormView{Form: v.filled(newForm("visibility", list.Unlisted))})
}

func (s *site) listCreate(v *visit) (string, error) {
	out, err := send(v, s.List.CreateList, func(in *list.CreateListIn) {
		for _, line := range lines(v.form("items")) {
			in.Items = append(in.Items, list.NewItem{Content: line})
		}
	})
	return "/list/" + out.List.ID + "#content", err // where items are added
}

func (s *site) showListEdit(v *visit) error {
	l := read(v, s.List.GetList)
	v.failed(list.MayEdit(l.List))
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
	l := read(v, s.List.GetList).List
	view := listPeopleView{List: l, Owner: face(l.OwnerID, l.OwnerName, l.OwnerAvatar),
		CanOwn: list.MayOwn(l) == nil, Form: v.filled(Form{}), Query: strings.TrimSpace(v.query("q")), URL: s.BaseURL + l.Path()}
	var err error
	view.Code, err = codeOf(view.URL)
	v.failed(err)
	var in []Person
	for _, m := range get(v, s.List.Members, list.GetListIn{ID: l.ID}).Members {
		p := face(m.UserID, m.Name, m.AvatarURL)
		in = append(in, p)
		view.People = append(view.People, listMember{Person: p, Role: m.Role, You: m.UserID == v.by.UserID})
	}
	if view.CanOwn {
		view.Found = s.findPeople(v, view.Query, in)
	}
	return s.page(v, "Share "+l.Title, "lists", "", &view)
}

func (s *site) listShare(v *visit) (string, error) {
	_, err := send(v, s.List.PutMember, func(in *list.PutMemberIn) { in.UserID = v.form("userId") })
	if core.IsKind(err, core.NotFound) {
		if _, e := send(v, s.List.Members); e == nil {
			err = core.New(core.Invalid, "unreachable", "This person can’t be added. Search for them again.")
		}
	}
	return v.address("/list/{id}/people?done=shared"), err
}

func (s *site) listHandOver(v *visit) (string, error) {
	if !v.confirmed() {
		return "", core.New(core.Invalid, "unconfirmed", "Tick the box first: this cannot be undone by you.")
	}
	_, err := send(v, s.List.HandOver, func(in *list.HandOverIn) { in.UserID = v.id("user_id") })
	return v.address("/list/{id}/people?done=handed-over"), err
}

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
	if v.form("import") != "" && v.form("data") != "" {
		in := importIn(v)
		in.Title, in.Visibility = "", list.Private // one of them may be the error
		if plan, err := s.List.PlanImport.Call(v.ctx(), v.by, in); err == nil {
			return s.showImport(v, plan, v.form("data"))
		}
	}
	return s.showImport(v, list.Portable{}, "")
}

func importIn(v *visit) list.ImportIn {
	data := v.form("data")
	return list.ImportIn{Format: list.FormatOf(data), Visibility: cmp.Or(v.form("visibility"), list.Private), Title: v.form("title"),
		Data: []byte(data)}
}

// showImport shows the upload form or, after an upload, the items that an import adds.
func (s *site) showImport(v *visit, plan list.Portable, data string) error {
	view := listImportView{Form: v.filled(newForm("visibility", list.Unlisted)), Data: data, About: plan.Description,
		Items: plan.Items[:min(importShown, len(plan.Items))], Total: len(plan.Items), Checkable: plan.Checkable}
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

type listQueueView struct {
	Frame
	List  list.List
	Items []itemView
	Total int
	Form  Form
}

func (s *site) showQueue(v *visit) error {
	l, waiting := read(v, s.List.GetList).List, read(v, s.List.Queue)
	view := listQueueView{List: l, Items: core.Map(waiting.Items, v.item), Total: waiting.Total, Form: v.filled(Form{})}
	return s.page(v, "Waiting items of "+l.Title, "lists", "", &view)
}

func (s *site) itemApprove(v *visit) (string, error) {
	_, err := send(v, s.List.ApproveItem, func(in *list.ApproveItemIn) { in.IfMatch = v.form("version") })
	if core.IsKind(err, core.Precondition) {
		err = core.New(core.Conflict, "version_mismatch",
			"This item was changed while it waited, and was not approved. Read it again, then approve or reject it.")
	}
	return v.address("/list/{id}/queue?done=approved-item"), err
}

type receiptView struct {
	Frame
	list.ReceiptOut
	Receipt string
	Item    itemView
	Form    Form
}

func (s *site) showReceipt(v *visit) error {
	out := read(v, s.List.GetReceipt)
	view := receiptView{ReceiptOut: out, Receipt: v.r.PathValue("receipt"), Item: v.item(out.Item), Form: v.filled(storedReceipt(out))}
	err := s.page(v, "Your item", "lists", "narrow", &view)
	view.Path = "" // the address is a secret
	return err
}

func storedReceipt(r list.ReceiptOut) Form {
	return newForm("content", r.Item.Content, "link", core.OrZero(r.Item.SourceURL))
}

func (s *site) receiptWithdraw(v *visit) (string, error) {
	out, err := send(v, s.List.GetReceipt)
	if err == nil {
		_, err = send(v, s.List.DeleteByReceipt)
	}
	return "/list/" + out.Item.ListID + "?done=withdrawn", err
}

func (v *visit) guest() store.Viewer {
	return store.Viewer{Kind: store.PublicKey, CanRead: true, CanWrite: true, IP: v.by.IP}
}

// addAsGuest adds an item without an account, and returns the address to change it. For a list that is not
// open, signing in comes first.
func (s *site) addAsGuest(v *visit, in list.AddItemIn) (string, error) {
	got, err := s.List.GetList.Call(v.ctx(), v.by, list.GetListIn{ID: in.ListID})
	if core.IsKind(err, core.NotFound) || err == nil && !mayAddAsGuest(v, got.List) {
		err = core.ErrUnauthenticated
	}
	if err != nil {
		return "", err
	}
	in.Reporter = cmp.Or(strings.TrimSpace(v.form("reporter")), list.Anonymous)
	out, err := s.List.AddItem.Call(v.ctx(), v.guest(), in)
	return "/receipt/" + core.OrZero(out.Receipt) + "?done=added", err
}

func mayAddAsGuest(v *visit, l list.List) bool {
	return !v.by.SignedIn() && list.MayAdd(l, v.guest()) == nil
}

func (s *site) listSearch(v *visit) error {
	view := listSearchView{Query: v.query("q")}
	if strings.TrimSpace(view.Query) != "" {
		view.SearchOut = read(v, s.List.Search)
	}
	if view.NextCursor != nil {
		view.Next = "/list/search?" + url.Values{"q": {view.Query}, "cursor": {*view.NextCursor}}.Encode()
	}
	view.First = v.query("cursor") == ""
	return s.page(v, "Search: "+oneLine(view.Query, 40), "lists", "", &view)
}

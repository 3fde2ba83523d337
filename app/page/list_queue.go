package page

import (
	"net/url"
	"strings"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

type listQueueView struct {
	Frame
	List  list.List
	Items []itemView
	Total int
	Form  Form
}

func (s *site) showQueue(v *visit) error {
	l, err := s.listOf(v)
	if err != nil {
		return err
	}
	out := get(v, s.List.Queue, list.GetListIn{ID: l.List.ID})
	view := listQueueView{List: l.List, Items: core.Map(out.Items, v.item), Total: out.Total, Form: v.filled(Form{})}
	return s.page(v, "Waiting items of "+l.List.Title, "lists", "", &view)
}

func (s *site) itemApprove(v *visit) error {
	return s.submit(v, func() (string, error) {
		_, err := send(v, s.List.ApproveItem, func(in *list.ApproveItemIn) { in.IfMatch = v.form("version") })
		if core.IsKind(err, core.Precondition) {
			err = core.New(core.Conflict, "version_mismatch",
				"This item was changed while it waited, and was not approved. Read it again, then approve or reject it.")
		}
		return v.address("/list/{id}/queue?done=approved-item"), err
	})
}

type receiptView struct {
	Frame
	list.ReceiptOut
	Receipt string
	Item    itemView
	Form    Form
}

func (s *site) showReceipt(v *visit) error {
	out, err := s.receipt(v)
	if err != nil {
		return err
	}
	view := receiptView{ReceiptOut: out, Receipt: v.r.PathValue("receipt"), Item: v.item(out.Item), Form: v.filled(storedReceipt(out))}
	err = s.page(v, "Your item", "lists", "narrow", &view)
	view.Path = "" // the address is a secret
	return err
}

func (s *site) receipt(v *visit) (list.ReceiptOut, error) { return send(v, s.List.GetReceipt) }

func storedReceipt(r list.ReceiptOut) Form {
	return newForm("content", r.Item.Content, "link", core.OrZero(r.Item.SourceURL))
}

func (s *site) receiptWithdraw(v *visit) error {
	out, err := s.receipt(v)
	if err == nil {
		_, err = send(v, s.List.DeleteByReceipt)
	}
	return v.next("/list/"+out.Item.ListID+"?done=withdrawn", err)
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
	if in.Reporter = strings.TrimSpace(v.form("reporter")); in.Reporter == "" {
		return "", core.InvalidField("reporter", "reporter is required: send the name that is shown with the item.")
	}
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

package page

import (
	"net/http"
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

func (s *site) showQueue(v *visit, form Form) error {
	l, err := s.list(v)
	if err != nil {
		return err
	}
	out := get(v, s.List.Queue, list.GetListIn{ID: l.ID})
	view := listQueueView{List: l, Items: v.viewsOfItems(out.Items), Total: out.Total, Form: form}
	view.Frame = s.frame(v, "Waiting items of "+l.Title, "lists", "")
	return s.show(v, form.status(), view)
}

func itemApprove(s *site, v *visit) error {
	return s.decideItem(v, "approved-item", func(in list.GetItemIn) error {
		_, err := s.List.ApproveItem.Call(v.ctx(), v.by, list.ApproveItemIn{ListID: in.ListID, ItemID: in.ItemID, IfMatch: v.form("version")})
		if core.IsKind(err, core.Precondition) {
			err = core.New(core.Conflict, "version_mismatch",
				"This item was changed while it waited, and was not approved. Read it again, then approve or reject it.")
		}
		return err
	})
}

func itemReject(s *site, v *visit) error {
	return s.decideItem(v, "rejected-item", func(in list.GetItemIn) error {
		_, err := s.List.RejectItem.Call(v.ctx(), v.by, in)
		return err
	})
}

func (s *site) decideItem(v *visit, done string, decide func(list.GetItemIn) error) error {
	in := itemIn(v)
	act := func() (string, error) { return "/list/" + in.ListID + "/queue?done=" + done, decide(in) }
	return s.submit(v, nil, act, func(f Form) error { return s.showQueue(v, f) })
}

type receiptView struct {
	Frame
	Receipt   string
	Item      itemView
	ListTitle string
	Held      bool
	Fixed     bool // it can only be withdrawn
	ExpiresAt store.Time
	Form      Form
}

func (s *site) showReceipt(v *visit, form Form) error {
	token := v.r.PathValue("receipt")
	out := get(v, s.List.GetReceipt, list.ReceiptIn{Receipt: token})
	view := receiptView{Receipt: token, Item: viewOfItem(v, out.Item), ListTitle: out.ListTitle, Held: out.Held, Fixed: out.Fixed,
		ExpiresAt: out.ExpiresAt,
		Form:      form.Or(storedReceipt(out))}
	view.Frame = s.frame(v, "Your item", "lists", "narrow")
	view.Path = "" // the address is a secret
	return s.show(v, form.status(), view)
}

func storedReceipt(r list.ReceiptOut) Form {
	return newForm("content", r.Item.Content, "link", core.OrZero(r.Item.SourceURL))
}

func receiptUpdate(s *site, v *visit) error {
	token := v.r.PathValue("receipt")
	load := func() (list.ReceiptOut, error) {
		return s.List.GetReceipt.Call(v.ctx(), v.by, list.ReceiptIn{Receipt: token})
	}
	fields := []string{"content", "link"}
	return edit(s, v, fields, load, storedReceipt, func(got list.ReceiptOut, e edits) (string, error) {
		_, err := s.List.UpdateByReceipt.Call(v.ctx(), v.by, list.UpdateByReceiptIn{Receipt: token, Content: e.text("content"),
			Link: e.text("link")})
		return "/receipt/" + token + "?done=saved", err
	}, func(f Form) error { return s.showReceipt(v, f) })
}

func receiptWithdraw(s *site, v *visit) error {
	token := v.r.PathValue("receipt")
	if !v.confirmed() {
		return v.seeOther("/receipt/" + token)
	}
	out, err := s.List.GetReceipt.Call(v.ctx(), v.by, list.ReceiptIn{Receipt: token})
	if err != nil {
		return err
	}
	_, err = s.List.DeleteByReceipt.Call(v.ctx(), v.by, list.ReceiptIn{Receipt: token})
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

func listHandOver(s *site, v *visit) error {
	return s.changePeople(v, "handed-over", func(id string) error {
		if !v.confirmed() {
			return core.New(core.Invalid, "unconfirmed", "Tick the box first: this cannot be undone by you.")
		}
		_, err := s.List.HandOver.Call(v.ctx(), v.by, list.HandOverIn{ID: id, UserID: v.id("user")})
		return err
	})
}

func (s *site) searchLists(v *visit, q string) error {
	view := listSearchView{Query: q}
	var out list.SearchOut
	if strings.TrimSpace(q) != "" {
		out = get(v, s.List.Search, list.SearchIn{Q: q, Cursor: v.query("cursor")})
	}
	view.Lists = out.Lists
	for _, i := range out.Items {
		view.Items = append(view.Items, foundView{URL: "/list/" + i.ListID + "/item/" + i.ID, ListTitle: i.ListTitle, AuthorName: i.AuthorName,
			UpdatedAt: i.UpdatedAt,
			Parts:     marks(i.Content, i.Highlights)})
	}
	if out.NextCursor != nil {
		view.Next = "/list/search?" + url.Values{"q": {q}, "cursor": {*out.NextCursor}}.Encode()
	}
	view.First = v.query("cursor") == ""
	view.Frame = s.frame(v, "Search: "+oneLine(q, 40), "lists", "")
	return s.show(v, http.StatusOK, view)
}

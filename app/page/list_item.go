package page

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

func (s *site) itemShow(v *visit) error {
	l, got := read(v, s.List.GetList).List, read(v, s.List.GetItem)
	i := got.Item
	view := listItemView{List: l, Item: v.item(i), Metadata: entries(string(i.Metadata)), Back: itemAddress(i), AlsoOn: got.AlsoOn,
		CanEdit:  list.MayChange(l, i, v.by, store.TimeOf(s.Now())) == nil,
		CanMove:  v.by.SignedIn() && list.MayEdit(l) == nil && l.ItemCount > 1,
		Form:     v.filledAt("/item/{item_id}", storedItem(got)),
		MoveForm: v.filledAt("/move", newForm("position", strconv.Itoa(i.Position+1)))}
	view.Item.CanCheck = s.mayCheck(v, l, i)
	if i.SourceURL != nil {
		if p, ok := s.List.StoredPreview(v.ctx(), l.ID, *i.SourceURL); ok {
			view.Preview = &p
		}
	}
	s.itemComments(v, &view, l, i)
	return s.page(v, oneLine(i.Content, 60), "lists", "", &view)
}

func (s *site) itemAdd(v *visit) (string, error) {
	in := list.AddItemIn{ListID: v.id("id"), NewItem: list.NewItem{Content: v.form("content"), Link: v.form("link")}}
	if !v.by.SignedIn() {
		return s.addAsGuest(v, in)
	}
	out, err := s.List.AddItem.Call(v.ctx(), v.by, in)
	if out.DuplicateOf != nil {
		return v.address("/list/{id}/item/") + out.Item.ID + "?done=duplicate", err
	}
	return itemAddress(out.Item), err
}

// storedItem returns the form of an item. An item added without an account has no note.
func storedItem(got list.GetItemOut) Form {
	i := got.Item
	f := newForm("content", i.Content, "link", core.OrZero(i.SourceURL))
	if !reported(i) {
		f.Values.Set("source_note", core.OrZero(i.SourceNote))
	}
	return f
}

// itemMove moves an item by one, or to a position counted from 1. It returns to the page of the button.
func (s *site) itemMove(v *visit) (string, error) {
	here := v.address("/list/{id}/item/{item_id}")
	l, err := send(v, s.List.GetList)
	got, err2 := send(v, s.List.GetItem)
	if err = cmp.Or(err, err2); err != nil || v.form(versionField) == newForm("position", v.form("position")).Version() {
		return here, err // the position is unchanged
	}
	to, err := v.target(l.List, got.Item)
	if err != nil {
		return "", err
	}
	out, err := s.List.UpdateItem.Call(v.ctx(), v.by, list.UpdateItemIn{ListID: l.List.ID, ItemID: got.Item.ID, Position: core.Some(to)})
	if v.form("to") != "" {
		return itemAddress(out.Item), err
	}
	return here + "?done=moved", err
}

func (v *visit) target(l list.List, i list.Item) (int, error) {
	switch v.form("to") {
	case "up":
		return max(0, i.Position-1), nil
	case "down":
		return min(l.ItemCount-1, i.Position+1), nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(v.form("position")))
	if err != nil || n < 1 || n > l.ItemCount {
		return 0, core.InvalidField("position", "position must be a whole number from 1 to %d.", l.ItemCount)
	}
	return n - 1, nil
}

func (s *site) mayCheck(v *visit, l list.List, i list.Item) bool {
	return l.Checkable && v.by.SignedIn() && list.MayChange(l, i, v.by, store.TimeOf(s.Now())) == nil
}

func (s *site) itemCheck(v *visit) (string, error) {
	out, err := send(v, s.List.UpdateItem)
	return v.afterItem(out.Item), err
}

func (s *site) itemStar(v *visit) (string, error) {
	set := s.List.StarItem
	if v.form("star") == "no" {
		set = s.List.UnstarItem
	}
	out, err := send(v, set)
	return v.afterItem(out.Item), err
}

// afterItem returns the page with the button that was pressed: of the list or of the item.
func (v *visit) afterItem(i list.Item) string {
	if v.form("from") == "list" {
		return itemAddress(i)
	}
	return v.address("/list/{id}/item/{item_id}")
}

// entries returns the metadata of an item in order. Values other than strings are JSON.
func entries(metadata string) []entry {
	dec := jsontext.NewDecoder(strings.NewReader(metadata))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	var out []entry
	for dec.PeekKind() == '"' {
		key, _ := dec.ReadToken() // its error is the value's, too
		e := entry{Key: key.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return out
		}
		if value.Kind() != '"' || json.Unmarshal(value, &e.Value) != nil {
			e.Value = string(value)
		}
		out = append(out, e)
	}
	return out
}

const commentsShown = 100

type commentView struct {
	list.Comment
	AuthorURL string
	CanDelete bool
	CanAnswer bool
	Answering bool // its reply form is open
	Form      Form
}

// itemComments reads the comments around the answered or named comment. Otherwise it starts at the offset of
// the address.
func (s *site) itemComments(v *visit, view *listItemView, l list.List, i list.Item) {
	form := v.filledAt("/comments", Form{})
	answer := form.Get("parent_id")
	if !form.Failed() {
		answer = v.query("answer")
	}
	out := get(v, s.List.Comments, list.CommentsIn{ListID: l.ID, ItemID: i.ID, Limit: commentsShown, Offset: v.offset("comments"),
		With: cmp.Or(answer, v.query("comment"))})
	view.CommentTotal, view.CommentForm = out.Total, form
	view.CommentForm.Prefix = "comment-"
	for n, c := range out.Comments {
		cv := commentView{Comment: c, AuthorURL: v.profile(core.OrZero(c.AuthorID)), Answering: c.ID == answer,
			CanDelete: c.DeletedAt == nil && v.by.SignedIn() && list.MayDeleteComment(l, c, v.by) == nil,
			CanAnswer: c.DeletedAt == nil && v.by.SignedIn() && c.Depth < 7}
		if cv.Answering && form.Failed() {
			cv.Form, view.CommentForm = form, Form{Prefix: "comment-"}
		}
		cv.Form.Prefix = "answer" + strconv.Itoa(n) + "-"
		view.Comments = append(view.Comments, cv)
	}
	view.CommentPager = pagerAt(out.Offset, commentsShown, out.Total, func(n int) string {
		return v.address("/list/{id}/item/{item_id}?comments=") + strconv.Itoa(n) + "#comments"
	})
}

func (s *site) itemComment(v *visit) (string, error) {
	out, err := send(v, s.List.AddComment)
	return v.address("/list/{id}/item/{item_id}") + "?comment=" + out.Comment.ID + "&done=commented#comment-" + out.Comment.ID, err
}

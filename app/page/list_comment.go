package page

import (
	"strconv"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

const commentsShown = 100

type commentView struct {
	ID, ParentID string
	Depth        int
	AuthorName   string
	AuthorURL    string
	Content      string
	CreatedAt    store.Time
	Deleted      bool
	CanDelete    bool
	CanAnswer    bool
	Answering    bool // its reply form is open
	Form         Form
}

// itemComments reads the comments around the answered or named comment. Otherwise it starts at the offset of
// the address.
func (s *site) itemComments(v *visit, view *listItemView, l list.List, i list.Item, form Form) {
	answer := form.Get("parent_id")
	if !form.Failed() {
		answer = v.query("answer")
	}
	in := list.CommentsIn{ListID: l.ID, ItemID: i.ID, Limit: commentsShown, Offset: v.offset("comments"),
		With: firstOf(answer, v.query("comment"))}
	out := get(v, s.List.Comments, in)
	offset := out.Offset
	answers := false
	for n, c := range out.Comments {
		cv := commentView{ID: c.ID, ParentID: core.OrZero(c.ParentID), Depth: c.Depth, AuthorName: c.AuthorName,
			AuthorURL: v.profile(core.OrZero(c.AuthorID)), Content: c.Content, CreatedAt: c.CreatedAt,
			Deleted: c.DeletedAt != nil, CanDelete: c.DeletedAt == nil && v.by.SignedIn() && list.MayDeleteComment(l, c, v.by) == nil,
			CanAnswer: c.DeletedAt == nil && v.by.SignedIn() && c.Depth < 7, Form: Form{Prefix: "answer" + strconv.Itoa(n) + "-"}}
		if cv.Answering = c.ID == answer; cv.Answering && form.Failed() {
			answers = true
			prefix := cv.Form.Prefix
			cv.Form = form
			cv.Form.Prefix = prefix
		}
		view.Comments = append(view.Comments, cv)
	}
	view.CommentTotal, view.CommentForm = out.Total, Form{Prefix: "comment-"}
	if form.Failed() && !answers {
		view.CommentForm = form
		view.CommentForm.Prefix = "comment-"
	}
	here := "/list/" + l.ID + "/item/" + i.ID + "?comments="
	if offset > 0 {
		view.CommentPager.Prev = here + strconv.Itoa(max(0, offset-commentsShown)) + "#comments"
	}
	if offset+len(out.Comments) < out.Total {
		view.CommentPager.Next = here + strconv.Itoa(offset+commentsShown) + "#comments"
	}
}

func itemComment(s *site, v *visit) error {
	in := itemIn(v)
	add := func() (string, error) {
		c := list.AddCommentIn{ListID: in.ListID, ItemID: in.ItemID, Content: v.form("content")}
		if p := v.form("parent_id"); p != "" {
			c.ParentID = &p
		}
		out, err := s.List.AddComment.Call(v.ctx(), v.by, c)
		return "/list/" + in.ListID + "/item/" + in.ItemID + "?comment=" + out.Comment.ID + "&done=commented#comment-" + out.Comment.ID, err
	}
	return s.submit(v, []string{"content"}, add, func(f Form) error { return s.showItem(v, itemForms{comment: f}) })
}

func itemUncomment(s *site, v *visit) error {
	in := itemIn(v)
	id := v.id("comment_id")
	_, err := s.List.DeleteComment.Call(v.ctx(), v.by, list.DeleteCommentIn{ListID: in.ListID, ItemID: in.ItemID, CommentID: id})
	return v.next("/list/"+in.ListID+"/item/"+in.ItemID+"?done=deleted#comments", err)
}

func itemStar(s *site, v *visit) error {
	in := itemIn(v)
	set := s.List.StarItem
	if v.form("star") == "no" {
		set = s.List.UnstarItem
	}
	out, err := set.Call(v.ctx(), v.by, in)
	if err != nil {
		return err
	}
	if v.form("from") == "list" {
		return v.seeOther(itemAddress(out.Item))
	}
	return v.seeOther("/list/" + in.ListID + "/item/" + in.ItemID)
}

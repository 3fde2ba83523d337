package page

import (
	"strconv"

	"hearth/app/core"
	"hearth/app/list"
)

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
		With: firstOf(answer, v.query("comment"))})
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
	here := v.address("/list/{id}/item/{item_id}?comments=")
	if out.Offset > 0 {
		view.CommentPager.Prev = here + strconv.Itoa(max(0, out.Offset-commentsShown)) + "#comments"
	}
	if out.Offset+len(out.Comments) < out.Total {
		view.CommentPager.Next = here + strconv.Itoa(out.Offset+commentsShown) + "#comments"
	}
}

func (s *site) itemComment(v *visit) error {
	return s.submit(v, func() (string, error) {
		out, err := send(v, s.List.AddComment)
		return v.address("/list/{id}/item/{item_id}") + "?comment=" + out.Comment.ID + "&done=commented#comment-" + out.Comment.ID, err
	}, "content")
}

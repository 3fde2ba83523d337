package list

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

const (
	maxComments = 1000 // of one item, including deleted ones with replies
	maxDepth    = 7    // levels of replies below a comment
)

// Comment is a comment of an item.
type Comment struct {
	ID         string      `json:"id" format:"uuid"`
	ItemID     string      `json:"item_id" format:"uuid"`
	ParentID   *string     `json:"parent_id" format:"uuid" doc:"The comment that it answers; null for the beginning of a thread."`
	Depth      int         `json:"depth" doc:"0 for the beginning of a thread, at most 7."`
	AuthorID   *string     `json:"author_id" format:"uuid" doc:"Null once deleted, and if the author hides from the caller."`
	AuthorName string      `json:"author_name" read:"own"`
	Content    string      `json:"content" read:"own" doc:"Empty once deleted."`
	CreatedAt  store.Time  `json:"created_at"`
	DeletedAt  *store.Time `json:"deleted_at" doc:"A deleted comment is listed as long as others answer it."`
}

func commentOf(c store.Comment) Comment {
	out := Comment{ID: c.ID, ItemID: c.ItemID, ParentID: core.OrNil(c.ParentID), Depth: c.Depth, AuthorID: core.OrNil(c.AuthorID),
		AuthorName: c.AuthorName, Content: c.Content, CreatedAt: c.CreatedAt, DeletedAt: c.DeletedAt.Ptr()}
	if c.AuthorID == "" && c.DeletedAt == 0 {
		out.AuthorName = hiddenName
	}
	return out
}

// CommentsIn is the input of Comments.
type CommentsIn struct {
	ListID string `path:"id" json:"-"`
	ItemID string `path:"item_id" json:"-"`
	Limit  int    `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Offset int    `query:"offset" json:"-" min:"0"`

	With string `json:"-"` // the id of a comment on the page, instead of Offset; for pages
}

// CommentsOut is a page of an item's comments, oldest first. Replies follow their comment.
type CommentsOut struct {
	Comments []Comment `json:"comments"`
	Total    int       `json:"total" doc:"How many there are to see, deleted ones that are listed included."`

	Offset int `json:"-"` // of the first comment
}

// comments hides comments across a block, except from the owner and the editors. A hidden comment with
// replies is shown as deleted.
func comments(r *store.Reader, by store.Viewer, in CommentsIn) (out CommentsOut, err error) {
	if _, err := r.Item(by, in.ListID, in.ItemID); err != nil {
		return out, err
	}
	out.Offset = in.Offset
	if in.With != "" {
		before, err := r.CommentsBefore(by, in.ListID, in.ItemID, in.With)
		if err == nil { // an unknown comment leaves the offset unchanged
			out.Offset = before - before%in.Limit
		} else if store.Optional(err) != nil {
			return out, err
		}
	}
	rows, total, err := r.Comments(by, in.ListID, in.ItemID, in.Limit, out.Offset)
	out.Comments, out.Total = core.Map(rows, commentOf), total
	return out, err
}

// AddCommentIn is the input of AddComment.
type AddCommentIn struct {
	ListID   string  `path:"id" json:"-"`
	ItemID   string  `path:"item_id" json:"-"`
	Content  string  `json:"content" required:"true" min:"1" max:"2000"`
	ParentID *string `json:"parent_id" format:"uuid" doc:"The comment of the same item that it answers."`
}

// CommentOut is one comment.
type CommentOut struct {
	Comment Comment `json:"comment"`
}

// addComment returns NotFound for a parent that is deleted or hidden. It returns Conflict for a ninth level,
// or after 1,000 comments on the item.
func addComment(tx *store.Tx, by store.Viewer, in AddCommentIn) (out CommentOut, err error) {
	i, err := tx.Item(by, in.ListID, in.ItemID)
	if err != nil {
		return out, err
	}
	parent, err := answered(tx, by, in)
	if err != nil {
		return out, err
	}
	n, err := tx.CommentRows(i.ID)
	if err == nil && n >= maxComments {
		err = core.New(core.Conflict, "too_many_comments", "An item can have at most 1,000 comments, and this item has 1,000.")
	}
	if err != nil {
		return out, err
	}
	c, err := tx.InsertComment(i.ListID, store.Comment{ItemID: i.ID, AuthorID: by.UserID, Content: in.Content}, parent)
	if err == nil {
		err = tx.Emit(store.Event{Topic: i.ListID, Kind: commentAdded, ObjectID: i.ID, ActorID: by.UserID})
	}
	if err != nil {
		return out, err
	}
	c, err = tx.Comment(by, i.ListID, i.ID, c.ID)
	return CommentOut{commentOf(c)}, err
}

func answered(tx *store.Tx, by store.Viewer, in AddCommentIn) (*store.Comment, error) {
	if in.ParentID == nil {
		return nil, nil
	}
	c, err := tx.Comment(by, in.ListID, in.ItemID, *in.ParentID)
	switch {
	case err != nil:
		return nil, err
	case c.DeletedAt != 0:
		return nil, core.ErrNotFound
	case c.Depth >= maxDepth:
		return nil, core.New(core.Conflict, "too_deep", "This thread is too deep to answer. Answer the comment above it.")
	}
	return &c, nil
}

// DeleteCommentIn is the input of DeleteComment.
type DeleteCommentIn struct {
	ListID    string `path:"id" json:"-"`
	ItemID    string `path:"item_id" json:"-"`
	CommentID string `path:"comment_id" json:"-"`
}

func deleteComment(tx *store.Tx, by store.Viewer, in DeleteCommentIn) (out core.None, err error) {
	l, err := tx.List(by, in.ListID)
	if err != nil {
		return out, err
	}
	c, err := tx.Comment(by, in.ListID, in.ItemID, in.CommentID)
	switch {
	case err != nil:
		return out, err
	case c.DeletedAt != 0:
		return out, core.ErrNotFound
	}
	if err := MayDeleteComment(listOf(l), commentOf(c), by); err != nil {
		return out, err
	}
	return out, cmp.Or(tx.DeleteComment(l.ID, c),
		tx.Emit(store.Event{Topic: l.ID, Kind: commentRemoved, ObjectID: c.ItemID, ActorID: c.AuthorID}))
}

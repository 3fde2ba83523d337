package list_test

import (
	"context"
	"fmt"
	"testing"

	"hearth/app/list"
)

// A comment answers at most seven others, directly and indirectly. One that is
// answered is listed without its words when it is deleted, and cannot be answered
// any more; guests see the same.
func TestComments(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	l := w.list(list.Public, "one")
	item := w.items(l.ID)[0].ID
	comment := func(parent *string) (list.Comment, error) {
		out, err := w.AddComment.Call(ctx, w.who["stranger"], list.AddCommentIn{ListID: l.ID, ItemID: item, Content: "c", ParentID: parent})
		return out.Comment, err
	}
	var thread []list.Comment
	var parent *string
	for depth := range 8 {
		c, err := comment(parent)
		if err != nil || c.Depth != depth {
			t.Fatalf("%d: %+v, %v", depth, c, err)
		}
		thread, parent = append(thread, c), &c.ID
	}
	if _, err := comment(parent); code(err) != "too_deep" {
		t.Errorf("the ninth: %v", err)
	}
	remove := func(n int) error {
		_, err := w.DeleteComment.Call(ctx, w.who["stranger"], list.DeleteCommentIn{ListID: l.ID, ItemID: item, CommentID: thread[n].ID})
		return err
	}
	if err := remove(3); err != nil {
		t.Error(err)
	}
	if _, err := comment(&thread[3].ID); code(err) != "not_found" {
		t.Errorf("an answer to a deleted one: %v", err)
	}
	if err := remove(3); code(err) != "not_found" {
		t.Errorf("deleted again: %v", err)
	}
	if err := remove(7); err != nil {
		t.Error(err)
	}
	for _, who := range []string{"owner", "stranger", "anonymous"} {
		got, err := w.Comments.Call(ctx, w.who[who], list.CommentsIn{ListID: l.ID, ItemID: item})
		if err != nil || got.Total != 7 || len(got.Comments) != 7 {
			t.Fatalf("to %s: %d of %d comments, %v", who, len(got.Comments), got.Total, err)
		}
		for n, c := range got.Comments {
			if c.ID != thread[n].ID || (c.Content == "") != (n == 3) || (c.DeletedAt != nil) != (n == 3) || (c.AuthorID == nil) != (n == 3) {
				t.Errorf("to %s: %+v", who, c)
			}
		}
	}
}

// The page of comments with one of them is asked for by its id; one that is not there to
// see leaves the page as it is.
func TestPageWithAComment(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public, "one", "two")
	item := list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[0].ID}
	other := w.addComment("stranger", list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[1].ID}, "elsewhere", nil)
	var all []string
	for n := range 7 {
		all = append(all, w.addComment("stranger", item, fmt.Sprint(n), nil).ID)
	}
	in := list.CommentsIn{ListID: item.ListID, ItemID: item.ItemID, Limit: 3, Offset: 1}
	for with, want := range map[string]int{"": 1, all[0]: 0, all[2]: 0, all[3]: 3, all[5]: 3, all[6]: 6, other.ID: 1, "nothing": 1} {
		in.With = with
		out, err := w.Comments.Call(t.Context(), w.who["anonymous"], in)
		if err != nil || out.Offset != want || out.Total != 7 || len(out.Comments) == 0 || out.Comments[0].ID != all[want] {
			t.Errorf("with %q: from %d, want %d, %v", with, out.Offset, want, err)
		}
	}
}

// An item shows the ten lists that changed last of those that have its link, too.
func TestAlsoOn(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	with := func(title, link string) list.List {
		t.Helper()
		out, err := w.CreateList.Call(ctx, w.who["owner"], list.CreateListIn{Title: title, Visibility: list.Public,
			Items: []list.NewItem{{Content: "soup", Link: link}}})
		if err != nil {
			t.Fatal(err)
		}
		return out.List
	}
	l := with("this", "https://a.example/x")
	with("another link", "https://a.example/y")
	with("no link", "")
	for n := range 11 {
		with(fmt.Sprint(n), "http://www.a.example/x#part")
	}
	out, err := w.GetItem.Call(ctx, w.who["anonymous"], list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[0].ID})
	if err != nil || out.AlsoOn.Count != 11 || len(out.AlsoOn.Lists) != 10 {
		t.Fatalf("%d of %d lists, %v", len(out.AlsoOn.Lists), out.AlsoOn.Count, err)
	}
	for n, u := range out.AlsoOn.Lists {
		if u.Title != fmt.Sprint(10-n) {
			t.Errorf("the %dth list is %q", n, u.Title)
		}
	}
}

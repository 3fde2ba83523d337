package list_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// commentsOf returns what a caller reads: the words of the comments of an item, and how
// many the item says it has.
func (w *world) commentsOf(who string, item list.GetItemIn) (words []string, count int) {
	w.t.Helper()
	out, err := w.Comments.Call(w.t.Context(), w.who[who], list.CommentsIn{ListID: item.ListID, ItemID: item.ItemID})
	if err != nil || out.Total != len(out.Comments) {
		w.t.Fatalf("%s: %d of %d comments, %v", who, len(out.Comments), out.Total, err)
	}
	for _, c := range out.Comments {
		if c.DeletedAt != nil {
			c.Content = "deleted"
		}
		words = append(words, c.Content)
	}
	got, err := w.GetItem.Call(w.t.Context(), w.who[who], item)
	if err != nil {
		w.t.Fatal(err)
	}
	return words, got.Item.CommentCount
}

func (w *world) addComment(who string, item list.GetItemIn, words string, parent *string) list.Comment {
	w.t.Helper()
	out, err := w.AddComment.Call(w.t.Context(), w.who[who], list.AddCommentIn{ListID: item.ListID, ItemID: item.ItemID, Content: words,
		ParentID: parent})
	if err != nil {
		w.t.Fatalf("%s: %v", who, err)
	}
	return out.Comment
}

func (w *world) block(blocker, blocked string) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertBlock(w.who[blocker].UserID, w.who[blocked].UserID)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
}

// told returns the kinds of the events of a list that a caller receives, by both ways
// in which they are delivered.
func (w *world) told(who, id string) (kinds []string) {
	w.t.Helper()
	err := w.db.Read(w.t.Context(), func(r *store.Reader) error {
		for _, ev := range w.db.Events(w.t, id) {
			for _, e := range list.Events() {
				if e.Kind != ev.Kind || e.Groups == nil {
					continue
				}
				group, err := e.Groups(r, ev)
				if err != nil {
					return err
				}
				data, err := e.JSON(r, w.who[who], ev)
				if err != nil {
					return err
				}
				if (data == nil) != (group(w.who[who]) != "") {
					w.t.Errorf("%s: %s is rendered as %q for the group %q", who, ev.Kind, data, group(w.who[who]))
				}
				if data != nil {
					kinds = append(kinds, string(ev.Kind))
				}
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return kinds
}

// The owner and the editors of a list see, are told of and can delete each comment on
// it, despite blocks. Others need to have no block with its author.
func TestNoBlockHidesCommentsFromWhoKeepsTheList(t *testing.T) {
	for _, name := range []string{"owner", "editor"} {
		for _, pair := range [][2]string{{name, "stranger"}, {"stranger", name}} {
			w := newWorld(t)
			l := w.list(list.Public, "one")
			w.share(l.ID)
			w.block(pair[0], pair[1])
			item := list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[0].ID}
			c := w.addComment("stranger", item, "spam", nil)
			for _, who := range []string{"owner", "editor", "viewer", "anonymous", "stranger"} {
				if words, count := w.commentsOf(who, item); !slices.Equal(words, []string{"spam"}) || count != 1 {
					t.Errorf("%s blocks %s: %s sees %q, %d", pair[0], pair[1], who, words, count)
				}
			}
			if _, err := w.DeleteComment.Call(t.Context(), w.who[name], list.DeleteCommentIn{ListID: l.ID, ItemID: item.ItemID,
				CommentID: c.ID}); err != nil {
				t.Errorf("%s blocks %s: %v", pair[0], pair[1], err)
			}
			for _, who := range []string{"owner", "editor", "viewer", "anonymous", "stranger"} {
				if got := w.told(who, l.ID); !slices.Equal(got, []string{"item.commented", "item.uncommented"}) {
					t.Errorf("%s blocks %s: %s is told %q", pair[0], pair[1], who, got)
				}
			}
		}
	}
}

// Who has a block with the author of a comment, and does not keep the list, is not
// told of it, whoever deletes it. One that is answered looks to them as if it were
// deleted.
func TestHiddenCommentsLookDeleted(t *testing.T) {
	for _, pair := range [][2]string{{"viewer", "stranger"}, {"stranger", "viewer"}} {
		w := newWorld(t)
		l := w.list(list.Public, "one")
		w.share(l.ID)
		w.block(pair[0], pair[1])
		item := list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[0].ID}
		first := w.addComment("stranger", item, "first", nil)
		second := w.addComment("stranger", item, "second", &first.ID)
		unanswered := w.addComment("stranger", item, "unanswered", &second.ID)
		if words, count := w.commentsOf("viewer", item); words != nil || count != 0 {
			t.Errorf("before the answer: %q, %d", words, count)
		}
		answer := w.addComment("editor", item, "answer", &second.ID)
		if words, count := w.commentsOf("viewer", item); !slices.Equal(words, []string{"deleted", "deleted", "answer"}) || count != 1 {
			t.Errorf("with the answer: %q, %d", words, count)
		}
		if words, count := w.commentsOf("anonymous", item); !slices.Equal(words, []string{"first", "second", "unanswered", "answer"}) ||
			count != 4 {
			t.Errorf("to others: %q, %d", words, count)
		}
		out, err := w.Comments.Call(t.Context(), w.who["viewer"], list.CommentsIn{ListID: l.ID, ItemID: item.ItemID})
		if err != nil {
			t.Fatal(err)
		}
		for n, c := range out.Comments[:2] {
			if c.Content != "" || c.AuthorID != nil || c.AuthorName != "" || c.Depth != n || *c.DeletedAt < out.Comments[n+1].CreatedAt {
				t.Errorf("%+v", c)
			}
			if _, err := w.AddComment.Call(t.Context(), w.who["viewer"],
				list.AddCommentIn{ListID: l.ID, ItemID: item.ItemID, Content: "c", ParentID: &c.ID}); code(err) != "not_found" {
				t.Errorf("an answer: %v", err)
			}
			if _, err := w.DeleteComment.Call(t.Context(), w.who["viewer"],
				list.DeleteCommentIn{ListID: l.ID, ItemID: item.ItemID, CommentID: c.ID}); code(err) != "not_found" {
				t.Errorf("deleted: %v", err)
			}
		}
		for who, id := range map[string]string{"owner": unanswered.ID, "editor": answer.ID} {
			if _, err := w.DeleteComment.Call(t.Context(), w.who[who], list.DeleteCommentIn{ListID: l.ID, ItemID: item.ItemID,
				CommentID: id}); err != nil {
				t.Fatal(err)
			}
		}
		if words, count := w.commentsOf("viewer", item); words != nil || count != 0 {
			t.Errorf("after it: %q, %d", words, count)
		}
		if got := w.told("viewer", l.ID); !slices.Equal(got, []string{"item.commented", "item.uncommented"}) {
			t.Errorf("told %q, and only the answer is theirs to see", got)
		}
		if got := w.told("stranger", l.ID); len(got) != 6 {
			t.Errorf("the author is told %q", got)
		}
	}
}

// Two worlds that differ only in an answer that a viewer does not see look the same to
// the viewer. That holds whatever is deleted, and whether the block came before or
// after.
func TestNoTraceOfHiddenAnswers(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"the viewer deletes theirs":                  "viewer: root; hidden < root; block; viewer - root",
		"it is blocked afterwards":                   "viewer: root; hidden < root; viewer - root; block",
		"the hidden answer is deleted":               "viewer: root; hidden < root; block; viewer - root; stranger - hidden",
		"the hidden answer is deleted first":         "viewer: root; hidden < root; block; stranger - hidden; viewer - root",
		"another answer goes":                        "viewer: root; hidden < root; block; editor: seen < root; viewer - root; editor - seen",
		"another answer stays":                       "viewer: root; editor: seen < root; hidden < root; block; viewer - root",
		"hidden ones below what is deleted":          "viewer: root; editor: seen < root; hidden < seen; block; viewer - root; editor - seen",
		"an answer to a hidden one, and no other":    "block; stranger: root; editor: seen < root; hidden < root",
		"an answer to a hidden one that was deleted": "block; stranger: root; editor: seen < root; hidden < root; editor - seen",
	} {
		var seen [2]string
		for n := range seen {
			w := newWorld(t)
			l := w.list(list.Public, "one", "two")
			w.share(l.ID)
			item, other := list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[0].ID}, list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[1].ID}
			ids := map[string]*string{}
			for step := range strings.SplitSeq(steps, "; ") {
				who, rest, added := strings.Cut(step, ": ")
				what, parent, _ := strings.Cut(rest, " < ")
				at, answered := item, ids[parent]
				if to, ok := strings.CutPrefix(step, "hidden < "); ok {
					if who, what, added, answered = "stranger", "hidden", true, ids[to]; n == 1 {
						at, answered = other, nil
					}
				}
				deleter, gone, _ := strings.Cut(step, " - ")
				switch {
				case step == "block":
					w.block("stranger", "viewer")
				case added:
					ids[what] = new(w.addComment(who, at, what, answered).ID)
				default:
					if gone == "hidden" && n == 1 {
						at = other
					}
					if _, err := w.DeleteComment.Call(t.Context(), w.who[deleter],
						list.DeleteCommentIn{ListID: l.ID, ItemID: at.ItemID, CommentID: *ids[gone]}); err != nil {
						t.Fatalf("%s: %s: %v", name, step, err)
					}
				}
			}
			out, err := w.Comments.Call(t.Context(), w.who["viewer"], list.CommentsIn{ListID: l.ID, ItemID: item.ItemID})
			if err != nil {
				t.Fatal(err)
			}
			_, count := w.commentsOf("viewer", item)
			seen[n] = fmt.Sprint(out.Total, count, w.told("viewer", l.ID))
			for _, c := range out.Comments {
				seen[n] += fmt.Sprint("\n", c.Content, c.AuthorName, c.Depth, c.CreatedAt, core.OrZero(c.DeletedAt))
			}
		}
		if seen[0] != seen[1] {
			t.Errorf("%s: with the answer %s\nwithout it %s", name, seen[0], seen[1])
		}
	}
}

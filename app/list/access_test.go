package list_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// Who may do what on a public list of Ada's that is shared with an editor and a
// viewer; a row per act, a column per caller in the order of callers. A dot is
// success.
var (
	callers = []string{"owner", "editor", "viewer", "stranger", "public", "anonymous"}
	access  = map[string]string{
		"get":       ". . . . . .",
		"items":     ". . . . . .",
		"item":      ". . . . . .",
		"watch":     ". . . . . .",
		"members":   ". . . not_found public_key unauthenticated",
		"add":       ". . list_closed list_closed list_closed unauthenticated",
		"edit":      ". . not_editor not_editor public_key unauthenticated",
		"move":      ". . not_editor not_editor public_key unauthenticated",
		"take off":  ". . not_editor not_editor public_key unauthenticated",
		"rename":    ". . not_editor not_editor public_key unauthenticated",
		"reveal":    ". not_owner not_editor not_editor public_key unauthenticated",
		"share":     ". not_owner not_owner not_owner public_key unauthenticated",
		"unshare":   ". not_owner not_owner not_owner public_key unauthenticated",
		"delete":    ". not_owner not_owner not_owner public_key unauthenticated",
		"star":      ". . . . public_key unauthenticated",
		"unstar":    ". . . . public_key unauthenticated",
		"comments":  ". . . . . .",
		"comment":   ". . . . public_key unauthenticated",
		"uncomment": ". . not_author not_author public_key unauthenticated",
		"queue":     ". . not_editor not_editor public_key unauthenticated",
		"approve":   ". . not_editor not_editor public_key unauthenticated",
		"reject":    ". . not_editor not_editor public_key unauthenticated",
		"hand over": ". not_owner not_owner not_owner public_key unauthenticated",
	}
)

// accessTo returns the row of an act on a list of any visibility: everybody adds to an
// open one, and one that the caller may not see is not found, unless that caller
// cannot do this to any list.
func accessTo(visibility, act string) []string {
	row := strings.Fields(access[act])
	for n, who := range callers {
		seen := n < 3 || visibility == list.Public || visibility == list.PublicEdit || visibility == list.Unlisted && who == "stranger"
		switch {
		case !seen && row[n] != "public_key" && row[n] != "unauthenticated":
			row[n] = "not_found"
		case visibility == list.PublicEdit && row[n] == "list_closed":
			row[n] = "."
		}
	}
	return row
}

// act does one thing to a list of two items.
func (w *world) act(name string, by store.Viewer, l list.List, items []list.Item) error {
	ctx, one := context.Background(), list.GetListIn{ID: l.ID}
	item := list.GetItemIn{ListID: l.ID, ItemID: items[0].ID}
	update := list.UpdateItemIn{ListID: l.ID, ItemID: items[0].ID}
	reveal := list.Private
	if l.Visibility == reveal {
		reveal = list.Public
	}
	var err error
	switch name {
	case "get":
		_, err = w.GetList.Call(ctx, by, one)
	case "items":
		_, err = w.Items.Call(ctx, by, list.ItemsIn{ListID: l.ID})
	case "item":
		_, err = w.GetItem.Call(ctx, by, item)
	case "watch":
		_, err = w.GetList.Call(ctx, by, list.GetListIn{ID: l.ID})
	case "members":
		_, err = w.Members.Call(ctx, by, one)
	case "add":
		_, err = w.AddItem.Call(ctx, by, list.AddItemIn{ListID: l.ID, NewItem: list.NewItem{Content: "x"}, Reporter: "scout"})
	case "edit":
		update.Content = core.Some("changed")
		_, err = w.UpdateItem.Call(ctx, by, update)
	case "move":
		update.Position = core.Some(1)
		_, err = w.UpdateItem.Call(ctx, by, update)
	case "take off":
		_, err = w.DeleteItem.Call(ctx, by, list.DeleteItemIn{ListID: item.ListID, ItemID: item.ItemID})
	case "rename":
		_, err = w.UpdateList.Call(ctx, by, list.UpdateListIn{ID: l.ID, Title: core.Some("Renamed")})
	case "reveal":
		_, err = w.UpdateList.Call(ctx, by, list.UpdateListIn{ID: l.ID, Visibility: core.Some(reveal)})
	case "share":
		_, err = w.PutMember.Call(ctx, by, list.PutMemberIn{ListID: l.ID, UserID: w.cast.Stranger.ID, Role: "editor"})
	case "unshare":
		who := w.cast.Ben.ID
		if by.UserID == who {
			who = w.cast.Cleo.ID
		}
		_, err = w.DeleteMember.Call(ctx, by, list.DeleteMemberIn{ListID: l.ID, UserID: who})
	case "star":
		_, err = w.StarItem.Call(ctx, by, item)
	case "unstar":
		_, err = w.UnstarItem.Call(ctx, by, item)
	case "comments":
		_, err = w.Comments.Call(ctx, by, list.CommentsIn{ListID: item.ListID, ItemID: item.ItemID})
	case "comment":
		_, err = w.AddComment.Call(ctx, by, list.AddCommentIn{ListID: item.ListID, ItemID: item.ItemID, Content: "c"})
	case "uncomment":
		_, err = w.DeleteComment.Call(ctx, by, list.DeleteCommentIn{ListID: item.ListID, ItemID: item.ItemID, CommentID: w.comment(item)})
	case "queue":
		_, err = w.Queue.Call(ctx, by, one)
	case "approve":
		_, err = w.ApproveItem.Call(ctx, by, list.ApproveItemIn{ListID: l.ID, ItemID: w.held(l.ID)})
	case "reject":
		_, err = w.RejectItem.Call(ctx, by, list.GetItemIn{ListID: l.ID, ItemID: w.held(l.ID)})
	case "hand over":
		_, err = w.HandOver.Call(ctx, by, list.HandOverIn{ID: l.ID, UserID: w.cast.Cleo.ID})
	case "delete":
		_, err = w.DeleteList.Call(ctx, by, list.DeleteListIn{ID: one.ID})
	default:
		w.t.Fatalf("no act %q", name)
	}
	return err
}

// comment returns a comment of Ada's on an item; that of no comment if there is no
// such item.
func (w *world) comment(item list.GetItemIn) string {
	in := list.CommentsIn{ListID: item.ListID, ItemID: item.ItemID}
	if out, err := w.Comments.Call(context.Background(), w.who["owner"], in); err == nil && len(out.Comments) > 0 {
		return out.Comments[0].ID
	}
	return store.NewID()
}

// held returns an item of a list that waits; that of no item if there is none.
func (w *world) held(id string) string {
	if out, err := w.Queue.Call(context.Background(), w.who["owner"], list.GetListIn{ID: id}); err == nil && len(out.Items) > 0 {
		return out.Items[0].ID
	}
	return store.NewID()
}

// stage adds a comment and an item that waits to a list of Ada's.
func (w *world) stage(l list.List) {
	w.t.Helper()
	_, err := w.AddComment.Call(context.Background(), w.who["owner"],
		list.AddCommentIn{ListID: l.ID, ItemID: w.items(l.ID)[0].ID, Content: "first"})
	if err == nil {
		err = w.db.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.HoldItem(store.Item{ListID: l.ID, Content: "waits", Anonymous: true, SourceNote: "scout"})
			return err
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	for _, visibility := range []string{list.Private, list.Unlisted, list.Public, list.PublicEdit} {
		t.Run(visibility, func(t *testing.T) {
			w := newWorld(t)
			for act := range access {
				w.db.Clock.Advance(time.Hour) // so many lists are not shared within one
				for i, want := range accessTo(visibility, act) {
					if act == "hand over" && visibility != list.Private && want == "." {
						want = "not_private"
					}
					l := w.list(visibility, "one", "two")
					w.share(l.ID)
					w.stage(l)
					before := w.state(l.ID)
					err := w.act(act, w.who[callers[i]], l, w.items(l.ID))
					if got := code(err); got != strings.TrimPrefix(want, ".") {
						t.Errorf("%s: %s by %s: %q, want %q (%v)", visibility, act, callers[i], got, want, err)
					}
					if err != nil {
						if after := w.state(l.ID); after != before {
							t.Errorf("%s: %s by %s was refused and changed\n%s to\n%s", visibility, act, callers[i], before, after)
						}
					}
				}
			}
		})
	}
}

func TestIndexes(t *testing.T) {
	w := newWorld(t)
	ids := map[string]string{}
	for _, v := range []string{list.Private, list.Unlisted, list.Public, list.PublicEdit} {
		for _, shared := range []string{"", " shared"} {
			l := w.list(v)
			ids[l.ID] = v + shared
			if shared != "" {
				w.share(l.ID)
			}
		}
	}
	strangers := list.CreateListIn{Title: "Elsewhere", Visibility: list.Public}
	out, err := w.CreateList.Call(context.Background(), w.who["stranger"], strangers)
	if err != nil {
		t.Fatal(err)
	}
	ids[out.List.ID] = "elsewhere"
	public := "elsewhere, public-edit shared, public-edit, public shared, public"
	for _, c := range []struct {
		who  string
		in   list.ListsIn
		want string
	}{
		{"anonymous", list.ListsIn{Public: true}, public},
		{"public", list.ListsIn{Public: true}, public},
		{"public", list.ListsIn{}, public},
		{"owner", list.ListsIn{Public: true}, public},
		{"anonymous", list.ListsIn{}, "! unauthenticated"},
		{"anonymous", list.ListsIn{Mine: true}, "! unauthenticated"},
		{"public", list.ListsIn{Mine: true}, "! public_key"},
		{"owner", list.ListsIn{Mine: true, Public: true}, "! invalid_input"},
		{"owner", list.ListsIn{Mine: true},
			"public-edit shared, public-edit, public shared, public, unlisted shared, unlisted, private shared, private"},
		{"owner", list.ListsIn{}, public + ", unlisted shared, unlisted, private shared, private"},
		{"editor", list.ListsIn{Mine: true}, "public-edit shared, public shared, unlisted shared, private shared"},
		{"viewer", list.ListsIn{}, public + ", unlisted shared, unlisted, private shared"},
		{"stranger", list.ListsIn{}, public + ", unlisted shared, unlisted"},
		{"stranger", list.ListsIn{Mine: true}, "elsewhere"},
	} {
		var pages []string
		total := -1
		for offset := 0; total == -1 || offset < total; offset += 2 {
			in := c.in
			in.Limit, in.Offset = 2, offset
			out, err := w.Lists.Call(context.Background(), w.who[c.who], in)
			if err != nil {
				pages = []string{"! " + code(err)}
				break
			}
			total = out.Total
			for _, l := range out.Lists {
				pages = append(pages, ids[l.ID])
			}
		}
		if got := strings.Join(pages, ", "); got != c.want || total >= 0 && total != len(pages) {
			t.Errorf("%s %+v: got %s (total %d), want %s", c.who, c.in, got, total, c.want)
		}
	}
}

// The author of an item of an open list may change it for a day, but not move it.
// Once the list is no longer open, they may not change it at all.
func TestAuthorEditWindow(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	l := w.list(list.PublicEdit, "first")
	i := w.add("stranger", l.ID, "mine")
	edit := list.UpdateItemIn{ListID: l.ID, ItemID: i.ID, Content: core.Some("better")}
	try := func(in list.UpdateItemIn) string {
		_, err := w.UpdateItem.Call(ctx, w.who["stranger"], in)
		return code(err)
	}
	got := []string{try(edit), try(list.UpdateItemIn{ListID: l.ID, ItemID: i.ID, Position: core.Some(0)})}
	turn := func(age time.Duration) { w.db.Clock.Advance(i.CreatedAt.Add(age).Sub(w.db.Now())) }
	turn(24*time.Hour - time.Millisecond)
	edit.Content = core.Some("best")
	got = append(got, try(edit))
	turn(24 * time.Hour)
	got = append(got, try(edit))
	_, err := w.DeleteItem.Call(ctx, w.who["stranger"], list.DeleteItemIn{ListID: l.ID, ItemID: i.ID})
	got = append(got, code(err))
	fresh := w.add("stranger", l.ID, "fresh")
	if _, err := w.UpdateList.Call(ctx, w.who["owner"], list.UpdateListIn{ID: l.ID, Visibility: core.Some(list.Public)}); err != nil {
		t.Fatal(err)
	}
	got = append(got, try(list.UpdateItemIn{ListID: l.ID, ItemID: fresh.ID, Content: core.Some("x")}))
	if want := []string{"", "not_editor", "", "too_late", "too_late", "not_editor"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if c := w.items(l.ID)[1].Content; c != "best" {
		t.Errorf("the item is %q", c)
	}
}

// What was added without an account is changed with its receipt while its list is
// open and nobody approves what is added. It can be withdrawn nevertheless.
func TestReceiptOfAListThatChanges(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	l := w.list(list.PublicEdit)
	out, err := w.AddItem.Call(ctx, w.who["public"], list.AddItemIn{ListID: l.ID, NewItem: list.NewItem{Content: "mine"}, Reporter: "scout"})
	if err != nil {
		t.Fatal(err)
	}
	change := func(content string) string {
		_, err := w.UpdateByReceipt.Call(ctx, w.who["anonymous"], list.UpdateByReceiptIn{Receipt: *out.Receipt, Content: core.Some(content)})
		return code(err)
	}
	if _, err := w.UpdateByReceipt.Call(ctx, w.who["anonymous"], list.UpdateByReceiptIn{Receipt: *out.Receipt,
		Content: core.Opt[string]{Set: true, Null: true}}); code(err) != "invalid_input" {
		t.Errorf("without content: %v", err)
	}
	set := func(visibility string, moderated bool) {
		t.Helper()
		if _, err := w.UpdateList.Call(ctx, w.who["owner"], list.UpdateListIn{ID: l.ID, Visibility: core.Some(visibility),
			Moderated: core.Some(moderated)}); err != nil {
			t.Fatal(err)
		}
	}
	fixed := func() string {
		out, err := w.GetReceipt.Call(ctx, w.who["anonymous"], list.ReceiptIn{Receipt: *out.Receipt})
		if err != nil {
			return code(err)
		}
		return fmt.Sprint(out.Fixed)
	}
	got := []string{change("open"), fixed()}
	set(list.PublicEdit, true)
	got = append(got, change("moderated"), fixed())
	set(list.Public, false)
	got = append(got, change("closed"), fixed())
	set(list.Private, false)
	got = append(got, change("private"), fixed())
	set(list.PublicEdit, false)
	got = append(got, change("open again"), fixed())
	if want := []string{"", "false", "approved", "true", "list_closed", "true", "not_found", "not_found", "", "false"}; !slices.Equal(got,
		want) {
		t.Errorf("got %q, want %q", got, want)
	}
	set(list.Public, true)
	if c := w.items(l.ID)[0].Content; c != "open again" {
		t.Errorf("the item is %q", c)
	}
	if _, err := w.DeleteByReceipt.Call(ctx, w.who["anonymous"], list.ReceiptIn{Receipt: *out.Receipt}); err != nil ||
		len(w.items(l.ID)) != 0 {
		t.Errorf("it was not withdrawn: %v", err)
	}
}

// A version in If-Match is that of the object, in any of the forms in which clients
// have it: the time, or the strong ETag, alone or among others. A star stands for any
// version, and in quotation marks for none.
func TestIfMatch(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public, "one")
	i := w.items(l.ID)[0]
	v := i.UpdatedAt.String()
	for header, want := range map[string]string{
		"": "", "*": "", v: "", `"` + v + `"`: "", `"` + v + `/abc"`: "", `"x", "` + v + `"`: "", `"x",*`: "",
		`W/"` + v + `"`: "version_mismatch", `"*"`: "version_mismatch", `""`: "version_mismatch", ",": "version_mismatch",
		`"x"`: "version_mismatch", `"/` + v + `"`: "version_mismatch",
	} {
		_, err := w.UpdateItem.Call(context.Background(), w.who["owner"],
			list.UpdateItemIn{ListID: l.ID, ItemID: i.ID, Content: core.Some("one"), IfMatch: header})
		if code(err) != want {
			t.Errorf("If-Match: %s: %v, want %q", header, err, want)
		}
	}
}

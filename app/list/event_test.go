package list_test

import (
	"slices"
	"testing"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// What changes a list has an event, and what only reads it has none.
func TestEventsOfActs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for act, want := range map[string][]string{
		"get": nil, "items": nil, "item": nil, "watch": nil, "members": nil, "comments": nil, "queue": nil,
		"add": {"item.created"}, "edit": {"item.updated"}, "move": {"item.updated"}, "take off": {"item.deleted"}, "approve": {"item.created"},
		"reject": {},
		"rename": {"list.updated"}, "reveal": {"list.updated"}, "share": {"list.shared"}, "unshare": {"list.shared"},
		"hand over": {"list.updated", "list.shared"},
		"star":      {"item.starred"}, "comment": {"item.commented"}, "uncomment": {"item.uncommented"}, "delete": {"list.deleted"},
	} {
		l := w.list(list.PublicEdit, "one", "two")
		w.share(l.ID)
		w.stage(l)
		if act == "hand over" { // which a list is only while it is private
			if _, err := w.UpdateList.Call(t.Context(), w.who["owner"], list.UpdateListIn{ID: l.ID,
				Visibility: core.Some(list.Private)}); err != nil {
				t.Fatal(err)
			}
		}
		before := len(w.events(l.ID))
		if err := w.act(act, w.who["owner"], l, w.items(l.ID)); err != nil {
			t.Errorf("%s: %v", act, err)
		}
		if got := w.events(l.ID)[before:]; !slices.Equal(got, want) {
			t.Errorf("%s: events %v, want %v", act, got, want)
		}
	}
}

// What changes nothing has no event and no time of change.
func TestNoChangeNoEvent(t *testing.T) {
	w := newWorld(t)
	ctx, by := t.Context(), w.who["owner"]
	l := w.list(list.PublicEdit, "one", "two")
	w.share(l.ID)
	item := list.GetItemIn{ListID: l.ID, ItemID: w.items(l.ID)[1].ID}
	for range 2 {
		before := w.state(l.ID)
		for name, act := range map[string]func() error{
			"unstar": func() error { _, err := w.UnstarItem.Call(ctx, by, item); return err },
			"title": func() error {
				_, err := w.UpdateList.Call(ctx, by, list.UpdateListIn{ID: l.ID, Title: core.Some(l.Title)})
				return err
			},
			"visibility": func() error {
				_, err := w.UpdateList.Call(ctx, by, list.UpdateListIn{ID: l.ID, Visibility: core.Some(list.PublicEdit)})
				return err
			},
			"content": func() error {
				_, err := w.UpdateItem.Call(ctx, by, list.UpdateItemIn{ListID: l.ID, ItemID: item.ItemID, Content: core.Some("two")})
				return err
			},
			"position": func() error {
				_, err := w.UpdateItem.Call(ctx, by, list.UpdateItemIn{ListID: l.ID, ItemID: item.ItemID, Position: core.Some(1)})
				return err
			},
			"role": func() error {
				_, err := w.PutMember.Call(ctx, by, list.PutMemberIn{ListID: l.ID, UserID: w.cast.Ben.ID, Role: "editor"})
				return err
			},
		} {
			if err := act(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if after := w.state(l.ID); after != before {
				t.Errorf("%s, as it is: from\n%s to\n%s", name, before, after)
			}
		}
		for range 2 { // the second time it is no change
			if _, err := w.StarItem.Call(ctx, by, item); err != nil {
				t.Error(err)
			}
		}
		if _, err := w.UnstarItem.Call(ctx, by, item); err != nil {
			t.Error(err)
		}
		if got := w.events(l.ID); !slices.Equal(got[len(got)-2:], []string{"item.starred", "item.unstarred"}) {
			t.Errorf("events %v", got)
		}
	}
}

// What is changed or withdrawn with a receipt has an event if it is on the list, and
// none while it waits; so have the lists of an account that is deleted.
func TestEventsWithoutAnAccount(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	for _, moderated := range []bool{false, true} {
		l := w.list(list.PublicEdit)
		if _, err := w.UpdateList.Call(ctx, w.who["owner"], list.UpdateListIn{ID: l.ID, Moderated: core.Some(moderated)}); err != nil {
			t.Fatal(err)
		}
		before := len(w.events(l.ID))
		added, err := w.AddItem.Call(ctx, w.who["public"], list.AddItemIn{ListID: l.ID, NewItem: list.NewItem{Content: "mine"},
			Reporter: "scout"})
		if err != nil || added.Held != moderated {
			t.Fatalf("%+v, %v", added, err)
		}
		for range 2 { // the second time it is no change
			if _, err := w.UpdateByReceipt.Call(ctx, store.Viewer{}, list.UpdateByReceiptIn{Receipt: *added.Receipt,
				Content: core.Some("other")}); err != nil {
				t.Error(err)
			}
		}
		if _, err := w.DeleteByReceipt.Call(ctx, store.Viewer{}, list.ReceiptIn{Receipt: *added.Receipt}); err != nil {
			t.Error(err)
		}
		want := []string{"item.held"}
		if !moderated {
			want = []string{"item.created", "item.updated", "item.deleted"}
		}
		if got := w.events(l.ID)[before:]; !slices.Equal(got, want) {
			t.Errorf("moderated %v: events %v, want %v", moderated, got, want)
		}
		queue, err := w.Queue.Call(ctx, w.who["owner"], list.GetListIn{ID: l.ID})
		if err != nil || queue.Total != 0 || len(queue.Items) > 0 || len(w.items(l.ID)) > 0 {
			t.Errorf("moderated %v: what was withdrawn waits or is on the list: %+v, %v", moderated, queue, err)
		}
		if _, err := w.GetReceipt.Call(ctx, store.Viewer{}, list.ReceiptIn{Receipt: *added.Receipt}); code(err) != "not_found" {
			t.Errorf("moderated %v: the receipt of what was withdrawn: %v", moderated, err)
		}
	}
	one, two := w.list(list.Public), w.list(list.Private)
	if err := w.db.Write(ctx, func(tx *store.Tx) error {
		return list.Ended(tx, store.Ended{Erasure: store.Erasure{Lists: []string{one.ID, two.ID}, Messages: []string{"x"}}})
	}); err != nil {
		t.Fatal(err)
	}
	for _, l := range []list.List{one, two} {
		if got := w.events(l.ID); got[len(got)-1] != "list.deleted" {
			t.Errorf("events %v", got)
		}
	}
}

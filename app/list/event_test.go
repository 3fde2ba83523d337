package list_test

import (
	"slices"
	"testing"

	"hearth/app/core"
	"hearth/app/list"
)

// What changes a list has an event, and what only reads it has none.
func TestEventsOfActs(t *testing.T) {
	w := newWorld(t)
	for act, want := range map[string][]string{
		"get": nil, "items": nil, "item": nil, "watch": nil, "members": nil, "comments": nil, "queue": nil,
		"add": {"item.created"}, "edit": {"item.updated"}, "move": {"item.updated"}, "take off": {"item.deleted"}, "approve": {"item.created"}, "reject": {},
		"rename": {"list.updated"}, "reveal": {"list.updated"}, "share": {"list.shared"}, "unshare": {"list.shared"}, "hand over": {"list.updated", "list.shared"},
		"star": {"item.starred"}, "comment": {"item.commented"}, "uncomment": {"item.uncommented"}, "delete": {"list.deleted"},
	} {
		l := w.list(list.PublicEdit, "one", "two")
		w.share(l.ID)
		w.stage(l)
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

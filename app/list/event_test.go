package list_test

import (
	"slices"
	"testing"

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

package list_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/list"
)

// checkable sets whether the items of a list can be checked off.
func (w *world) checkable(id string, yes bool) list.List {
	w.t.Helper()
	out, err := w.UpdateList.Call(context.Background(), w.who["owner"], list.UpdateListIn{ID: id, Checkable: core.Some(yes)})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.List
}

// check checks an item off, or takes that back.
func (w *world) check(who string, i list.Item, yes bool) (list.Item, error) {
	out, err := w.UpdateItem.Call(context.Background(), w.who[who], list.UpdateItemIn{ListID: i.ListID, ItemID: i.ID, Checked: core.Some(yes)})
	return out.Item, err
}

func (w *world) get(who, id string) list.List {
	w.t.Helper()
	out, err := w.GetList.Call(context.Background(), w.who[who], list.GetListIn{ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.List
}

// Checking off is idempotent: the second time nothing changes, not even the
// version, and nobody is told. It counts, keeps the item in its place, and names
// who did it.
func TestCheckOff(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public, "a", "b", "c")
	w.share(l.ID)
	before := w.items(l.ID)[1]
	if before.Checked != nil || w.get("owner", l.ID).CheckedCount != nil {
		t.Fatalf("got %+v", before)
	}
	if on := w.checkable(l.ID, true); !on.Checkable || *on.CheckedCount != 0 || on.UpdatedAt == l.UpdatedAt {
		t.Errorf("got %+v", on)
	}
	w.db.Clock.Advance(time.Minute)
	got, err := w.check("editor", before, true)
	if err != nil || !*got.Checked || *got.CheckedAt != got.UpdatedAt || *got.CheckedBy != w.cast.Ben.ID || *got.CheckedByName != "Ben" ||
		got.Position != 1 || got.UpdatedAt <= before.UpdatedAt {
		t.Fatalf("got %+v, %v", got, err)
	}
	first, events := w.get("owner", l.ID), len(w.events(l.ID))
	if *first.CheckedCount != 1 || first.UpdatedAt != got.UpdatedAt {
		t.Errorf("got %+v", first)
	}
	again, err := w.check("owner", before, true)
	if err != nil || again.UpdatedAt != got.UpdatedAt || *again.CheckedBy != w.cast.Ben.ID ||
		w.get("owner", l.ID).UpdatedAt != first.UpdatedAt || len(w.events(l.ID)) != events {
		t.Errorf("again: %+v, %v", again, err)
	}
	edited, err := w.UpdateItem.Call(context.Background(), w.who["owner"],
		list.UpdateItemIn{ListID: l.ID, ItemID: before.ID, Content: core.Some("B"), Position: core.Some(1)})
	if events++; err != nil || !*edited.Item.Checked || *edited.Item.CheckedAt != *got.CheckedAt || *edited.Item.CheckedBy != w.cast.Ben.ID ||
		*w.get("owner", l.ID).CheckedCount != 1 {
		t.Errorf("after an edit: %+v, %v", edited.Item, err)
	}
	if undone, err := w.check("owner", before, false); err != nil || *undone.Checked || undone.CheckedAt != nil || undone.CheckedBy != nil ||
		*w.get("owner", l.ID).CheckedCount != 0 {
		t.Errorf("undone: %+v, %v", undone, err)
	}
	if undone, err := w.check("owner", before, false); err != nil || *undone.Checked || len(w.events(l.ID)) != events+1 {
		t.Errorf("undone again: %+v, %v", undone, err)
	}
	if kinds := w.events(l.ID); kinds[len(kinds)-1] != "item.updated" {
		t.Errorf("the events are %q", kinds)
	}
	// With an edit it is one change.
	both := list.UpdateItemIn{ListID: l.ID, ItemID: before.ID, Content: core.Some("bee"), Position: core.Some(0), Checked: core.Some(true),
		IfMatch: `"` + w.items(l.ID)[1].UpdatedAt.String() + `"`}
	out, err := w.UpdateItem.Call(context.Background(), w.who["editor"], both)
	if err != nil || !*out.Item.Checked || out.Item.Content != "bee" || out.Item.Position != 0 || len(w.events(l.ID)) != events+2 {
		t.Errorf("got %+v, %v", out.Item, err)
	}
	if _, err := w.UpdateItem.Call(context.Background(), w.who["editor"], both); code(err) != "version_mismatch" {
		t.Errorf("an old version: %v", err)
	}
}

// What is checked off is kept and hidden while the list is not checkable, also when
// items are deleted meanwhile.
func TestNotCheckable(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public, "a", "b", "c")
	items := w.items(l.ID)
	if _, err := w.check("owner", items[0], true); code(err) != "not_checkable" || core.As(err).Field != "checked" {
		t.Errorf("got %v", err)
	}
	w.checkable(l.ID, true)
	for _, i := range items[:2] {
		if _, err := w.check("owner", i, true); err != nil {
			t.Fatal(err)
		}
	}
	off := w.checkable(l.ID, false)
	for _, i := range w.items(l.ID) {
		if i.Checked != nil || i.CheckedAt != nil || i.CheckedBy != nil || i.CheckedByName != nil {
			t.Errorf("got %+v", i)
		}
	}
	if off.CheckedCount != nil || strings.Contains(w.export("anonymous", l.ID, "json")+w.export("anonymous", l.ID, "csv")+w.export("anonymous",
		l.ID, "md"), "check") {
		t.Errorf("got %+v", off)
	}
	if _, err := w.check("owner", items[0], false); code(err) != "not_checkable" {
		t.Errorf("got %v", err)
	}
	if _, err := w.DeleteItem.Call(context.Background(), w.who["owner"], list.DeleteItemIn{ListID: l.ID, ItemID: items[0].ID}); err != nil {
		t.Fatal(err)
	}
	if on := w.checkable(l.ID, true); *on.CheckedCount != 1 || !*w.items(l.ID)[0].Checked || *w.items(l.ID)[1].Checked {
		t.Errorf("got %+v", on)
	}
	if _, err := w.UpdateItem.Call(context.Background(), w.who["owner"],
		list.UpdateItemIn{ListID: l.ID, ItemID: items[1].ID, Checked: core.Opt[bool]{Set: true, Null: true}}); code(err) != "invalid_input" {
		t.Errorf("null: %v", err)
	}
}

// An item is checked off by those who may change it: strangers only add to open
// lists, and check off what they added for a day.
func TestWhoChecksOff(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.PublicEdit, "a")
	w.share(l.ID)
	w.checkable(l.ID, true)
	own, anonymous := w.add("stranger", l.ID, "mine"), w.add("public", l.ID, "found")
	for _, c := range []struct {
		item list.Item
		want string
	}{
		{w.items(l.ID)[0], ". . not_editor not_editor public_key unauthenticated"}, {own, ". . not_editor . public_key unauthenticated"},
		{anonymous, ". . not_editor not_editor public_key unauthenticated"},
	} {
		var got []string
		for _, who := range callers {
			_, err := w.check(who, c.item, true)
			got = append(got, cmp.Or(code(err), "."))
		}
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", c.item.Content, got, want)
		}
	}
	w.db.Clock.Advance(25 * time.Hour)
	if _, err := w.check("stranger", own, false); code(err) != "too_late" {
		t.Errorf("a day later: %v", err)
	}
	in := list.UpdateListIn{ID: l.ID, Checkable: core.Some(false)}
	for who, want := range map[string]string{"viewer": "not_editor", "stranger": "not_editor", "editor": "", "owner": ""} {
		if _, err := w.UpdateList.Call(context.Background(), w.who[who], in); code(err) != want {
			t.Errorf("%s: %v", who, err)
		}
	}
}

// A list that is checkable has the same bytes after an export and an import, in
// every format; tasks in Markdown make a list checkable.
func TestRoundTripChecked(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	in := list.CreateListIn{Title: "Odd", Description: "things", Visibility: list.Public, Checkable: true}
	for _, s := range append(slices.Clone(odd), "[x] not a box", "[ ] nor this") {
		in.Items = append(in.Items, list.NewItem{Content: s})
	}
	made, err := w.CreateList.Call(ctx, w.who["owner"], in)
	if err != nil || !made.List.Checkable {
		t.Fatalf("%+v, %v", made, err)
	}
	for n, i := range w.items(made.List.ID) {
		if n%2 == 1 {
			if _, err := w.check("owner", i, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, format := range []string{"json", "csv", "md"} {
		first := w.export("anonymous", made.List.ID, format)
		got, err := w.ImportList.Call(ctx, w.who["editor"], list.ImportIn{Format: format, Data: []byte(first), Title: in.Title,
			Visibility: list.Public})
		if err != nil {
			t.Errorf("%s: %v\n%s", format, err, first)
			continue
		}
		if again := w.export("editor", got.List.ID, format); again != first {
			t.Errorf("%s: exported\n%s\nand after the import\n%s", format, first, again)
		}
		i := w.items(got.List.ID)[1]
		if !got.List.Checkable || *got.List.CheckedCount != len(in.Items)/2 || *i.CheckedBy != w.cast.Ben.ID || *i.CheckedAt != i.CreatedAt {
			t.Errorf("%s: %+v %+v", format, got.List, i)
		}
	}
	for data, want := range map[string]string{
		"- [ ] a\n- [X] b\n  * [x] c\n- d":       "a b! c! d", // an entry without a box can be checked off, too
		"1. [x](https://a.example/)\n2. [ ]text": "- x [ ]text",
		"- [y] a":                                "- [y] a",
	} {
		plan, err := w.PlanImport.Call(ctx, w.who["owner"], list.ImportIn{Format: "md", Data: []byte(data)})
		got := map[bool]string{false: "- "}[plan.Checkable]
		for _, i := range plan.Items {
			got += i.Content + map[bool]string{true: "!"}[i.Checked] + " "
		}
		if err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%q: %q, %v", data, got, err)
		}
	}
	plan, err := w.PlanImport.Call(ctx, w.who["owner"], list.ImportIn{Format: "csv",
		Data: []byte("Checked,content\nYES,a\n,b\nx,c\nno,d\n1,e")})
	got := ""
	for _, i := range plan.Items {
		got += map[bool]string{true: "x", false: "-"}[i.Checked]
	}
	if err != nil || !plan.Checkable || got != "x-x-x" {
		t.Errorf("%+v, %q, %v", plan, got, err)
	}
}

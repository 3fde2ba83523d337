package list_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

func TestUpdateList(t *testing.T) {
	w := newWorld(t)
	ctx, ada := context.Background(), w.who["owner"]
	l := w.list(list.Private)
	for _, c := range []struct{ body, want string }{
		{`{"title":"Soups & more","description":"Warm"}`, "Soups & more|Warm|private|soups-more"},
		{`{"description":null}`, "Soups & more||private|soups-more"},
		{`{}`, "Soups & more||private|soups-more"},
		{`{"visibility":"public"}`, "Soups & more||public|soups-more"},
		{`{"title":null}`, "invalid_input"},
		{`{"title":""}`, "invalid_input"},
		{`{"visibility":null}`, "invalid_input"},
		{`{"visibility":"open"}`, "invalid_input"},
	} {
		var in list.UpdateListIn
		if err := json.Unmarshal([]byte(c.body), &in); err != nil {
			t.Fatal(err)
		}
		in.ID = l.ID
		out, err := w.UpdateList.Call(ctx, ada, in)
		got := code(err)
		if err == nil {
			got = strings.Join([]string{out.List.Title, out.List.Description, out.List.Visibility, out.List.Slug}, "|")
			stored, err := w.GetList.Call(ctx, ada, list.GetListIn{ID: l.ID})
			if err != nil || stored.List.Title != out.List.Title || stored.List.UpdatedAt != out.List.UpdatedAt {
				t.Errorf("%s: answered %+v, stored %+v (%v)", c.body, out.List, stored.List, err)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s (%v)", c.body, got, c.want, err)
		}
	}
	if got, want := w.events(l.ID), []string{"list.updated", "list.updated", "list.updated"}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

// A change of an item is a change of its list, which comes first then.
func TestNewestChangeFirst(t *testing.T) {
	w := newWorld(t)
	ctx, ada := context.Background(), w.who["owner"]
	a, b := w.list(list.Public, "x"), w.list(list.Public, "y")
	first := func() string {
		out, err := w.Lists.Call(ctx, w.who["anonymous"], list.ListsIn{Public: true, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return out.Lists[0].ID
	}
	item := w.items(a.ID)[0]
	for i, do := range []func() error{
		func() error { w.add("owner", a.ID, "z"); return nil },
		func() error {
			_, err := w.UpdateItem.Call(ctx, ada, list.UpdateItemIn{ListID: a.ID, ItemID: item.ID, Content: core.Some("n")})
			return err
		},
		func() error {
			_, err := w.UpdateItem.Call(ctx, ada, list.UpdateItemIn{ListID: a.ID, ItemID: item.ID, Position: core.Some(1)})
			return err
		},
		func() error {
			_, err := w.DeleteItem.Call(ctx, ada, list.DeleteItemIn{ListID: a.ID, ItemID: item.ID})
			return err
		},
	} {
		w.add("owner", b.ID, "up")
		if first() != b.ID {
			t.Fatal("the list just added to is not the first")
		}
		w.db.Clock.Advance(time.Second)
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if first() != a.ID {
			t.Errorf("change %d does not move its list to the top", i)
		}
	}
}

func TestDeleteList(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public, "x", "y")
	w.share(l.ID)
	items := w.items(l.ID)
	if _, err := w.DeleteList.Call(context.Background(), w.who["owner"], list.DeleteListIn{ID: l.ID}); err != nil {
		t.Fatal(err)
	}
	for _, act := range []string{"get", "items", "item", "watch", "add", "edit", "delete"} {
		if err := w.act(act, w.who["owner"], l, items); code(err) != "not_found" {
			t.Errorf("%s: %v", act, err)
		}
	}
	if got := w.events(l.ID); got[len(got)-1] != "list.deleted" {
		t.Errorf("events %v", got)
	}
}

func TestMembers(t *testing.T) {
	w := newWorld(t)
	ctx, ada := context.Background(), w.who["owner"]
	l := w.list(list.Private)
	put := func(by, user, role string) string {
		_, err := w.PutMember.Call(ctx, w.who[by], list.PutMemberIn{ListID: l.ID, UserID: user, Role: role})
		return code(err)
	}
	var hidden store.User
	err := w.db.Write(ctx, func(tx *store.Tx) (err error) {
		hidden, err = tx.InsertUser(store.User{Email: "h@example.org", Name: "Hidden", DiscoveryMode: "hidden", SignupProvider: "magic-link"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{
		put("owner", w.cast.Ben.ID, "viewer"), put("owner", w.cast.Ben.ID, "editor"), put("owner", w.cast.Ben.ID, "editor"),
		put("owner", w.cast.Ada.ID, "editor"), put("owner", hidden.ID, "viewer"), put("owner", store.NewID(), "viewer"),
		put("owner", w.cast.Cleo.ID, "owner"), put("owner", w.cast.Cleo.ID, "viewer"),
	}
	if want := []string{"", "", "", "invalid_input", "not_found", "not_found", "invalid_input", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	members, err := w.Members.Call(ctx, ada, list.GetListIn{ID: l.ID})
	if err != nil || len(members.Members) != 2 || members.Members[0].Name != "Ben" || members.Members[0].Role != "editor" ||
		members.Members[1].Role != "viewer" {
		t.Errorf("got %+v, %v", members, err)
	}
	leave := list.DeleteMemberIn{ListID: l.ID, UserID: w.cast.Cleo.ID}
	for _, want := range []string{"", "not_found"} {
		if _, err := w.DeleteMember.Call(ctx, w.who["viewer"], leave); code(err) != want {
			t.Errorf("leaving: %v, want %q", err, want)
		}
	}
	if _, err := w.CheckList.Call(ctx, w.who["viewer"], list.GetListIn{ID: l.ID}); code(err) != "not_found" {
		t.Errorf("after leaving: %v", err)
	}
	if got, want := w.events(l.ID), []string{"list.shared", "list.shared", "list.shared", "list.shared"}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

// A list is shared with 200 people and no more, and those can be given other roles.
func TestMembersAreLimited(t *testing.T) {
	w := newWorld(t)
	ctx, ada := t.Context(), w.who["owner"]
	l := w.list(list.Private)
	err := w.db.Write(ctx, func(tx *store.Tx) error {
		for n := range 199 {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("m%d@example.org", n), Name: fmt.Sprint("M", n), SignupProvider: "magic-link"})
			if err == nil {
				err = tx.PutListMember(l.ID, u.ID, "viewer")
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	put := func(u store.User, role string) error {
		_, err := w.PutMember.Call(ctx, ada, list.PutMemberIn{ListID: l.ID, UserID: u.ID, Role: role})
		return err
	}
	if err := put(w.cast.Ben, "viewer"); err != nil {
		t.Error(err)
	}
	if err := put(w.cast.Cleo, "viewer"); code(err) != "too_many_members" || core.As(err).Kind != core.Conflict ||
		!strings.Contains(err.Error(), "200 people") {
		t.Errorf("member 201: %v", err)
	}
	if err := put(w.cast.Ben, "editor"); err != nil {
		t.Errorf("another role: %v", err)
	}
	if out, err := w.Members.Call(ctx, ada, list.GetListIn{ID: l.ID}); err != nil || len(out.Members) != 200 {
		t.Errorf("%d members, %v", len(out.Members), err)
	}
	if _, err := w.DeleteMember.Call(ctx, ada, list.DeleteMemberIn{ListID: l.ID, UserID: w.cast.Ben.ID}); err != nil {
		t.Error(err)
	}
	if err := put(w.cast.Cleo, "viewer"); err != nil {
		t.Errorf("in place of another: %v", err)
	}
}

func TestRenderEvents(t *testing.T) {
	got := map[string]string{}
	for _, e := range list.Events() {
		if e.Render == nil {
			continue
		}
		data, err := e.JSON(nil, store.Viewer{}, store.Event{Topic: "L", Kind: e.Kind, ObjectID: "I"})
		if err != nil {
			t.Fatal(err)
		}
		got[string(e.Kind)] = e.ClientName() + " " + string(data)
	}
	want := map[string]string{
		"list.updated":     `change {"table":"lists","op":"update","listId":"L","itemId":null}`,
		"list.deleted":     `change {"table":"lists","op":"delete","listId":"L","itemId":null}`,
		"item.commented":   `change {"table":"comments","op":"insert","listId":"L","itemId":"I"}`,
		"item.uncommented": `change {"table":"comments","op":"delete","listId":"L","itemId":"I"}`,
		"item.starred":     `change {"table":"stars","op":"insert","listId":"L","itemId":"I"}`,
		"item.unstarred":   `change {"table":"stars","op":"delete","listId":"L","itemId":"I"}`,
		"item.created":     `change {"table":"items","op":"insert","listId":"L","itemId":"I"}`,
		"item.updated":     `change {"table":"items","op":"update","listId":"L","itemId":"I"}`,
		"item.deleted":     `change {"table":"items","op":"delete","listId":"L","itemId":"I"}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Only those with a role in a list are shown by name to others who watch it.
func TestWatcher(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public)
	w.share(l.ID)
	for who, want := range map[string]bool{"owner": true, "editor": true, "viewer": true, "stranger": false, "public": false,
		"anonymous": false} {
		got, err := w.Watcher(context.Background(), w.who[who], l.ID)
		if got.Known != want || !got.Visible || err != nil || got.Known == (got.Name == "") {
			t.Errorf("%s: %+v, %v", who, got, err)
		}
	}
}

// One query answers for every visibility, role and list at once, as each of
// them is answered alone.
func TestWatchersOfManyLists(t *testing.T) {
	w := newWorld(t)
	var ws []list.Watcher
	var want []bool
	for _, visibility := range []string{list.Public, list.PublicEdit, list.Unlisted, list.Private} {
		l := w.list(visibility)
		w.share(l.ID)
		for _, who := range []string{"owner", "editor", "viewer", "stranger", "anonymous"} {
			ws = append(ws, list.Watcher{ListID: l.ID, UserID: w.who[who].UserID})
			_, err := w.CheckList.Call(t.Context(), w.who[who], list.GetListIn{ID: l.ID})
			want = append(want, err == nil)
		}
	}
	ws, want = append(ws, list.Watcher{ListID: store.NewID(), UserID: w.who["owner"].UserID}), append(want, false)
	if err := w.db.Read(t.Context(), func(r *store.Reader) error { return list.Watchers(r, ws) }); err != nil {
		t.Fatal(err)
	}
	for i := range ws {
		if ws[i].Visible != want[i] || ws[i].Known && !ws[i].Visible {
			t.Errorf("%d: %+v, want visible: %v", i, ws[i], want[i])
		}
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Soups for rainy days":                 "soups-for-rainy-days",
		"  Crème brûlée, ça va?":               "creme-brulee-ca-va",
		"Straße & Ærø":                         "strasse-aero",
		"Łódź’s best":                          "lodzs-best",
		"İstanbul ışık":                        "istanbul-isik",
		"Ｆｕｌｌ ｗｉｄｔｈ ２":                         "full-width-2",
		"0 Tage, 9 Nächte, azAZ":               "0-tage-9-nachte-azaz",
		"日本の本":                                 "list",
		"🔥":                                    "list",
		"":                                     "list",
		"東京 ramen 2026":                        "ramen-2026",
		strings.Repeat("a", 99):                strings.Repeat("a", 60),
		strings.Repeat("word ", 30):            strings.TrimSuffix(strings.Repeat("word-", 12), "-"),
		strings.Repeat("word ", 11) + "words":  strings.Repeat("word-", 11) + "words",
		strings.Repeat("word ", 11) + "sixsix": strings.TrimSuffix(strings.Repeat("word-", 11), "-"),
	} {
		if got := list.Slug(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

package list_test

import (
	"context"
	"strings"
	"testing"

	"hearth/app/list"
)

// Several items are added in order, each with its event, by those who may add
// one and have an account.
func TestAddItems(t *testing.T) {
	w := newWorld(t)
	open := w.list(list.PublicEdit, "first")
	closed := w.list(list.Public)
	two := []list.NewItem{{Content: "second"}, {Content: "third", Link: "https://third.example/"}}
	out, err := w.AddItems.Call(context.Background(), w.who["stranger"], list.AddItemsIn{ListID: open.ID, Items: two})
	if err != nil || len(out.Items) != 2 || out.Items[0].Position != 1 || out.Items[1].Position != 2 ||
		*out.Items[0].AuthorID != w.cast.Stranger.ID {
		t.Fatalf("%v %+v", err, out.Items)
	}
	var got []string
	for _, i := range w.items(open.ID) {
		got = append(got, i.Content)
	}
	if strings.Join(got, ",") != "first,second,third" {
		t.Errorf("the list has %v", got)
	}
	before := w.state(closed.ID)
	for who, want := range map[string]string{"stranger": "list_closed", "public": "public_key", "anonymous": "unauthenticated"} {
		if _, err := w.AddItems.Call(context.Background(), w.who[who], list.AddItemsIn{ListID: closed.ID, Items: two}); code(err) != want {
			t.Errorf("%s: %v, want %s", who, err, want)
		}
	}
	if w.state(closed.ID) != before {
		t.Error("a refused call changed the list")
	}
}

// The list of an item is known to those who see it.
func TestListOf(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Private, "hidden")
	item := w.items(l.ID)[0].ID
	if id, err := w.ListOf(context.Background(), w.who["owner"], item); err != nil || id != l.ID {
		t.Errorf("%q, %v", id, err)
	}
	for _, who := range []string{"stranger", "anonymous", "public"} {
		if id, err := w.ListOf(context.Background(), w.who[who], item); code(err) != "not_found" || id != "" {
			t.Errorf("%s: %q, %v", who, id, err)
		}
	}
}

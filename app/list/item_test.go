package list_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// Random adding, moving and deleting against a plain slice.
func TestPositionsAgainstModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, ada := context.Background(), w.who["owner"]
	rnd := rand.New(rand.NewPCG(1, 2))
	l := w.list(list.Private)
	other := w.list(list.Private, "a", "b", "c")
	var model []string // ids in order
	for step := range 400 {
		var err error
		switch n := len(model); {
		case n == 0 || rnd.IntN(3) == 0 && n < 60:
			model = append(model, w.add("owner", l.ID, fmt.Sprint(step)).ID)
		case rnd.IntN(3) == 0:
			i := rnd.IntN(n)
			_, err = w.DeleteItem.Call(ctx, ada, list.DeleteItemIn{ListID: l.ID, ItemID: model[i]})
			model = slices.Delete(model, i, i+1)
		default:
			from, to := rnd.IntN(n), rnd.IntN(n)
			id := model[from]
			var out list.ItemOut
			out, err = w.UpdateItem.Call(ctx, ada, list.UpdateItemIn{ListID: l.ID, ItemID: id, Position: core.Some(to)})
			model = slices.Insert(slices.Delete(model, from, from+1), to, id)
			if out.Item.Position != to {
				t.Fatalf("step %d: moved to %d, is at %d", step, to, out.Item.Position)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, item := range w.items(l.ID) {
			if got = append(got, item.ID); item.Position != i {
				t.Fatalf("step %d: item %d has position %d", step, i, item.Position)
			}
		}
		if !slices.Equal(got, model) {
			t.Fatalf("step %d: got %v, want %v", step, got, model)
		}
	}
	if got := w.items(other.ID); len(got) != 3 || got[2].Position != 2 {
		t.Errorf("another list changed along: %v", got)
	}
}

func TestItemPages(t *testing.T) {
	w := newWorld(t)
	var words []string
	for i := range 7 {
		words = append(words, fmt.Sprint("w", i))
	}
	l := w.list(list.Private, words...)
	for _, c := range []struct {
		limit, offset int
		want          string
	}{{3, 0, "w0 w1 w2"}, {3, 6, "w6"}, {3, 7, ""}, {500, 2, "w2 w3 w4 w5 w6"}, {0, 5, "w5 w6"}} {
		out, err := w.Items.Call(context.Background(), w.who["owner"], list.ItemsIn{ListID: l.ID, Limit: c.limit, Offset: c.offset})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range out.Items {
			got = append(got, i.Content)
		}
		if strings.Join(got, " ") != c.want || out.Total != 7 {
			t.Errorf("limit %d, offset %d: %q of %d, want %q of 7", c.limit, c.offset, got, out.Total, c.want)
		}
	}
	if _, err := w.Items.Call(context.Background(), w.who["owner"], list.ItemsIn{ListID: l.ID, Limit: -1}); code(err) != "invalid_input" {
		t.Errorf("limit -1: %v", err)
	}
}

func TestCreateIsAllOrNothing(t *testing.T) {
	w := newWorld(t)
	item := func(n int, content string) []list.NewItem {
		return slices.Repeat([]list.NewItem{{Content: content}}, n)
	}
	for name, in := range map[string]list.CreateListIn{
		"blank title":    {Title: " \n "},
		"long title":     {Title: strings.Repeat("é", 201)},
		"no such sight":  {Title: "x", Visibility: "secret"},
		"101 items":      {Title: "x", Items: item(101, "y")},
		"blank item":     {Title: "x", Items: append(item(3, "y"), list.NewItem{Content: "  "})},
		"long item":      {Title: "x", Items: item(1, strings.Repeat("y", 2001))},
		"bad link":       {Title: "x", Items: []list.NewItem{{Content: "y", Link: "javascript:alert(1)"}}},
		"metadata array": {Title: "x", Items: []list.NewItem{{Content: "y", Metadata: jsontext.Value(`[1]`)}}},
		"metadata twice": {Title: "x", Items: []list.NewItem{{Content: "y", Metadata: jsontext.Value(`{"a":1,"a":2}`)}}},
	} {
		if _, err := w.CreateList.Call(context.Background(), w.who["owner"], in); code(err) != "invalid_input" {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := list.CreateListIn{Title: " Öl &\nEssig ", Items: append(item(99, "y"),
		list.NewItem{Content: "z", Link: "https://example.org/", Metadata: jsontext.Value("{ \"n\": 1.50,\n\"m\": [] }")})}
	out, err := w.CreateList.Call(context.Background(), w.who["owner"], in)
	if err != nil {
		t.Fatal(err)
	}
	if l := out.List; l.Title != "Öl & Essig" || l.Slug != "ol-essig" || l.Visibility != list.Private || l.ItemCount != 100 ||
		l.OwnerName != "Ada" {
		t.Errorf("got %+v", l)
	}
	last := w.items(out.List.ID)[99]
	if last.Content != "z" || string(last.Metadata) != `{"n":1.50,"m":[]}` || last.SourceURL == nil ||
		*last.SourceURL != "https://example.org/" {
		t.Errorf("got %+v", last)
	}
	lists, err := w.Lists.Call(context.Background(), w.who["owner"], list.ListsIn{Mine: true})
	if err != nil || lists.Total != 1 {
		t.Errorf("%d lists were made (%v)", lists.Total, err)
	}
}

func TestAnonymousItems(t *testing.T) {
	w := newWorld(t)
	ctx, public := context.Background(), w.who["public"]
	open, other := w.list(list.PublicEdit), w.list(list.PublicEdit)
	add := func(id, ip, reporter string) (list.Item, error) {
		public.IP = ip
		out, err := w.AddItem.Call(ctx, public, list.AddItemIn{ListID: id, NewItem: list.NewItem{Content: "found"}, Reporter: reporter})
		return out.Item, err
	}
	for _, reporter := range []string{"", "  ", strings.Repeat("r", 201)} {
		if _, err := add(open.ID, "192.0.2.1", reporter); code(err) != "invalid_input" || core.As(err).Field != "reporter" {
			t.Errorf("reporter %q: %v", reporter, err)
		}
	}
	i, err := add(open.ID, "192.0.2.1", " soup\nscout ")
	if err != nil {
		t.Fatal(err)
	}
	if i.AuthorID != nil || i.AuthorName != "Anonymous (soup scout)" || i.SourceNote == nil || *i.SourceNote != "soup scout" {
		t.Errorf("got %+v", i)
	}
	for n := 1; n < 60; n++ {
		if _, err := add(open.ID, "192.0.2.1", "r"); err != nil {
			t.Fatalf("item %d: %v", n, err)
		}
	}
	_, err = add(open.ID, "192.0.2.1", "r")
	if e := core.As(err); e.Kind != core.TooMany || e.RetryAfter <= 0 || e.RetryAfter > time.Hour {
		t.Errorf("item 61: %v", err)
	}
	for _, free := range []struct{ id, ip string }{{other.ID, "192.0.2.1"}, {open.ID, "192.0.2.2"}, {open.ID, "2001:db8::1"}} {
		if _, err := add(free.id, free.ip, "r"); err != nil {
			t.Errorf("%+v: %v", free, err)
		}
	}
	w.db.Clock.Advance(time.Hour + time.Second)
	if _, err := add(open.ID, "192.0.2.1", "r"); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

// An item is moved to its position in the list as it is when the move is written, also
// if others were moved after the place was looked for.
func TestMoveAmongOthers(t *testing.T) {
	w := newWorld(t)
	by, l := w.who["owner"], w.list(list.Private, "a", "b", "c", "d")
	items := w.items(l.ID)
	var moved list.ItemOut
	var err error
	var begin sync.Once
	done := make(chan struct{})
	failed := w.db.Write(t.Context(), func(tx *store.Tx) error {
		begin.Do(func() {
			go func() {
				defer close(done)
				moved, err = w.UpdateItem.Call(context.Background(), by, list.UpdateItemIn{ListID: l.ID, ItemID: items[2].ID, Position: core.Some(1)})
			}()
		})
		for end := time.Now().Add(10 * time.Second); w.db.Queued() == 0 && time.Now().Before(end); {
			runtime.Gosched()
		}
		now, err := tx.List(by, l.ID)
		if err != nil {
			return err
		}
		last, err := tx.Item(by, l.ID, items[3].ID)
		if err != nil {
			return err
		}
		top, err := tx.Place(by, now, last.ID, 0)
		if err != nil {
			return err
		}
		return tx.MoveItem(last, top)
	})
	<-done
	if failed != nil || err != nil || moved.Item.Position != 1 {
		t.Fatalf("%v, %v, %+v", failed, err, moved.Item)
	}
	got := ""
	for _, i := range w.items(l.ID) {
		got += i.Content
	}
	if got != "dcab" {
		t.Errorf("the order is %q", got)
	}
}

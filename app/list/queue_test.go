package list_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// 500 items of a list wait and no more. The first hundred are shown, with the
// positions that they would get.
func TestQueueIsBounded(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	l := w.list(list.PublicEdit, "one", "two")
	if _, err := w.UpdateList.Call(ctx, w.who["owner"], list.UpdateListIn{ID: l.ID, Moderated: core.Some(true)}); err != nil {
		t.Fatal(err)
	}
	hold := func(contents ...string) {
		t.Helper()
		w.db.Clock.Advance(time.Second)
		err := w.db.Write(ctx, func(tx *store.Tx) error {
			for _, c := range contents {
				if _, err := tx.HoldItem(store.Item{ListID: l.ID, Content: c, Anonymous: true, SourceNote: "scout"}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range 9 {
		hold(fmt.Sprint(n))
	}
	hold(slices.Repeat([]string{"x"}, 490)...)
	in := list.AddItemIn{ListID: l.ID, NewItem: list.NewItem{Content: "last"}, Reporter: "scout"}
	out, err := w.AddItem.Call(ctx, w.who["public"], in)
	if err != nil || !out.Held || out.Item.Position != 2 {
		t.Errorf("got %+v, %v", out, err)
	}
	if _, err := w.AddItem.Call(ctx, w.who["public"], in); code(err) != "queue_full" {
		t.Errorf("got %v", err)
	}
	queue, err := w.Queue.Call(ctx, w.who["editor"], list.GetListIn{ID: l.ID})
	if code(err) != "not_editor" || len(queue.Items) > 0 {
		t.Errorf("to who does not edit it: %+v, %v", queue, err)
	}
	queue, err = w.Queue.Call(ctx, w.who["owner"], list.GetListIn{ID: l.ID})
	if err != nil || queue.Total != 500 || len(queue.Items) != 100 {
		t.Fatalf("%d of %d items, %v", len(queue.Items), queue.Total, err)
	}
	for n, i := range queue.Items {
		if n < 9 && i.Content != fmt.Sprint(n) || i.Position != 2+n {
			t.Errorf("item %d is %q with the position %d", n, i.Content, i.Position)
		}
	}
}

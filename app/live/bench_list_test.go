package live_test

import (
	"context"
	"fmt"
	"testing"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

// BenchmarkListChange1 and 1000 change who a private list is shared with, while 1 or
// 1000 accounts watch it. They report the time from the write, its commit included,
// until all rights are checked and the next event is rendered. They also report how
// many queries the check took.
func BenchmarkListChange1(b *testing.B) { listChange(b, 1) }

// BenchmarkListChange1000 takes a single query, too.
func BenchmarkListChange1000(b *testing.B) { listChange(b, 1000) }

func listChange(b *testing.B, accounts int) {
	w := newWorld(b, func(c *live.Config) {
		watchers, checks := list.Watchers, c.Watchers
		c.Watchers = func(r *store.Reader, ws []list.Watcher) error {
			if err := checks(r, ws); err != nil { // counts
				return err
			}
			return watchers(r, ws)
		}
	})
	id, users := w.sharedList(b, accounts)
	for _, u := range users {
		sub, err := w.hub.Subscribe(context.Background(), store.Viewer{Kind: store.Human, UserID: u}, core.ToList, id)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(sub.Close)
	}
	const probe = "probe"
	sub, err := w.hub.Subscribe(context.Background(), store.Viewer{Kind: store.Human, UserID: probe}, core.ToUser, "")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(sub.Close)
	rendered := make(chan struct{})
	w.set(func() {
		w.rendered = func(*store.Reader, store.Event) string {
			rendered <- struct{}{}
			return ""
		}
	})
	w.checks.Store(0)
	b.ResetTimer()
	for b.Loop() {
		w.emitAll(b, store.Event{Topic: id, Kind: "list.shared"}, store.Event{Topic: probe, Kind: "friend.updated", ObjectID: "deleted"})
		<-rendered
	}
	b.ReportMetric(float64(w.checks.Load())/float64(b.N), "queries/change")
}

// sharedList makes a private list and the accounts that it is shared with.
func (w *world) sharedList(b *testing.B, accounts int) (id string, users []string) {
	owner := storetest.People(b, w.db).Ada
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		l, err := tx.InsertList(store.List{OwnerID: owner.ID, Title: "Shared", Visibility: list.Private, Slug: "shared"})
		if err != nil {
			return err
		}
		id, users = l.ID, nil
		for i := range accounts {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("u%d@example.org", i), Name: fmt.Sprint("User ", i), VerifiedAt: tx.Now})
			if err != nil {
				return err
			}
			if err := tx.PutListMember(id, u.ID, "viewer"); err != nil {
				return err
			}
			users = append(users, u.ID)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return id, users
}

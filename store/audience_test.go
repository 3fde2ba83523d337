package store_test

import (
	"context"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// The inverse query answers for many what List answers for one.
func TestListWatchers(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	everybody := []string{cast.Ada.ID, cast.Ben.ID, cast.Cleo.ID, cast.Stranger.ID, "", store.NewID()}
	for visibility, want := range map[string]int{"private": 2, "unlisted": 5, "public": 6, "public-edit": 6} {
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			l, err := tx.InsertList(store.List{OwnerID: cast.Ada.ID, Title: "x", Visibility: visibility, Slug: "x"})
			if err == nil {
				err = tx.PutListMember(l.ID, cast.Ben.ID, "viewer")
			}
			if err != nil {
				return err
			}
			got, err := watching(&tx.Reader, l.ID, everybody)
			if len(got) != want {
				t.Errorf("%s: %d viewers, want %d", visibility, len(got), want)
			}
			for _, id := range everybody {
				_, err := tx.List(store.Viewer{UserID: id}, l.ID)
				if (err == nil) != slices.Contains(got, id) {
					t.Errorf("%s: the two answers differ for %q: %v", visibility, id, err)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := db.Read(context.Background(), func(r *store.Reader) error {
		got, err := watching(r, store.NewID(), everybody)
		if len(got) != 0 {
			t.Errorf("a list that is not there is seen by %q", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Events are read by those who may see what they belong to, whatever else they
// may see.
func TestVisibleEvents(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	ada, ben, cleo := storetest.Human(cast.Ada), storetest.Human(cast.Ben), storetest.Human(cast.Cleo)
	err := db.Write(context.Background(), func(tx *store.Tx) error {
		lists := map[string]string{}
		for _, visibility := range []string{"private", "unlisted", "public"} {
			l, err := tx.InsertList(store.List{OwnerID: cast.Ada.ID, Title: "x", Visibility: visibility, Slug: "x"})
			if err == nil {
				err = tx.Emit(store.Event{Topic: l.ID, Kind: "list.updated", ObjectID: l.ID})
			}
			if err != nil {
				return err
			}
			lists[visibility] = l.ID
		}
		conversation, err := tx.InsertGroup(cast.Ada.ID, []string{cast.Ben.ID}, "")
		if err != nil {
			return err
		}
		if err := tx.Emit(store.Event{Topic: conversation, Kind: "conversation.updated", ObjectID: conversation}); err != nil {
			return err
		}
		for _, c := range []struct {
			by                               store.Viewer
			private, unlisted, public, their int
		}{{ada, 1, 1, 1, 1}, {ben, 0, 1, 1, 1}, {cleo, 0, 1, 1, 0}, {store.Viewer{}, 0, 0, 1, 0}} {
			for visibility, want := range map[string]int{"private": c.private, "unlisted": c.unlisted, "public": c.public} {
				got, err := tx.ListEvents(c.by, lists[visibility], 0, 1<<60, 10)
				if len(got) != want || err != nil {
					t.Errorf("%q reads %d events of a %s list, want %d, %v", c.by.UserID, len(got), visibility, want, err)
				}
			}
			got, err := tx.UserEvents(c.by, 0, 1<<60, 10)
			if len(got) != c.their || err != nil {
				t.Errorf("%q reads %d events of their own, want %d, %v", c.by.UserID, len(got), c.their, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// watching returns which of the viewers may watch a list.
func watching(r *store.Reader, listID string, viewers []string) (ids []string, err error) {
	ws := make([]store.ListWatcher, len(viewers))
	for i, id := range viewers {
		ws[i] = store.ListWatcher{ListID: listID, UserID: id}
	}
	found, err := r.ListWatchers(ws)
	for _, w := range found {
		ids = append(ids, w.UserID)
	}
	return ids, err
}

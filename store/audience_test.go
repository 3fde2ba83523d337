package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// The inverse query answers for many what List answers for one.
func TestListViewers(t *testing.T) {
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
			got, err := tx.ListViewers(l.ID, everybody)
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
		got, err := r.ListViewers(store.NewID(), everybody)
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

// Sessions and keys are invalid once expired, revoked, of an earlier epoch or
// of a suspended account.
func TestValidCredentials(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	var sessions, keys []string
	write := func(f func(tx *store.Tx) error) {
		t.Helper()
		if err := db.Write(context.Background(), f); err != nil {
			t.Fatal(err)
		}
	}
	valid := func(wantSessions, wantKeys int) {
		t.Helper()
		err := db.Read(context.Background(), func(r *store.Reader) error {
			s, err := r.ValidSessions(append(sessions, store.NewID()))
			if len(s) != wantSessions || err != nil {
				t.Errorf("%d sessions are valid, want %d, %v", len(s), wantSessions, err)
			}
			k, err := r.ValidKeys(append(keys, store.NewID()))
			if len(k) != wantKeys {
				t.Errorf("%d keys are valid, want %d", len(k), wantKeys)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	write(func(tx *store.Tx) error {
		sessions, keys = nil, nil
		for i, u := range []store.User{cast.Ada, cast.Ada, cast.Ben, cast.Cleo} {
			s, err := tx.InsertSession(store.Session{UserID: u.ID, Kind: "token", Epoch: 1, ExpiresAt: tx.Now.Add(time.Duration(i+1) * time.Hour)})
			if err != nil {
				return err
			}
			k, err := tx.InsertKey(store.Key{UserID: u.ID, Kind: "agent", Name: "k", Prefix: "p", Hash: s.ID, CanRead: true, ExpiresAt: store.Time(i) * tx.Now.Add(time.Hour)})
			if err != nil {
				return err
			}
			sessions, keys = append(sessions, s.ID), append(keys, k.ID)
		}
		return nil
	})
	valid(4, 4)
	db.Clock.Advance(time.Hour + time.Minute)
	valid(3, 3)
	write(func(tx *store.Tx) error {
		if err := tx.RevokeKey(keys[0]); err != nil {
			return err
		}
		return tx.DeleteSession(sessions[1])
	})
	valid(2, 2)
	write(func(tx *store.Tx) error {
		ben, err := tx.User(cast.Ben.ID)
		if err != nil {
			return err
		}
		ben.Epoch++
		cleo, err := tx.User(cast.Cleo.ID)
		if err != nil {
			return err
		}
		if _, err := tx.UpdateUser(ben); err != nil {
			return err
		}
		cleo.SuspendedAt = tx.Now
		_, err = tx.UpdateUser(cleo)
		return err
	})
	valid(0, 1)
}

// MessagesByID returns what Message does, for many.
func TestMessagesByID(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	ada, ben := storetest.Human(cast.Ada), storetest.Human(cast.Ben)
	var ids []string
	err := db.Write(context.Background(), func(tx *store.Tx) error {
		ids = nil
		for _, others := range [][]string{{cast.Ben.ID}, {cast.Cleo.ID}} {
			id, err := tx.InsertGroup(cast.Ada.ID, others, "")
			if err != nil {
				return err
			}
			tx.Now = tx.Tick()
			m := store.Message{ConversationID: id, SenderID: cast.Ada.ID, Content: "x"}
			if _, err := tx.Send(&m, nil); err != nil {
				return err
			}
			ids = append(ids, m.ID)
		}
		for by, want := range map[store.Viewer]int{ada: 2, ben: 1, storetest.Human(cast.Stranger): 0, {}: 0} {
			got, err := tx.MessagesByID(by, append(ids, store.NewID())...)
			if err != nil || len(got) != want {
				t.Errorf("%d messages, want %d, %v", len(got), want, err)
			}
		}
		got, err := tx.MessagesByID(ben, ids...)
		if len(got) == 1 {
			if one, err := tx.Message(ben, ids[0]); got[0] != one || err != nil {
				t.Errorf("got %+v, want %+v, %v", got[0], one, err)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

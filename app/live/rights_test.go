package live_test

import (
	"fmt"
	"testing"
	"time"

	"hearth/app/live"
	"hearth/store"
	"hearth/store/storetest"
)

func TestRevokedCredentialEndsStreams(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	conv := w.group(t, p.Ada, p.Ben)
	session, key := w.connect(t, as(p.Ada), ""), w.connect(t, as(p.Ada)+"&key=k1", "")
	list, ben := w.connect(t, as(p.Ada)+"&key=k1&list=l1", ""), w.connect(t, as(p.Ben), "")
	list.expect("presence", "viewers")
	w.set(func() { w.revoked["k1"] = true })
	// Both in one commit: the message must not reach the revoked key.
	err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.Emit(store.Event{Topic: conv, Kind: "message.created", ObjectID: "m1"}); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: p.Ada.ID, Kind: authChanged})
	})
	if err != nil {
		t.Fatal(err)
	}
	key.ended()
	list.ended()
	session.expect("message.created", "m1")
	ben.expect("message.created", "m1")
	if _, status := w.try(t, as(p.Ada)+"&key=k1", ""); status != 401 {
		t.Errorf("a revoked key subscribes: status %d", status)
	}
}

func TestHidingAListEndsStrangersStreams(t *testing.T) {
	w := newWorld(t, nil)
	p := storetest.People(t, w.db)
	stranger, ada := w.connect(t, "list=l1", ""), w.connect(t, as(p.Ada)+"&list=l1", "")
	elsewhere := w.connect(t, "list=l2", "")
	stranger.expect("presence", "viewers")
	elsewhere.expect("presence", "viewers")
	w.set(func() { w.private["l1"] = true })
	w.emit(t, store.Event{Topic: "l1", Kind: "list.updated"}, "l1")
	w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "secret")
	w.emit(t, store.Event{Topic: "l2", Kind: "item.created"}, "i2")
	for e := stranger.next(); e != (sse{}); e = stranger.next() {
		if e.name != "presence" {
			t.Errorf("a stranger received %+v", e)
		}
	}
	for e := ada.next(); e.name != "item.created"; e = ada.next() {
		if e == (sse{}) {
			t.Fatal("the owner's stream ended, too")
		}
	}
	elsewhere.expect("item.created", "i2")
	if _, status := w.try(t, "list=l1", ""); status != 404 {
		t.Errorf("status %d", status)
	}
}

func TestDeletedListEndsStreams(t *testing.T) {
	w := newWorld(t, nil)
	for range 20 {
		c := w.connect(t, "list=l1", "")
		w.emit(t, store.Event{Topic: "l1", Kind: "item.created"}, "i1")
		w.emit(t, store.Event{Topic: "l1", Kind: "list.deleted"}, "l1")
		c.skipTo("i1")
		if e := c.skipTo("l1"); e.name != "list.deleted" {
			t.Fatalf("got %+v", e)
		}
		c.ended()
	}
}

func TestStreamsEndWithTheirCredential(t *testing.T) {
	w := newWorld(t, func(c *live.Config) { c.Heartbeat = 20 * time.Millisecond })
	p := storetest.People(t, w.db)
	until := store.TimeOf(storetest.Epoch.Add(10 * time.Minute))
	short := w.connect(t, fmt.Sprintf("%s&until=%d", as(p.Ada), until), "")
	long := w.connect(t, as(p.Ada), "")
	w.db.Clock.Advance(10*time.Minute - time.Microsecond)
	w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}, "f1")
	short.expect("friend.updated", "f1")
	w.db.Clock.Advance(time.Microsecond)
	short.ended()
	w.emit(t, store.Event{Topic: p.Ada.ID, Kind: "friend.updated"}, "f2")
	long.expect("friend.updated", "f1")
	long.expect("friend.updated", "f2")
}

package chat_test

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hearth/app/chat"
	"hearth/store"
	"hearth/store/storetest"
)

// If the only unread message is deleted between the two statements that look for it,
// there is none.
func TestFirstUnreadIsDeletedMeanwhile(t *testing.T) {
	var meanwhile atomic.Pointer[func()]
	clock := store.NewManualClock(storetest.Epoch)
	file, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), store.Options{
		Schema: storetest.Schema(t), Now: clock.Now,
		OnPrepare: func(_ *store.Conn, query string) {
			if !strings.Contains(query, "ORDER BY x.created_at LIMIT 1") {
				return
			}
			if f := meanwhile.Swap(nil); f != nil {
				(*f)()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	db := &storetest.DB{DB: file, Clock: clock}
	w := &world{T: t, Cast: storetest.People(t, db), db: db, ctx: t.Context(), s: chat.New(chat.Config{DB: file})}
	c := w.direct(w.Ada, w.Ben)
	m := w.send(w.Ben, c.ID, "x")
	deleted := false
	meanwhile.Store(ptr(func() {
		_, err := w.s.DeleteMessage.Call(w.ctx, as(w.Ben), chat.DeleteMessageIn{ID: m.ID})
		deleted = err == nil
	}))
	out, err := w.s.FirstUnread.Call(w.ctx, as(w.Ada), chat.FirstUnreadIn{ConversationID: c.ID})
	if w.ok(err); !deleted || out != (chat.FirstUnreadOut{}) {
		t.Errorf("got %+v, deleted meanwhile: %v", out, deleted)
	}
}

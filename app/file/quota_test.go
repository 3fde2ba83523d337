package file_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"hearth/app/file"
	"hearth/store"
)

// send sends a file in a message of Ada to Ben, and returns the message.
func (w *world) send(a store.Attachment) (m store.Message) {
	w.Helper()
	err := w.db.Write(w.Context(), func(tx *store.Tx) error {
		id, _, err := tx.InsertDirect(w.Ada.ID, w.Ben.ID, "")
		if err != nil {
			return err
		}
		m = store.Message{ConversationID: id, SenderID: w.Ada.ID, AttachmentIDs: []string{a.ID}, Attachments: `[{"id":"` + a.ID + `"}]`,
			Type: "text"}
		return tx.Send(&m, nil)
	})
	if err != nil {
		w.Fatal(err)
	}
	return m
}

func (w *world) delete(m store.Message) {
	w.Helper()
	if err := w.db.Write(w.Context(), func(tx *store.Tx) error { row := m; return tx.DeleteMessage(&row) }); err != nil {
		w.Fatal(err)
	}
}

// filesHave reports whether the database or its log has the bytes.
func (w *world) filesHave(content string) bool {
	w.Helper()
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(w.db.Path() + suffix)
		if err != nil {
			w.Fatal(err)
		}
		if bytes.Contains(b, []byte(content)) {
			return true
		}
	}
	return false
}

// Once the minute's job has run, neither file of the database has the bytes of a
// deleted file, also when the server stopped in between.
func TestDeletedFilesLeaveTheDatabase(t *testing.T) {
	for _, n := range []int{500, 200_000} {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, restarted %v", n, restarted), func(t *testing.T) { t.Parallel(); leavesTheDatabase(t, n, restarted) })
		}
	}
}

func leavesTheDatabase(t *testing.T, n int, restarted bool) {
	w := newWorld(t, file.Config{})
	content := text(uint64(n), n)
	a, err := w.save(w.ada, content)
	if err != nil {
		t.Fatal(err)
	}
	canary, m := content[n/2:n/2+100], w.send(a)
	if !w.filesHave(canary) {
		t.Fatal("the file was never stored")
	}
	if restarted {
		w.delete(m)
		if w.files, err = file.New(file.Config{DB: w.db.DB}); err != nil {
			t.Fatal(err)
		}
	}
	if !restarted {
		w.delete(m)
	}
	if err := w.files.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.filesHave(canary) {
		t.Error("they are still there")
	}
	if broken, err := w.db.Check(context.Background()); err != nil || len(broken) > 0 {
		t.Error(broken, err)
	}
}

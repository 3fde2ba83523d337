package list_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/app/list"
	"hearth/store"
)

// sql changes the file as another process would.
func (w *world) sql(statement string) {
	w.t.Helper()
	file, err := sql.Open("sqlite", "file:"+w.db.Path()+"?_busy_timeout=5000&_foreign_keys=on&_txlock=immediate")
	if err != nil {
		w.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Exec(statement); err != nil {
		w.t.Fatal(err)
	}
}

// An import of which a later part cannot be written leaves no list. Only if that cannot
// be deleted either, its owner has it, and it is logged.
func TestImportThatFailsLeavesNothing(t *testing.T) {
	const (
		noItem   = `CREATE TRIGGER no_item BEFORE INSERT ON item WHEN new.content = '200' BEGIN SELECT RAISE(ABORT, 'no item'); END`
		noChange = `CREATE TRIGGER no_change BEFORE UPDATE ON list WHEN new.visibility = 'public' BEGIN SELECT RAISE(ABORT, 'no change'); END`
		noDrop   = `CREATE TRIGGER no_drop BEFORE UPDATE OF owner_id ON list BEGIN SELECT RAISE(ABORT, 'no deletion'); END`
	)
	w := newWorld(t)
	for name, c := range map[string]struct {
		items    int
		triggers []string
		fails    bool
		left     int
	}{
		"all is written":          {201, nil, false, 1},
		"an item is not":          {201, []string{noItem}, true, 0},
		"the visibility is not":   {200, []string{noChange}, true, 0},
		"nothing can be deleted":  {201, []string{noItem, noDrop}, true, 1},
		"the first part has all":  {200, []string{noItem}, false, 1},
		"there is nothing to add": {0, []string{noItem, noDrop}, false, 1},
	} {
		var log bytes.Buffer
		s := list.New(list.Config{DB: w.db.DB, Log: slog.New(slog.NewTextHandler(&log, nil))})
		for _, trigger := range c.triggers {
			w.sql(trigger)
		}
		data := `{"schema":"hearth.list.v1","title":"T","items":[`
		for n := range c.items {
			data += strings.TrimPrefix(fmt.Sprintf(`,{"content":"%d"}`, n), map[bool]string{true: ","}[n == 0])
		}
		_, err := s.ImportList.Call(t.Context(), w.who["owner"], list.ImportIn{Format: "json", Data: []byte(data + "]}"), Visibility: list.Public})
		if (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
		for _, trigger := range c.triggers {
			w.sql("DROP TRIGGER " + strings.Fields(trigger)[2])
		}
		lists, err := w.Lists.Call(t.Context(), w.who["owner"], list.ListsIn{Mine: true})
		if err != nil || lists.Total != c.left || strings.Contains(log.String(), "was not deleted") != (c.fails && c.left > 0) {
			t.Errorf("%s: %d lists are left, %v, logged %q", name, lists.Total, err, log.String())
		}
		for _, l := range lists.Lists {
			if (l.Visibility == list.Private) != c.fails {
				t.Errorf("%s: the list is %s", name, l.Visibility)
			}
			if _, err := w.DeleteList.Call(t.Context(), w.who["owner"], list.DeleteListIn{ID: l.ID}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := s.DropDeleted(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A list that is deleted while it is imported is not found.
func TestImportOfDeletedList(t *testing.T) {
	w := newWorld(t)
	s := list.New(list.Config{DB: w.db.DB, Log: slog.New(slog.DiscardHandler)})
	// The account that then owns the list is made with the first deletion.
	if _, err := w.DeleteList.Call(t.Context(), w.who["owner"], list.DeleteListIn{ID: w.list(list.Private, "x").ID}); err != nil {
		t.Fatal(err)
	}
	w.sql(`CREATE TRIGGER gone AFTER INSERT ON item WHEN new.content = 'last' BEGIN
		UPDATE list SET visibility = 'private', owner_id = '` + store.DeletedUserID + `' WHERE id = new.list_id; END`)
	out, err := s.ImportList.Call(t.Context(), w.who["owner"], list.ImportIn{Format: "md", Data: []byte("- last"), Visibility: list.Private})
	w.sql("DROP TRIGGER gone")
	if code(err) != "not_found" || out.List.ID != "" {
		t.Errorf("got %+v, %v", out, err)
	}
	if err := w.DropDeleted(t.Context()); err != nil {
		t.Error(err)
	}
}

// What an import answers is the list as it is then read, with each visibility.
func TestImportAnswersTheList(t *testing.T) {
	w := newWorld(t)
	for _, visibility := range []string{list.Private, list.Unlisted, list.Public, list.PublicEdit} {
		out, err := w.ImportList.Call(t.Context(), w.who["owner"], list.ImportIn{Format: "md", Data: []byte("# T\nabout\n- [x] one\n- two"), Visibility: visibility})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(w.get("owner", out.List.ID), out.List); d != "" {
			t.Errorf("%s: %s", visibility, d)
		}
	}
}

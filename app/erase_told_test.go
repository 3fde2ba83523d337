package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// When an account is deleted, those who see what was its own are told, and the log of
// events names it no more, however long that is.
func TestDeletionIsTold(t *testing.T) {
	w := newWorld(t)
	g := w.group("ben")
	w.want("ada", "POST", g+"/messages", `{"content":"x"}`, 201, "")
	list := idIn(t, w.json("ada", "POST", "/api/lists", `{"title":"L","visibility":"public"}`).body)
	w.sql(`UPDATE event SET id = id + 45000`)
	w.want("ada", "POST", g+"/messages", `{"content":"y"}`, 201, "")
	ada := w.cast.Ada.ID
	events := func() (named int, kinds string) {
		w.rows(func(table string, row []any) {
			if table != "event" {
				return
			}
			if text := fmt.Sprint(row...); strings.Contains(text, ada) {
				named++
			}
			if topic, kind := fmt.Sprint(row[1]), fmt.Sprint(row[2]); topic == list || strings.HasSuffix(g, topic) {
				kinds += " " + kind
			}
		})
		return named, kinds
	}
	if n, _ := events(); n < 3 {
		t.Fatalf("%d events name the account", n)
	}
	w.want("ada", "DELETE", "/api/auth/me", "", 204, "")
	w.clock.Advance(time.Minute)
	if err := w.app.Account().ContinueErasures(t.Context()); err != nil {
		t.Fatal(err)
	}
	named, kinds := events()
	if named > 0 {
		t.Errorf("%d events name the account", named)
	}
	for _, want := range []string{"messages.redacted", "conversation.updated", "list.deleted"} {
		if !strings.Contains(kinds, want) {
			t.Errorf("%s is not among%s", want, kinds)
		}
	}
}

package list_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hearth/app/list"
	"hearth/store"
)

func TestMembers(t *testing.T) {
	w := newWorld(t)
	ctx, ada := context.Background(), w.who["owner"]
	l := w.list(list.Private)
	put := func(by, user, role string) string {
		_, err := w.PutMember.Call(ctx, w.who[by], list.PutMemberIn{ListID: l.ID, UserID: user, Role: role})
		return code(err)
	}
	var hidden store.User
	err := w.db.Write(ctx, func(tx *store.Tx) (err error) {
		hidden, err = tx.InsertUser(store.User{Email: "h@example.org", Name: "Hidden", DiscoveryMode: "hidden", SignupProvider: "magic-link"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{
		put("owner", w.cast.Ben.ID, "viewer"), put("owner", w.cast.Ben.ID, "editor"), put("owner", w.cast.Ben.ID, "editor"),
		put("owner", w.cast.Ada.ID, "editor"), put("owner", hidden.ID, "viewer"), put("owner", store.NewID(), "viewer"),
		put("owner", w.cast.Cleo.ID, "owner"), put("owner", w.cast.Cleo.ID, "viewer"),
	}
	if want := []string{"", "", "", "invalid_input", "not_found", "not_found", "invalid_input", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	members, err := w.Members.Call(ctx, ada, list.GetListIn{ID: l.ID})
	if err != nil || len(members.Members) != 2 || members.Members[0].Name != "Ben" || members.Members[0].Role != "editor" ||
		members.Members[1].Role != "viewer" {
		t.Errorf("got %+v, %v", members, err)
	}
	leave := list.DeleteMemberIn{ListID: l.ID, UserID: w.cast.Cleo.ID}
	for _, want := range []string{"", "not_found"} {
		if _, err := w.DeleteMember.Call(ctx, w.who["viewer"], leave); code(err) != want {
			t.Errorf("leaving: %v, want %q", err, want)
		}
	}
	if _, err := w.GetList.Call(ctx, w.who["viewer"], list.GetListIn{ID: l.ID}); code(err) != "not_found" {
		t.Errorf("after leaving: %v", err)
	}
	if got, want := w.events(l.ID), []string{"list.shared", "list.shared", "list.shared", "list.shared"}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

// Only those with a role in a list are shown by name to others who watch it.
func TestWatcher(t *testing.T) {
	w := newWorld(t)
	l := w.list(list.Public)
	w.share(l.ID)
	for who, want := range map[string]bool{"owner": true, "editor": true, "viewer": true, "stranger": false, "public": false,
		"anonymous": false} {
		got, err := w.Watcher(context.Background(), w.who[who], l.ID)
		if got.Known != want || !got.Visible || err != nil || got.Known == (got.Name == "") {
			t.Errorf("%s: %+v, %v", who, got, err)
		}
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Soups for rainy days":                 "soups-for-rainy-days",
		"  Crème brûlée, ça va?":               "creme-brulee-ca-va",
		"Straße & Ærø":                         "strasse-aero",
		"Łódź’s best":                          "lodzs-best",
		"İstanbul ışık":                        "istanbul-isik",
		"Ｆｕｌｌ ｗｉｄｔｈ ２":                         "full-width-2",
		"0 Tage, 9 Nächte, azAZ":               "0-tage-9-nachte-azaz",
		"日本の本":                                 "list",
		"🔥":                                    "list",
		"":                                     "list",
		"東京 ramen 2026":                        "ramen-2026",
		strings.Repeat("a", 99):                strings.Repeat("a", 60),
		strings.Repeat("word ", 30):            strings.TrimSuffix(strings.Repeat("word-", 12), "-"),
		strings.Repeat("word ", 11) + "words":  strings.Repeat("word-", 11) + "words",
		strings.Repeat("word ", 11) + "sixsix": strings.TrimSuffix(strings.Repeat("word-", 11), "-"),
	} {
		if got := list.Slug(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

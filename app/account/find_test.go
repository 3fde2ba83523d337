package account

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"hearth/app/core"
	"hearth/store"
)

// people adds accounts with names.
func (h *harness) people(mode string, names ...string) {
	h.t.Helper()
	err := h.db.Write(context.Background(), func(tx *store.Tx) error {
		for i, name := range names {
			u := store.User{Email: fmt.Sprintf("%s-%d-%x@example.org", mode, i, name), Name: name, DiscoveryMode: mode, VerifiedAt: tx.Now,
				SignupProvider: "magic-link"}
			if _, err := tx.InsertUser(u); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) find(by store.Viewer, in FindPeopleIn) ([]string, string) {
	h.t.Helper()
	out, err := h.FindPeople.Call(context.Background(), by, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return core.Map(out.People, func(u core.PublicUser) string { return u.Name }), out.NextCursor
}

// People are found by the beginnings of all words of their names, in any order and
// without accents and punctuation.
func TestFindByWords(t *testing.T) {
	h := open(t)
	h.people("name", "Tomás Novák", "渡辺 Kenji", "Zoë O’Brien-Smith", "Åsa (Nightshift) Öberg")
	ada := h.as("ada@example.org")
	for q, want := range map[string]string{
		"tomas": "Tomás Novák", "novak": "Tomás Novák", "nov tom": "Tomás Novák", "TOMÁS": "Tomás Novák", "kenji": "渡辺 Kenji",
		"渡辺": "渡辺 Kenji", "辺": "渡辺 Kenji",
		"kenji 渡": "渡辺 Kenji", "zoe smith": "Zoë O’Brien-Smith", "smith": "Zoë O’Brien-Smith", "oberg": "Åsa (Nightshift) Öberg",
		"night asa": "Åsa (Nightshift) Öberg",
	} {
		if got, _ := h.find(ada, FindPeopleIn{Q: q}); !slices.Equal(got, []string{want}) {
			t.Errorf("%s finds %q, want %s", q, got, want)
		}
	}
	for _, q := range []string{"omas", "tomas kenji", "novak x"} {
		if got, _ := h.find(ada, FindPeopleIn{Q: q}); len(got) > 0 {
			t.Errorf("%s finds %q", q, got)
		}
	}
}

// The directory lists everybody who lets themselves be found, once and by name.
// A cursor of the directory is only valid for its own account, and not in a search.
func TestDirectory(t *testing.T) {
	h := open(t)
	var names []string
	for i := range 25 {
		names = append(names, fmt.Sprintf("Person %02d", i/2)) // pairs with one name
	}
	h.people("name", names...)
	h.people("hidden", "Hidden")
	h.people("email_only", "Known by address")
	ada := h.as("ada@example.org")
	var all []string
	cursor := ""
	for {
		page, next := h.find(ada, FindPeopleIn{Cursor: cursor, Limit: 4})
		all = append(all, page...)
		if cursor = next; cursor == "" {
			break
		}
	}
	if keys := core.Map(all, store.NameKey); !slices.IsSorted(keys) {
		t.Errorf("not by name: %q", all)
	}
	if n := len(slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(names, name) })); n != len(names) {
		t.Errorf("%d of the %d people: %q", n, len(names), all)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"Hidden", "Known by address", h.cast.Ada.Name} {
		if slices.Contains(all, name) {
			t.Errorf("%s is in the directory", name)
		}
	}
	_, next := h.find(ada, FindPeopleIn{Limit: 4})
	_, err := h.FindPeople.Call(context.Background(), h.as("ben@example.org"), FindPeopleIn{Cursor: next})
	wantCode(t, "the cursor of another account", err, "bad_cursor")
	_, err = h.FindPeople.Call(context.Background(), ada, FindPeopleIn{Q: "person", Cursor: next})
	wantCode(t, "the cursor of the directory in a search", err, "bad_cursor")
}

// A key that cannot write finds an account by its address. The accounts that its own
// account can reach stay the same.
func TestFindByAddressWithoutWriting(t *testing.T) {
	h := open(t)
	h.people("email_only", "Quiet")
	var quiet store.User
	reached := func(by store.Viewer) (ok bool) {
		err := h.db.Read(context.Background(), func(r *store.Reader) (err error) {
			if quiet, err = r.UserByEmail(fmt.Sprintf("email_only-0-%x@example.org", "Quiet")); err == nil {
				ok, err = r.HasFound(by, quiet)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	ada := h.as("ada@example.org")
	reached(ada)
	made, err := h.CreateAgentKey.Call(context.Background(), ada, CreateAgentKeyIn{Name: "reader", Scopes: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	key, err := h.bearer(made.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		by   store.Viewer
		want bool
	}{{key, false}, {ada, true}} {
		if got, _ := h.find(tc.by, FindPeopleIn{Q: quiet.Email}); !slices.Equal(got, []string{"Quiet"}) {
			t.Errorf("found %q", got)
		}
		if reached(ada) != tc.want {
			t.Errorf("with writing %v, the account is reached: %v", tc.by.CanWrite, !tc.want)
		}
	}
}

// An address finds the account that has proven it. One that somebody registered with the
// address of another person is not found by it before, neither as its owner nor by a name
// that reads like the address.
func TestAnUnprovenAddressFindsNobody(t *testing.T) {
	const email = "boss@corp.example"
	h := open(t)
	ada := h.as("ada@example.org")
	_, err := h.RegisterAgent.Call(context.Background(), store.Viewer{IP: "192.0.2.1"},
		RegisterAgentIn{Email: email, Password: "a long password", Name: "The Boss"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"The Boss", email} {
		for _, mode := range []string{"name", "email_only"} {
			h.change(email, func(u *store.User, _ store.Time) { u.Name, u.DiscoveryMode = name, mode })
			if got, _ := h.find(ada, FindPeopleIn{Q: email}); len(got) > 0 {
				t.Errorf("named %s, mode %s: found %q", name, mode, got)
			}
		}
	}
	h.token(email)
	if got, _ := h.find(ada, FindPeopleIn{Q: email}); !slices.Equal(got, []string{email}) {
		t.Errorf("once it is proven: found %q", got)
	}
}

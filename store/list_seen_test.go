package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// listWorld is a database with lists of Ada's that have one item each: kept is shared
// with Ben as an editor, read with Ben as a reader and Cleo as an editor, and open is
// public. Ben has a star at the item of kept, and Cleo at that of read.
type listWorld struct {
	*testing.T
	storetest.Cast
	db    *storetest.DB
	lists map[string]store.List
	items map[string]store.Item
}

func newListWorld(t *testing.T) *listWorld {
	w := &listWorld{T: t, db: storetest.Open(t), lists: map[string]store.List{}, items: map[string]store.Item{}}
	w.Cast = storetest.People(t, w.db)
	write(t, w.db, func(tx *store.Tx) (err error) {
		for _, name := range []string{"kept", "read", "open"} {
			visibility := map[string]string{"open": "public-edit"}[name]
			if visibility == "" {
				visibility = "private"
			}
			if w.lists[name], err = tx.InsertList(store.List{OwnerID: w.Ada.ID, Title: "tools " + name, Visibility: visibility,
				Slug: name}); err != nil {
				return err
			}
			if w.items[name], _, err = tx.InsertItem(store.Item{ListID: w.lists[name].ID, Content: "hammer " + name, AuthorID: w.Ada.ID,
				SourceURL: "https://tools.example/"}); err != nil {
				return err
			}
		}
		_, err1 := tx.Star(w.items["kept"], w.Ben.ID)
		_, err2 := tx.Star(w.items["read"], w.Cleo.ID)
		return errors.Join(err1, err2, tx.PutListMember(w.lists["kept"].ID, w.Ben.ID, "editor"),
			tx.PutListMember(w.lists["read"].ID, w.Ben.ID, "viewer"), tx.PutListMember(w.lists["read"].ID, w.Cleo.ID, "editor"))
	})
	return w
}

func (w *listWorld) read(f func(r *store.Reader) error) {
	w.Helper()
	if err := w.db.Read(w.Context(), f); err != nil {
		w.Error(err)
	}
}

// Whichever way a list is read, it has the role of the viewer in that very list, and its
// items have the stars of the viewer.
func TestRolesInListsAndStars(t *testing.T) {
	w := newListWorld(t)
	q := func(word string) store.ListSearch {
		return store.ListSearch{Terms: []store.Term{{Words: store.Words(word)}}}
	}
	each := func(lists []store.List, err error) ([]string, error) {
		return texts(lists, err, func(l store.List) string { return strings.TrimPrefix(l.Title, "tools ") + ":" + l.Role })
	}
	all := func(r *store.Reader, by store.Viewer, s store.ListScope) ([]string, error) {
		lists, _, err := r.Lists(by, s, 10, 0)
		return each(lists, err)
	}
	for _, c := range []struct {
		by           store.Viewer
		roles, stars string
	}{
		{storetest.Human(w.Ada), "kept:owner open:owner read:owner", "kept:false open:false read:false"},
		{storetest.Human(w.Ben), "kept:editor open: read:viewer", "kept:true open:false read:false"},
		{storetest.Human(w.Cleo), "open: read:editor", "open:false read:true"},
		{storetest.Human(w.Stranger), "open:", "open:false"},
		{store.Viewer{}, "open:", "open:false"},
	} {
		for name, get := range map[string]func(r *store.Reader) ([]string, error){
			"one by one": func(r *store.Reader) (out []string, err error) {
				for _, l := range w.lists {
					if l, err := r.List(c.by, l.ID); err == nil {
						one, _ := each([]store.List{l}, nil)
						out = append(out, one...)
					}
				}
				return out, err
			},
			"listed": func(r *store.Reader) ([]string, error) { return all(r, c.by, store.ListedLists) },
			"own and shared": func(r *store.Reader) ([]string, error) {
				own, err1 := all(r, c.by, store.OwnLists)
				shared, err2 := all(r, c.by, store.SharedLists)
				both := append(own, shared...)
				slices.Sort(both)
				return slices.Compact(both), errors.Join(err1, err2)
			},
			"searched": func(r *store.Reader) ([]string, error) {
				found, err := r.SearchLists(c.by, q("tools"), 10)
				return each(found.Rows, err)
			},
		} {
			w.read(func(r *store.Reader) error {
				got, err := get(r)
				if slices.Sort(got); strings.Join(got, " ") != c.roles {
					t.Errorf("%s, for %s: %s, want %s", name, c.by.Name, got, c.roles)
				}
				return err
			})
		}
		w.read(func(r *store.Reader) error {
			found, err := r.SearchItems(c.by, q("hammer"), 10)
			got, err := texts(found.Rows, err, func(i store.FoundItem) string {
				return fmt.Sprint(strings.TrimPrefix(i.ListTitle, "tools "), ":", i.Starred)
			})
			if slices.Sort(got); strings.Join(got, " ") != c.stars {
				t.Errorf("items for %s: %s, want %s", c.by.Name, got, c.stars)
			}
			return err
		})
	}
}

// What belongs to an item or a list is read with the id of its own list alone: neither a
// comment, nor what is held, by the id of a list that the viewer may see. Of two that
// are held it is the one asked for.
func TestPartsOfOtherLists(t *testing.T) {
	w := newListWorld(t)
	ada := storetest.Human(w.Ada)
	var comments, held []string // of kept and of open; the last two are both held for open
	write(t, w.db, func(tx *store.Tx) error {
		comments, held = nil, nil
		for _, name := range []string{"kept", "open"} {
			c, err := tx.InsertComment(w.lists[name].ID, store.Comment{ItemID: w.items[name].ID, AuthorID: w.Ada.ID, Content: name}, nil)
			if err != nil {
				return err
			}
			comments = append(comments, c.ID)
		}
		for _, name := range []string{"kept", "open", "open"} {
			tx.Now = tx.Tick()
			i, err := tx.HoldItem(store.Item{ListID: w.lists[name].ID, Content: name})
			if err != nil {
				return err
			}
			held = append(held, i.ID)
		}
		return nil
	})
	w.read(func(r *store.Reader) error {
		for n, id := range held {
			for name, l := range w.lists {
				i, err := r.HeldItem(ada, l.ID, id)
				if own := name == []string{"kept", "open", "open"}[n]; own != (err == nil) || own && i.ID != id {
					t.Errorf("held item %d of %s: %+v, %v", n, name, i, err)
				}
			}
		}
		for list, l := range w.lists {
			for item, i := range w.items {
				want := ""
				if list == item && list != "read" {
					want = list
				}
				all, total, err := r.Comments(ada, l.ID, i.ID, 10, 0)
				got, err := texts(all, err, func(c store.Comment) string { return c.Content })
				if strings.Join(got, " ") != want || total != len(got) || err != nil {
					t.Errorf("comments of the item of %s in %s: %q, %d in all, %v", item, list, got, total, err)
				}
				for n, id := range comments {
					c, err := r.Comment(ada, l.ID, i.ID, id)
					if own := want == []string{"kept", "open"}[n]; own != (err == nil) || own && c.ID != id {
						t.Errorf("comment %d of the item of %s in %s: %+v, %v", n, item, list, c, err)
					}
				}
			}
		}
		return nil
	})
}

// A list that changes its owner stays shared with the others, and so do the other lists
// with the new owner.
func TestOthersKeepAListThatChangesItsOwner(t *testing.T) {
	w := newListWorld(t)
	write(t, w.db, func(tx *store.Tx) error { return tx.SetListOwner(w.lists["read"], w.Ben.ID) })
	for name, want := range map[string]string{"kept": "Ben:editor", "read": "Ada:editor Cléo 🌿:editor"} {
		w.read(func(r *store.Reader) error {
			members, err := r.ListMembers(storetest.Human(w.Ben), w.lists[name].ID, 10)
			got, err := texts(members, err, func(m store.ListMember) string { return m.Name + ":" + m.Role })
			if slices.Sort(got); strings.Join(got, " ") != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			return err
		})
	}
	w.read(func(r *store.Reader) error {
		members, err := r.ListMembers(storetest.Human(w.Ada), w.lists["read"].ID, 1)
		if len(members) != 1 {
			t.Errorf("up to one: %+v", members)
		}
		return err
	})
}

// SameLink finds the first item of a list with a link. LinkUses names another list once,
// with its first item, and only to viewers who have the list listed.
func TestListsWithALink(t *testing.T) {
	w := newListWorld(t)
	const link = "http://www.tools.example"
	var first, second store.Item
	write(t, w.db, func(tx *store.Tx) (err error) {
		first, _, err = tx.InsertItem(store.Item{ID: "b", ListID: w.lists["open"].ID, Content: "x", SourceURL: link + "/more"})
		if err == nil {
			second, _, err = tx.InsertItem(store.Item{ID: "a", ListID: w.lists["open"].ID, Content: "x", SourceURL: link + "/more/"})
		}
		for _, c := range []struct{ list, link, want string }{
			{"open", link + "/more", first.ID}, {"kept", link + "/more", ""}, {"open", link, w.items["open"].ID}, {"read", link, w.items["read"].ID},
			{"read", "no link", ""},
		} {
			if got, err := tx.SameLink(w.lists[c.list].ID, c.link); got != c.want || err != nil {
				t.Errorf("%s in %s: %q, want %q, %v", c.link, c.list, got, c.want, err)
			}
		}
		return err
	})
	uses := func(by store.Viewer, list, link, want string) {
		t.Helper()
		w.read(func(r *store.Reader) error {
			all, total, err := r.LinkUses(by, w.lists[list].ID, link, 10)
			got, err := texts(all, err, func(u store.LinkUse) string { return strings.TrimPrefix(u.Title, "tools ") + ":" + u.ItemID })
			if slices.Sort(got); strings.Join(got, " ") != want || total != len(got) {
				t.Errorf("%s beside %s, for %s: %s, %d in all, want %s", link, list, by.Name, got, total, want)
			}
			return err
		})
	}
	uses(storetest.Human(w.Ada), "kept", link+"/more", "open:"+second.ID)
	uses(storetest.Human(w.Ada), "kept", link, "open:"+w.items["open"].ID+" read:"+w.items["read"].ID)
	uses(storetest.Human(w.Cleo), "open", link, "read:"+w.items["read"].ID)
	uses(storetest.Human(w.Stranger), "kept", link, "open:"+w.items["open"].ID)
}

// Items that somebody else does not see make no difference to the lists with a link
// that they see, however many of these have the link.
func TestHiddenItemsWithALink(t *testing.T) {
	t.Parallel()
	w := newListWorld(t)
	const numbers = `WITH n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 2000) `
	undo := errors.New("undo")
	err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		for _, list := range []string{"open", "read"} {
			if _, _, err := tx.InsertItem(store.Item{ID: "of " + list, ListID: w.lists[list].ID, Content: "x",
				SourceURL: "https://many.example"}); err != nil {
				return err
			}
		}
		for _, query := range []string{
			`INSERT INTO list (id, owner_id, title, visibility, slug, item_count, created_at, updated_at)
				SELECT '!' || value, ?1, '', 'private', '', 0, 0, 0 FROM n`,
			`INSERT INTO item (id, list_id, rank, content, created_at, updated_at, link_key)
				SELECT 'many' || value, '!' || value, 0, '', 0, 0, 'many.example' FROM n WHERE ?1 > ''`,
			`INSERT INTO item (id, list_id, rank, content, created_at, updated_at, link_key)
				SELECT 'more' || value, '!1', value, '', 0, 0, 'many.example' FROM n WHERE ?1 > ''`,
		} {
			if _, err := tx.ExecForTest(numbers+query, w.Stranger.ID); err != nil {
				return err
			}
		}
		uses, total, err := tx.LinkUses(storetest.Human(w.Cleo), w.lists["kept"].ID, "https://many.example", 10)
		if err != nil || total == 0 || uses[0].ItemID != "of open" && uses[0].ItemID != "of read" {
			t.Errorf("%+v, %d in all, %v", uses, total, err)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// A comment has the same depth in its thread when it is added and when it is read. While
// its author is being deleted, it has no words and no name.
func TestDepthOfComments(t *testing.T) {
	w := newListWorld(t)
	list, item := w.lists["open"], w.items["open"]
	var parent *store.Comment
	for depth := range 4 {
		var c store.Comment
		write(t, w.db, func(tx *store.Tx) (err error) {
			c, err = tx.InsertComment(list.ID, store.Comment{ItemID: item.ID, AuthorID: w.Ben.ID, Content: "x"}, parent)
			return err
		})
		w.read(func(r *store.Reader) error {
			read, err := r.Comment(storetest.Human(w.Ada), list.ID, item.ID, c.ID)
			if c.Depth != depth || read.Depth != depth {
				t.Errorf("depth %d is %d when it is added and %d when it is read", depth, c.Depth, read.Depth)
			}
			return err
		})
		parent = &c
	}
	write(t, w.db, func(tx *store.Tx) error { // which keeps them listed
		_, err := tx.InsertComment(list.ID, store.Comment{ItemID: item.ID, AuthorID: w.Ada.ID, Content: "y"}, parent)
		return err
	})
	w.db.Clock.Advance(time.Second)
	erased(t, w.db, w.Ben.ID)
	w.read(func(r *store.Reader) error {
		all, _, err := r.Comments(storetest.Human(w.Ada), list.ID, item.ID, 10, 0)
		for _, c := range all[:max(0, len(all)-1)] {
			if c.AuthorID != "" || c.AuthorName != "" || c.Content != "" || c.DeletedAt == 0 {
				t.Errorf("of a deleted account: %+v", c)
			}
		}
		if len(all) != 5 {
			t.Errorf("%d comments", len(all))
		}
		return err
	})
}

// Links that differ only in what does not change the page have one key.
func TestLinkKey(t *testing.T) {
	for link, want := range map[string]string{
		"https://a.example/x":                           "a.example/x",
		"http://WWW.A.Example.:80/x/":                   "a.example/x",
		"https://a.example:443/x//#part":                "a.example/x",
		"https://a.example:8443":                        "a.example:8443",
		"https://a.example/?b=2&a=1":                    "a.example?a=1&b=2",
		"https://a.example/x?utm_source=y&&a=1&gclid=z": "a.example/x?a=1",
		"https://a.example/x?utm_source=y":              "a.example/x",
		"https://a.example/x?UTM_Source=y&Gclid=z":      "a.example/x",
		"https://a.example/x?a=Y&A=y":                   "a.example/x?A=y&a=Y",
		"https://a.example/%7Ex?q=%20":                  "a.example/%7Ex?q=%20",
		"soup":                                          "",
		"/x":                                            "",
		"mailto:a@a.example":                            "",
		"https:///x":                                    "",
		"":                                              "",
		"https://%zz/":                                  "",
	} {
		if got := store.LinkKey(link); got != want {
			t.Errorf("%q: got %q, want %q", link, got, want)
		}
	}
}

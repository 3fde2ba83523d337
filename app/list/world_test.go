package list_test

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
	"hearth/store/storetest"
)

// world is the service on a database of its own: Ada owns the lists, Ben edits
// and Cleo views those that are shared.
type world struct {
	*list.Service
	t    *testing.T
	db   *storetest.DB
	cast storetest.Cast
	who  map[string]store.Viewer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: storetest.Open(t)}
	w.cast = storetest.People(t, w.db)
	w.Service = list.New(list.Config{DB: w.db.DB, CursorKey: make([]byte, 32)})
	w.who = map[string]store.Viewer{
		"owner": storetest.Human(w.cast.Ada), "editor": storetest.Human(w.cast.Ben), "viewer": storetest.Human(w.cast.Cleo),
		"stranger": storetest.Human(w.cast.Stranger), "public": {Kind: store.PublicKey, CanRead: true, CanWrite: true, IP: "192.0.2.1"},
		"anonymous": {},
	}
	return w
}

// list makes a list of Ada's with the given items.
func (w *world) list(visibility string, items ...string) list.List {
	w.t.Helper()
	in := list.CreateListIn{Title: "A " + visibility + " list", Visibility: visibility}
	for _, c := range items {
		in.Items = append(in.Items, list.NewItem{Content: c})
	}
	out, err := w.CreateList.Call(context.Background(), w.who["owner"], in)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.List
}

// share makes Ben an editor and Cleo a viewer of the list.
func (w *world) share(id string) {
	w.t.Helper()
	for user, role := range map[string]string{w.cast.Ben.ID: "editor", w.cast.Cleo.ID: "viewer"} {
		if _, err := w.PutMember.Call(context.Background(), w.who["owner"], list.PutMemberIn{ListID: id, UserID: user, Role: role}); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) items(id string) []list.Item {
	w.t.Helper()
	out, err := w.Items.Call(context.Background(), w.who["owner"], list.ItemsIn{ListID: id, Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Items
}

func (w *world) add(who, id, content string) list.Item {
	w.t.Helper()
	out, err := w.AddItem.Call(context.Background(), w.who[who], list.AddItemIn{ListID: id, NewItem: list.NewItem{Content: content},
		Reporter: "scout"})
	if err != nil {
		w.t.Fatalf("%s adds: %v", who, err)
	}
	return out.Item
}

// events returns the kinds of all events of a topic, in order.
func (w *world) events(topic string) (kinds []string) {
	w.t.Helper()
	for _, e := range w.db.Events(w.t, topic) {
		kinds = append(kinds, string(e.Kind))
	}
	return kinds
}

// state is all there is to a list.
func (w *world) state(id string) string {
	w.t.Helper()
	one := list.GetListIn{ID: id}
	l, err := w.GetList.Call(context.Background(), w.who["owner"], one)
	if err != nil {
		w.t.Fatal(err)
	}
	members, err := w.Members.Call(context.Background(), w.who["owner"], one)
	if err != nil {
		w.t.Fatal(err)
	}
	queue, err := w.Queue.Call(context.Background(), w.who["owner"], one)
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := json.Marshal([]any{l, members, queue, w.items(id), w.events(id)})
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// code is the stable word of an error, "" for success.
func code(err error) string {
	if err == nil {
		return ""
	}
	return core.As(err).Code
}

package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// shownToAll are the methods that decide nothing about who sees a row, and why.
var shownToAll = map[string]string{
	"Invite":   "who has the token of a link sees what it is for",
	"Profiles": "profiles of people named in a row that the viewer sees",
}

// Whoever asks for the rows of others by their ids, in whatever order, gets nothing of
// them: each method that reads for a viewer is called with the ids of the crowd. Many
// return something to the crowd itself.
func TestStrangersReadNothing(t *testing.T) {
	t.Parallel()
	db := storetest.OpenCrowd(t)
	stranger := storetest.Human(storetest.People(t, db).Stranger)
	ids := crowdIDs(t, db)
	methods, useful := 0, 0
	err := db.Read(t.Context(), func(r *store.Reader) error {
		v := reflect.ValueOf(r)
		for i := range v.NumMethod() {
			m, name := v.Method(i), v.Type().Method(i).Name
			if m.Type().NumIn() == 0 || m.Type().In(0) != reflect.TypeFor[store.Viewer]() || shownToAll[name] != "" {
				continue
			}
			methods++
			for _, by := range []store.Viewer{stranger, {}} {
				if found := readBy(m, by, ids); found != "" {
					t.Errorf("%s returns %.400s", name, found)
				}
			}
			for _, user := range []string{"x", "y"} {
				if readBy(m, store.Viewer{Kind: store.Human, UserID: storetest.Crowd[user], KeyID: "crowd"}, ids) != "" {
					useful++
					break
				}
			}
		}
		return nil
	})
	if err != nil || methods < 100 || useful < 60 {
		t.Errorf("%d methods, %d of them return something to the crowd, %v", methods, useful, err)
	}
}

// readBy returns the first thing that a method tells a viewer of the crowd.
func readBy(m reflect.Value, by store.Viewer, ids []string) (found string) {
	eachCall(m.Type(), ids, func(args []reflect.Value) bool {
		if found = readOf(m, append([]reflect.Value{reflect.ValueOf(by)}, args...)); found != "" {
			found = fmt.Sprintf("for %.200s: %s", fmt.Sprint(args), found)
		}
		return found == ""
	})
	return found
}

// eachCall calls f with all arguments behind the viewer that a method may be called
// with, until it returns false.
func eachCall(m reflect.Type, ids []string, f func(args []reflect.Value) bool) {
	choices := make([][]reflect.Value, m.NumIn()-1)
	for i := range choices {
		choices[i] = valuesOf(m.In(i+1), ids)
	}
	var next func(args []reflect.Value) bool
	next = func(args []reflect.Value) bool {
		if len(args) == len(choices) {
			return f(args)
		}
		for _, v := range choices[len(args)] {
			if !next(append(args[:len(args):len(args)], v)) {
				return false
			}
		}
		return true
	}
	next(nil)
}

// valuesOf returns the values of an argument: each id for a text, all for a list.
func valuesOf(t reflect.Type, ids []string) (all []reflect.Value) {
	switch {
	case t == reflect.TypeFor[string]():
		for _, id := range ids {
			all = append(all, reflect.ValueOf(id))
		}
		return all
	case t == reflect.TypeFor[[]string]():
		return []reflect.Value{reflect.ValueOf(ids)}
	case t == reflect.TypeFor[[]byte]():
		return []reflect.Value{reflect.ValueOf([]byte{0xc0})}
	case t == reflect.TypeFor[store.Time]():
		return []reflect.Value{reflect.ValueOf(store.Time(0)), reflect.ValueOf(store.Time(1 << 51))}
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return []reflect.Value{reflect.ValueOf(100).Convert(t)}
	case t.Kind() == reflect.Bool:
		return []reflect.Value{reflect.ValueOf(false), reflect.ValueOf(true)}
	}
	if t.Kind() == reflect.Pointer {
		return []reflect.Value{reflect.New(t.Elem())}
	}
	if t.Kind() == reflect.Func {
		return []reflect.Value{reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
			for i := range t.NumOut() {
				out = append(out, reflect.Zero(t.Out(i)))
			}
			return out
		})}
	}
	return []reflect.Value{reflect.Zero(t)}
}

// readOf calls a method and returns what it tells of the crowd; "" if nothing.
func readOf(m reflect.Value, args []reflect.Value) string {
	call := m.Call
	if m.Type().IsVariadic() {
		call = m.CallSlice
	}
	out := call(args)
	text := ""
	for _, o := range out {
		if err, ok := o.Interface().(error); ok {
			if !errors.Is(err, store.ErrNoRow) {
				return "the error " + err.Error()
			}
			continue
		}
		if !o.IsZero() {
			text += fmt.Sprintf(" %+v", o)
		}
	}
	if strings.Contains(strings.ToLower(text), "crowd") || strings.Contains(text, "Xq") || strings.Contains(text, "Yq") {
		return text
	}
	return ""
}

// crowdIDs returns the ids of what belongs to the crowd.
func crowdIDs(t *testing.T, db *storetest.DB) (ids []string) {
	t.Helper()
	seen := map[string]bool{}
	for row := range rowsOf(t, db) {
		for _, word := range strings.Fields(row)[1:] {
			if (store.ValidID(word) || word == "crowd" || word == "crowd1" || word == "crowd2") && !seen[word] {
				seen[word] = true
				ids = append(ids, word)
			}
		}
	}
	return ids
}

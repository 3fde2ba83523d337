package op

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
)

// The tag read of a member of a result says who does not get it:
//
//   - read:"own" hides it from callers without the scope read;
//   - read:"others", for what other people may have written, also leaves it out of answers that are stored.
//
// A hidden member is zero, or the word after a sign =: read:"others=offline". It is not hidden if the caller has sent it:
// a member of the same name and value.
const (
	ownText    = "own"
	othersText = "others"
)

// hide returns a copy of a result without the members of the tags, unless in has them.
func hide(out, in any, tags ...string) any {
	h := hider{tags, map[string][]any{}}
	h.send(asJSON(in))
	return h.value(reflect.ValueOf(out)).Interface()
}

type hider struct {
	tags []string
	sent map[string][]any // the members of the input by name
}

// send adds the members of an object, and of objects in its lists.
func (h *hider) send(object any) {
	members, _ := object.(map[string]any)
	for name, v := range members {
		h.sent[name] = append(h.sent[name], v)
		list, _ := v.([]any)
		for _, element := range list {
			h.send(element)
		}
	}
}

func (h *hider) value(v reflect.Value) reflect.Value {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(h.value(v.Elem()))
		return p
	case v.Kind() == reflect.Slice && !v.IsNil():
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			list.Index(i).Set(h.value(v.Index(i)))
		}
		return list
	case v.Kind() == reflect.Struct:
		object := reflect.New(v.Type()).Elem()
		object.Set(v)
		for field, member := range object.Fields() {
			if field.IsExported() {
				h.member(field, member)
			}
		}
		return object
	}
	return v
}

func (h *hider) member(sf reflect.StructField, v reflect.Value) {
	tag, word, _ := strings.Cut(sf.Tag.Get("read"), "=")
	if !slices.Contains(h.tags, tag) {
		v.Set(h.value(v))
		return
	}
	if name, _, _ := strings.Cut(sf.Tag.Get("json"), ","); len(h.sent[name]) > 0 {
		value := asJSON(v.Interface())
		if slices.ContainsFunc(h.sent[name], func(sent any) bool { return reflect.DeepEqual(sent, value) }) {
			return
		}
	}
	v.SetZero()
	if word != "" {
		v.SetString(word)
	}
}

// asJSON returns v as JSON has it, or nil.
func asJSON(v any) (out any) {
	if b, err := json.Marshal(v); err == nil {
		_ = json.Unmarshal(b, &out)
	}
	return out
}

// hideError is err without what a caller who may not read must not see of the object that it is about.
func hideError(err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Current == nil {
		return err
	}
	short := *e
	short.Current = nil
	return &short
}

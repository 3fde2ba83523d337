package op

import (
	"errors"
	"reflect"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// withoutRead reports whether by is a key that may write and not read.
func withoutRead(by store.Viewer) bool { return by.Kind == store.Agent && !by.CanRead }

// receipt returns a copy of a result for a caller who may not read: ids, times,
// members tagged receipt:"true", which the call itself has made or decided,
// members that are as the caller sent them, and words of a closed list (the tag
// enum), such as a status, because the empty text is none of them. Where such a
// word tells of other people, the tag receipt has the one that is returned. A list with
// the tag receipt:"none" is empty, because its ids tell what is stored. Everything else
// is zero, also in the types of results that come later.
//
// A member counts as sent if the input has one of the same name and value at the
// same place. Where a result only wraps what it is about, as {"list": {…}}, the
// members of that are compared.
func receipt(out, sent any) any {
	v, in := reflect.ValueOf(out), reflect.ValueOf(sent)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		short, _ := receiptOf(v, in, "")
		return short.Interface()
	}
	short, _ := receiptOf(v.Elem(), in, "")
	p := reflect.New(v.Type().Elem())
	p.Elem().Set(short)
	return p.Interface()
}

// receiptError is err without what a caller who may not read must not see of the
// object that it is about.
func receiptError(err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Current == nil && e.ReceiptMsg == "" {
		return err
	}
	short := *e
	short.Current = nil
	if e.ReceiptMsg != "" {
		short.Msg = e.ReceiptMsg
	}
	return &short
}

// receiptOf is receipt for the value of a member with a name. It also reports
// whether anything but words of closed lists is left: optional objects and
// elements of lists of which nothing is left are left out.
func receiptOf(v, sent reflect.Value, name string) (short reflect.Value, left bool) {
	t := v.Type()
	if t == reflect.TypeFor[store.Time]() || isIDMember(t, name) || isSent(v, sent) {
		return v, !v.IsZero()
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		if inner, left := receiptOf(v.Elem(), sent, name); left {
			p := reflect.New(t.Elem())
			p.Elem().Set(inner)
			return p, true
		}
	case v.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		short = receiptElements(v, plain(sent), name)
		return short, short.Len() > 0
	case v.Kind() == reflect.Struct && !isText(t):
		p := reflect.New(t)
		p.Elem().Set(v)
		left = receiptMembers(p.Elem(), plain(sent), !hasMember(t, "id"))
		return p.Elem(), left
	}
	return reflect.Zero(t), false
}

// receiptElements returns the elements of which something is left.
func receiptElements(v, sent reflect.Value, name string) reflect.Value {
	out := reflect.MakeSlice(v.Type(), 0, v.Len())
	paired := sent.IsValid() && sent.Kind() == reflect.Slice && sent.Len() == v.Len()
	for i := range v.Len() {
		var one reflect.Value
		if paired {
			one = sent.Index(i)
		}
		if e, left := receiptOf(v.Index(i), one, name); left {
			out = reflect.Append(out, e)
		}
	}
	return out
}

// receiptMembers changes the members of a struct that is a copy already. wraps
// reports whether the struct, or that in which it is embedded, only wraps what it is
// about. It reports whether anything but words of closed lists is left.
func receiptMembers(v, sent reflect.Value, wraps bool) (left bool) {
	t := v.Type()
	for i := range t.NumField() {
		sf, f := t.Field(i), v.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct:
			left = receiptMembers(f, sent, wraps) || left
		case !sf.IsExported():
		case sf.Tag.Get("receipt") == "true":
			left = left || !f.IsZero()
		case sf.Tag.Get("receipt") == "none" && f.Kind() == reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		case name == "" || name == "-":
			f.SetZero() // an encoder of the type's own may use it
		default:
			member := memberOf(sent, name)
			if !member.IsValid() && wraps {
				member = sent
			}
			short, some := receiptOf(f, member, name)
			if !some && isWord(sf) {
				short = wordOf(sf, f)
			}
			f.Set(short)
			left = left || some
		}
	}
	return left
}

// isWord reports whether a member is one of a closed list of words.
func isWord(sf reflect.StructField) bool {
	return sf.Type.Kind() == reflect.String && sf.Tag.Get("enum") != ""
}

// wordOf returns the word v of a member in a receipt.
func wordOf(sf reflect.StructField, v reflect.Value) reflect.Value {
	word := reflect.New(sf.Type).Elem()
	word.Set(v)
	if public := sf.Tag.Get("receipt"); public != "" {
		word.SetString(public)
	}
	return word
}

// isIDMember reports whether a member with the name is an id or a list of ids. A
// clientRequestId is none: its client could choose any text.
func isIDMember(t reflect.Type, name string) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	name = strings.TrimSuffix(name, "s")
	if name == "clientRequestId" {
		return false
	}
	return t.Kind() == reflect.String && (name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "_id"))
}

// isSent reports whether v is a value that the caller sent.
func isSent(v, sent reflect.Value) bool {
	v, sent = plain(v), plain(sent)
	switch {
	case v.CanInt() && sent.CanInt():
		return v.Int() == sent.Int()
	case v.Kind() != sent.Kind(): // also if one is not valid
		return false
	case v.Kind() == reflect.String:
		return v.String() == sent.String()
	case v.Kind() == reflect.Slice && v.Len() == sent.Len():
		for i := range v.Len() {
			if !isSent(v.Index(i), sent.Index(i)) {
				return false
			}
		}
		return true
	}
	return v.Comparable() && sent.Type() == v.Type() && v.Kind() != reflect.Struct && v.Equal(sent)
}

// plain returns what a pointer or a core.Opt has; the zero Value for none.
func plain(v reflect.Value) reflect.Value {
	for v.IsValid() && (v.Kind() == reflect.Pointer || core.IsOpt(v.Type())) {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
			continue
		}
		if has := v.Interface().(interface{ Has() bool }).Has(); !has {
			return reflect.Value{}
		}
		v = v.Field(2)
	}
	return v
}

// hasMember reports whether the JSON object of the struct t has a member.
func hasMember(t reflect.Type, name string) bool {
	for _, sf := range bodyFields(t) {
		if jsonName(sf) == name {
			return true
		}
	}
	return false
}

// memberOf returns a member of the JSON object of a struct; the zero Value if it
// has none.
func memberOf(v reflect.Value, name string) reflect.Value {
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for _, sf := range reflect.VisibleFields(v.Type()) {
		if jsonName(sf) == name && sf.IsExported() {
			return v.FieldByIndex(sf.Index)
		}
	}
	return reflect.Value{}
}

func jsonName(sf reflect.StructField) string {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	return name
}

package api

import (
	"fmt"
	"reflect"
	"strings"

	"hearth/app/core"
	"hearth/app/live"
)

// streamDoc describes each event: its name, its data, and when it is sent. The scope is ToUser for the own stream.
func streamDoc(events []core.Event, scope core.Scope, rest string) string {
	var names []string
	data, docs := map[string]any{}, map[string][]string{}
	for _, e := range events {
		if e.Data == nil || streamOf(e.Scope) != scope {
			continue
		}
		name := e.ClientName()
		if data[name] == nil {
			names, data[name] = append(names, name), e.Data
		}
		docs[name] = append(docs[name], e.Doc)
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "`%s` with `{%s}`: %s\n\n", name, strings.Join(fieldNames(data[name]), ", "), strings.Join(docs[name], " "))
	}
	fmt.Fprintf(&b, "`%s` with `{id}`: The position to resume from is no longer stored. Reload everything. ", live.Resync)
	return b.String() + "The `id:` of an event is opaque. A stream can resume after it for seven days. " + rest
}

func streamOf(scope core.Scope) core.Scope {
	if scope == core.ToConversation {
		return core.ToUser
	}
	return scope
}

func fieldNames(v any) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && !f.Anonymous {
			names = append(names, name)
		}
	}
	return names
}

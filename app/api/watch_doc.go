package api

import (
	"fmt"
	"reflect"
	"strings"

	"hearth/app/core"
	"hearth/app/live"
)

// streamDoc describes a stream from the event tables: the name of each event,
// its data, and when it is sent, followed by rest.
func streamDoc(events []core.Event, ofList bool, rest string) string {
	var names []string
	data, docs := map[string]any{}, map[string][]string{}
	for _, e := range events {
		if e.Data == nil || (e.Scope == core.ToList) != ofList {
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

// fieldNames returns the JSON names of the fields of a struct.
func fieldNames(v any) (names []string) {
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

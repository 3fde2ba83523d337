package mcp

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// arguments are the arguments of a call.
type arguments struct {
	raw    []byte
	byName map[string]jsontext.Value
}

// fill sets in, the input of a tool.
func (s *Server) fill(ctx context.Context, t *tool, v store.Viewer, args arguments, in any) error {
	// A misspelled argument would be ignored, and the model would not notice.
	names := t.names()
	for name := range args.byName {
		if name != keyArgument && !slices.Contains(names, name) {
			short := core.FirstRunes(name, 40)
			return core.InvalidField(short, "%s takes no argument %q. Its arguments are: %s.", t.Name, short, strings.Join(names, ", "))
		}
	}
	plan := t.Op.Info().Plan
	if err := plan.DecodeInput(args.raw, in); err != nil {
		return err
	}
	for _, f := range plan.Fields {
		if f.Place != core.InPath && f.Place != core.InQuery {
			continue
		}
		given, err := s.parameter(ctx, t, v, f, args)
		if err == nil && given != "" {
			err = f.Fill(reflect.ValueOf(in).Elem().FieldByIndex(f.Index), given)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parameter returns the value of a parameter of the path or the query, "" without one.
func (s *Server) parameter(ctx context.Context, t *tool, v store.Viewer, f *core.Field, args arguments) (string, error) {
	if fixed, ok := t.Fixed[f.Name]; ok {
		return fixed, nil
	}
	name, of := t.argument(f), "as text"
	ofItem := t.ByItem && isID(f)
	if ofItem {
		name, of = "item_id", "of an item"
	}
	given := text(args.byName[name])
	switch {
	case given == "" && f.Place == core.InPath:
		return "", core.InvalidField(name, "%s is required: send the id %s.", name, of)
	case f.Place == core.InPath && !store.ValidID(given):
		return "", core.ErrNotFound
	case ofItem:
		return s.cfg.List.ListOf(ctx, v, given)
	case given == "" && (f.Required || args.byName[name].Kind() == '"' && len(f.Enum) > 0):
		return "", f.NoChoice(name)
	}
	return given, nil
}

func isID(f *core.Field) bool { return f.Place == core.InPath && f.Name == "id" }

// argument names the id in the path by its noun.
func (t *tool) argument(f *core.Field) string {
	if isID(f) {
		return strings.ReplaceAll(t.noun, " ", "_") + "_id"
	}
	return f.Name
}

var irregular = map[string]string{"matches": "match", "people": "person", "stories": "story"}

// nounOf returns what the id in the path of a route is of: "conversation" for PATCH /api/chat/conversations/{id}/read.
func nounOf(route string) string {
	path, _, ok := strings.Cut(route, "/{")
	if !ok {
		return "object"
	}
	plural := path[strings.LastIndexByte(path, '/')+1:]
	return strings.ReplaceAll(cmp.Or(irregular[plural], strings.TrimSuffix(plural, "s")), "-", " ")
}

func text(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		b, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return ""
		}
		return string(b)
	case '0', 't', 'f', '{', '[':
		return string(v)
	}
	return ""
}

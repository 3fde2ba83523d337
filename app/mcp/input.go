package mcp

import (
	"context"
	"reflect"
	"slices"

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
	for name := range args.byName {
		if name != keyArgument && !slices.ContainsFunc(t.params, func(p param) bool { return p.name == name }) {
			short := core.FirstRunes(name, 40)
			return core.InvalidField(short, "%s takes no argument %q. Its arguments are: %s.", t.Name, short, t.names())
		}
	}
	plan := t.Op.Info().Plan
	if err := plan.DecodeInput(args.raw, in); err != nil {
		return err
	}
	target := reflect.ValueOf(in).Elem()
	for _, f := range plan.Fields {
		var err error
		switch field := target.FieldByIndex(f.Index); {
		case f.Place == core.InQuery:
			err = t.setQuery(f, field, args)
		case f.Place == core.InPath && f.Name == "id" && t.ByItem:
			err = s.setList(ctx, v, field, text(args.byName["item_id"]))
		case f.Place == core.InPath:
			err = setID(f, field, args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setList sets the list that an item is in.
func (s *Server) setList(ctx context.Context, v store.Viewer, field reflect.Value, item string) error {
	if item == "" {
		return core.InvalidField("item_id", "item_id is required: send the id of an item.")
	}
	if !store.ValidID(item) {
		return core.ErrNotFound
	}
	id, err := s.cfg.List.ListOf(ctx, v, item)
	field.SetString(id)
	return err
}

func setID(f *core.Field, field reflect.Value, args arguments) error {
	name := argumentName(f)
	given := text(args.byName[name])
	if given == "" {
		return core.InvalidField(name, "%s is required: send the id as text.", name)
	}
	if !store.ValidID(given) {
		return core.ErrNotFound
	}
	return f.Parse(field, given)
}

func (t *tool) setQuery(f *core.Field, field reflect.Value, args arguments) error {
	if fixed, ok := t.Fixed[f.Name]; ok {
		return f.Fill(field, fixed)
	}
	value := args.byName[f.Name]
	given := text(value)
	switch {
	case given != "":
		return f.Fill(field, given)
	case f.Required, value.Kind() == '"' && len(f.Enum) > 0:
		return f.NoChoice(f.Name)
	}
	return nil
}

// argumentName names the id in the path of a list by its noun.
func argumentName(f *core.Field) string {
	if f.Place == core.InPath && f.Name == "id" {
		return "list_id"
	}
	return f.Name
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

package mcp

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

func (s *Server) fill(ctx context.Context, t *tool, v store.Viewer, args map[string]jsontext.Value, in any) error {
	if err := t.known(args); err != nil {
		return err
	}
	body, err := t.body(args)
	if err == nil {
		err = t.Op.Info().Plan.DecodeInput(body, in)
	}
	if err != nil {
		return err
	}
	target := reflect.ValueOf(in).Elem()
	for _, f := range t.Op.Info().Plan.Fields {
		if f.Place == core.InBody || !isArgument(f) {
			continue
		}
		value, err := s.argument(ctx, t, v, args, f)
		if err != nil {
			return err
		}
		field := target.FieldByIndex(f.Index)
		field.SetZero()
		if err := setArgument(f, field, value); err != nil {
			return err
		}
	}
	return nil
}

// known refuses unknown arguments: a misspelled one would be ignored, and the model would not notice.
func (t *tool) known(args map[string]jsontext.Value) error {
	for name := range args {
		if name != keyArgument && !slices.ContainsFunc(t.params, func(p param) bool { return p.name == name }) {
			short := core.FirstRunes(name, 40)
			return core.InvalidField(short, "%s takes no argument %q. Its arguments are: %s.", t.Name, short, t.names())
		}
	}
	return nil
}

func (t *tool) body(args map[string]jsontext.Value) ([]byte, error) {
	members := map[string]jsontext.Value{}
	for _, p := range t.params {
		if value, ok := args[p.name]; ok && p.field.Place == core.InBody {
			members[p.field.Name] = value
		}
	}
	return json.Marshal(members, json.Deterministic(true), jsontext.PreserveRawStrings(true))
}

func (s *Server) argument(ctx context.Context, t *tool, v store.Viewer, args map[string]jsontext.Value, f *core.Field) (jsontext.Value,
	error) {
	if fixed, ok := t.Fixed[f.Name]; ok {
		return jsontext.Value(fixed), nil
	}
	if f.Place != core.InPath || f.Name != "id" {
		return args[f.Name], nil
	}
	if !t.ByItem {
		return args["list_id"], nil
	}
	item := text(args["item_id"])
	if item == "" {
		return nil, core.InvalidField("item_id", "item_id is required: send the id of an item.")
	}
	if !store.ValidID(item) {
		return nil, core.ErrNotFound
	}
	id, err := s.cfg.List.ListOf(ctx, v, item)
	return jsontext.Value(strconv.Quote(id)), err
}

func setArgument(f *core.Field, field reflect.Value, value jsontext.Value) error {
	name := f.Name
	if name == "id" {
		name = "list_id"
	}
	given := text(value)
	if f.Place == core.InPath {
		if given == "" {
			return core.InvalidField(name, "%s is required: send the id as text.", name)
		}
		if !store.ValidID(given) || f.Parse(field, given) != nil {
			return core.ErrNotFound
		}
		return nil
	}
	if given == "" {
		if f.Required {
			return core.InvalidField(name, "%s is required: send %s.", name, f.Expects())
		}
		if value.Kind() == '"' && len(f.Enum) > 0 {
			return f.NoChoice(name)
		}
		return nil
	}
	return f.Fill(field, given)
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

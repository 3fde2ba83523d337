package cli

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/urfave/cli/v2"

	"hearth/app/core"
)

// choice returns f with the check of a member of In. The command line then accepts the same values as the operation.
func choice[In any](f *cli.StringFlag, member string) *cli.StringFlag {
	f.Action = func(_ *cli.Context, v string) error { return acceptable[In](f.Name, member, v) }
	return f
}

func number[In any](f *cli.IntFlag, member string) *cli.IntFlag {
	f.Action = func(_ *cli.Context, v int) error { return acceptable[In](f.Name, member, fmt.Sprint(v)) }
	return f
}

func acceptable[In any](flag, member, value string) error {
	plan, err := core.PlanOf(reflect.TypeFor[In]())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(plan.Fields, func(f *core.Field) bool { return f.Name == member })
	if i < 0 {
		return fmt.Errorf("%s has no member %s for --%s", plan.Type, member, flag)
	}
	if f := plan.Fields[i]; f.Accepts(value) != nil {
		return usagef("--%s must be %s, not %q", flag, f.Expects(), value)
	}
	return nil
}

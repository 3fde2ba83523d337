package app_test

import (
	"reflect"
	"regexp"
	"testing"

	"hearth/app/api"
	"hearth/app/op"
)

// Every operation that a package declares is defined, with a summary in the
// common form and a unique name.
func TestOperationsAreDefined(t *testing.T) {
	s := api.Described()
	summary := regexp.MustCompile(`^[A-Z][^.]*[^.]$`)
	names := map[string]bool{}
	for _, ops := range []any{s.Account.Operations, s.Chat.Operations, s.List.Operations, s.Admin.Operations, s.People.Operations, s.Lane.Operations, s.Social.Operations} {
		v := reflect.ValueOf(ops)
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if v.Field(i).IsNil() {
				t.Errorf("%s.%s is not defined", v.Type(), field.Name)
				continue
			}
			info := v.Field(i).Interface().(op.Operation).Info()
			if !summary.MatchString(info.Summary) {
				t.Errorf("%s: the summary %q is not a phrase without a full stop", field.Name, info.Summary)
			}
			if names[info.Name] {
				t.Errorf("two operations are named %s", info.Name)
			}
			names[info.Name] = true
		}
	}
}

package op

import (
	"context"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// An operation with a retry returns what an earlier call has made while there is no
// storage left. Without one, without such a call, or for another reason, it is refused.
func TestRetryWithoutStorage(t *testing.T) {
	found := func(_ context.Context, by store.Viewer, in greetIn) (string, error) {
		return by.UserID + " greeted " + in.Name, nil
	}
	missing := func(context.Context, store.Viewer, greetIn) (string, error) {
		return "", core.ErrNotFound
	}
	for name, tc := range map[string]struct {
		again     func(context.Context, store.Viewer, greetIn) (string, error)
		full      bool
		calls     int // before, of one that the limit permits
		out, code string
	}{
		"storage is left":            {found, false, 0, "Hello Ada!", ""},
		"full, and it was made":      {found, true, 0, "u greeted Ada", ""},
		"full, and it was not made":  {missing, true, 0, "", "storage_full"},
		"full, and it has no retry":  {nil, true, 0, "", "storage_full"},
		"too often, and it was made": {found, false, 1, "", "too_often"},
		"too often and no retry":     {nil, false, 1, "", "too_often"},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1e9, 0)
			limits := NewLimits(func() time.Time { return now }, false)
			limits.Space = func(context.Context) error {
				if tc.full {
					return core.New(core.StorageFull, "storage_full", "There is no storage left.")
				}
				return nil
			}
			once := Limit{Name: "once", Burst: 1, Every: time.Minute, By: ByIP, Code: "too_often"}
			greet := New(limits, (&greeter{}).greet, Spec{Summary: "Greet", Guard: Member, Limits: []Limit{once}, Stores: true})
			if tc.again != nil {
				greet = greet.WithRetry(tc.again)
			}
			for range tc.calls {
				if _, err := greet.Call(t.Context(), human("u"), greetIn{Name: "Ada"}); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := greet.Call(t.Context(), human("u"), greetIn{Name: " Ada"}); code(err) != tc.code || err == nil && out != tc.out {
				t.Errorf("%q, %v; want %q, %q", out, err, tc.out, tc.code)
			}
		})
	}
}

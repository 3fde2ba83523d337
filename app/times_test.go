package app_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// times returns every moment in a JSON value after the member that has it: how long after
// the start it is, in full minutes, or the moment itself if it is not within 100 days.
func times(t *testing.T, body []byte, start time.Time) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	found := map[string]bool{}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, v := range v {
				walk(name, v)
			}
		case []any:
			for _, v := range v {
				walk(name, v)
			}
		case string:
			at, err := time.Parse(time.RFC3339Nano, v)
			if err != nil {
				return
			}
			if d := at.Sub(start); d >= 0 && d < 100*24*time.Hour {
				v = strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
			}
			found[name+"="+v] = true
		}
	}
	walk("", v)
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

package admin

import (
	"regexp"
	"testing"

	"hearth/store/storetest"
)

// Every table has a kind, so that a new one is not counted as something else.
func TestEveryTableHasAKind(t *testing.T) {
	all := regexp.MustCompile(`(?m)^CREATE (?:VIRTUAL )?TABLE (\w+)`).FindAllStringSubmatch(storetest.Schema(t), -1)
	if len(all) < 20 {
		t.Fatalf("the schema has %d tables", len(all))
	}
	for _, m := range all {
		if kindOf(m[1]) == "" {
			t.Errorf("add the table %s to kindOf", m[1])
		}
	}
}

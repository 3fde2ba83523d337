package app_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hearth/app/api"
)

// The limits of all operations are listed in testdata/limits.md, each with the
// operations that have it. -update rewrites the list.
func TestLimitTable(t *testing.T) {
	const path, begin = "../testdata/limits.md", "<!-- limits -->\n"
	operations := map[string][]string{}
	for _, info := range infosOf(api.Described()) {
		var limits []string
		if info.Rate.Burst > 0 {
			limits = append(limits, fmt.Sprintf("account | %d | then one in %v", info.Rate.Burst, info.Rate.Every))
		}
		for _, l := range info.Limits {
			limits = append(limits, fmt.Sprintf("%s | %d | then one in %v", l.Name, l.Burst, l.Every))
		}
		for _, q := range info.Quotas {
			limits = append(limits, fmt.Sprintf("%s, stored | %d | in %v", q.Name, q.Max, q.Window))
		}
		for _, l := range limits {
			operations[l] = append(operations[l], info.Name)
		}
	}
	var rows []string
	for limit, names := range operations {
		slices.Sort(names)
		rows = append(rows, "| "+limit+" | "+strings.Join(slices.Compact(names), ", ")+" |\n")
	}
	slices.Sort(rows)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, old, _ := strings.Cut(string(b), begin)
	want := "| Limit | Calls | | Operations |\n|---|---|---|---|\n" + strings.Join(rows, "")
	if old == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not list the limits: run go test ./app -run LimitTable -update, and look at the change", path)
	}
	if err := os.WriteFile(path, []byte(head+begin+want), 0o600); err != nil {
		t.Fatal(err)
	}
}

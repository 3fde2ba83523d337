package storetest

import (
	"strings"
	"testing"

	"hearth/store"
)

// scansAllowed lists what may be read from end to end, and why.
var scansAllowed = map[string]string{
	"SCAN CONSTANT ROW":    "no table at all",
	"SCAN clock":           "one row",
	"SCAN job":             "a handful of rows",
	"SCAN json_each":       "the caller's own list of ids",
	"SCAN j VIRTUAL TABLE": "json_each, as above",
	"SCAN (subquery-":      "the rows of a subquery, which has a plan of its own",
	"SCAN chosen":          "a subquery, as above",
}

// CheckPlan fails the test if a statement reads a whole table or index. A comment in the statement, as in /* scan:
// few rows */, gives a reason and permits it.
func CheckPlan(t testing.TB, c *store.Conn, query string) {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
	default:
		return
	}
	if strings.Contains(query, "/* scan:") {
		return
	}
	plan, err := c.Plan(query)
	if err != nil {
		return // the statement itself fails where it is run
	}
	for _, detail := range plan {
		if strings.HasPrefix(detail, "SCAN ") && !allowed(detail) {
			t.Errorf("a whole table is read (%s) by:\n%s", detail, query)
		}
	}
}

func allowed(detail string) bool {
	for prefix := range scansAllowed {
		if strings.HasPrefix(detail, prefix) {
			return true
		}
	}
	return false
}

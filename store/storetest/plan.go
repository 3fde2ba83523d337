package storetest

import (
	"context"
	"database/sql"
	"strings"
	"testing"
)

// scansAllowed lists what may read a whole table or index, and why.
var scansAllowed = map[string]string{
	"SCAN CONSTANT ROW": "no table at all",
	"SCAN clock":        "one row",
	"SCAN job":          "a handful of rows",
	"SCAN json_each":    "the caller's own list of ids",
}

// CheckPlan fails the test if a statement reads a whole table, unless the
// statement says why, as in /* scan: few rows */.
func CheckPlan(ctx context.Context, t testing.TB, c *sql.Conn, query string) {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
	default:
		return
	}
	if strings.Contains(query, "/* scan:") {
		return
	}
	rows, err := c.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query)
	if err != nil {
		return // the statement itself fails where it is run
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Errorf("query plan: %v", err)
			return
		}
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

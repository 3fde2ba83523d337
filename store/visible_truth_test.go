package store

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// facts are what is so in one case, by name: "friend" is "incoming".
type facts map[string]string

// truth is a table of all combinations of facts, each with rows of its own in one
// database, by which predicates are evaluated.
type truth struct {
	facts map[string]values
	// where is the condition, over the facts, for the combinations that are looked
	// at; "" is all.
	where string
	// ids are columns of each combination, as expressions over its number i and its
	// facts.
	ids map[string]string
	// rows are inserted for each combination; see values.
	rows string
}

// values are those that a fact can have, with the rows to insert for the
// combinations that have it: INSERT statements without INSERT INTO and FROM, with
// semicolons between them.
type values map[string]string

var notNull = regexp.MustCompile(`(TEXT|INTEGER|BLOB) NOT NULL`)

// world is a database with the rows of a truth.
type world struct {
	*sql.DB
	names []string
}

// open fills a database. It has the columns of schema.sql, but not its constraints.
func (w truth) open(t *testing.T) world {
	t.Helper()
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	exec := func(query string) {
		t.Helper()
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%v: %.300s", err, query)
		}
	}
	exec(notNull.ReplaceAllString(string(schema), "$1"))
	exec(`PRAGMA ignore_check_constraints = ON`)

	names := slices.Sorted(maps.Keys(w.facts))
	tables, columns := []string{}, []string{"*"}
	for _, name := range names {
		var rows []string
		for _, value := range slices.Sorted(maps.Keys(w.facts[name])) {
			rows = append(rows, fmt.Sprintf("SELECT '%s' AS %s", value, name))
		}
		tables = append(tables, "("+strings.Join(rows, " UNION ALL ")+")")
	}
	for _, id := range slices.Sorted(maps.Keys(w.ids)) {
		columns = append(columns, w.ids[id]+" AS "+id)
	}
	if w.where == "" {
		w.where = "1"
	}
	exec(`CREATE TABLE n AS SELECT ` + strings.Join(columns, ", ") + ` FROM (SELECT row_number() OVER () AS i, * FROM ` +
		strings.Join(tables, " CROSS JOIN ") + ` WHERE ` + w.where + `)`)
	insert := func(rows, condition string) {
		for row := range strings.SplitSeq(rows, ";") {
			if row = strings.TrimSpace(row); row != "" {
				exec("INSERT INTO " + row + " FROM n WHERE " + condition)
			}
		}
	}
	insert(w.rows, "1")
	for _, name := range names {
		for value, rows := range w.facts[name] {
			insert(rows, fmt.Sprintf("n.%s = '%s'", name, value))
		}
	}
	return world{db, names}
}

// check evaluates a predicate for each combination, by the tables that are joined to
// n, and compares it with what is wanted.
func (w world) check(t *testing.T, name, joins, predicate string, want func(facts) bool) {
	t.Helper()
	columns := "n." + strings.Join(w.names, ", n.")
	rows, err := w.Query(`SELECT ` + columns + `, coalesce(` + predicate + `, 0) FROM n ` + joins)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer rows.Close()
	count, wrong := map[bool]int{}, 0
	for rows.Next() {
		texts := make([]string, len(w.names))
		var got bool
		to := []any{}
		for i := range texts {
			to = append(to, &texts[i])
		}
		if err := rows.Scan(append(to, &got)...); err != nil {
			t.Fatal(err)
		}
		f := facts{}
		for i, n := range w.names {
			f[n] = texts[i]
		}
		count[want(f)]++
		if got != want(f) {
			if wrong++; wrong <= 3 {
				t.Errorf("%s: %v, want %v, of %v", name, got, want(f), f)
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if count[true] == 0 || count[false] == 0 {
		t.Errorf("%s: %d combinations in which it holds and %d others", name, count[true], count[false])
	}
}

// is reports whether a fact has one of some values.
func (f facts) is(name string, values ...string) bool { return slices.Contains(values, f[name]) }

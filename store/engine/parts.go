package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// part is an entry of a file's schema.
type part struct{ kind, name, table, text string }

func (p part) String() string { return p.kind + " " + p.name }

// foreignParts returns a line for each part of a file that its schema does not
// have, lacks, or has in another form. A trigger or a view of somebody else runs
// with the statements of this program, and stays hidden to every other check. The
// parts of an older version are not known; they are those that its migrations make
// the newest of, and its triggers are triggers of the newest.
func foreignParts(c *Conn, schema Schema, version int) (broken []string, err error) {
	have, err := partsOf(c)
	if err != nil {
		return nil, err
	}
	if schema.Create == "" {
		return nil, nil
	}
	want, err := expectedParts(schema)
	if err != nil {
		return nil, err
	}
	if version != schema.Version() {
		for _, p := range have {
			if p.kind != "table" && p.kind != "index" && !slices.Contains(want, p) {
				broken = append(broken, fmt.Sprintf("foreign: the %s is not one of hearth's", p))
			}
		}
		if len(broken) > 0 {
			return broken, nil
		}
		migrated, err := migratedParts(have, schema, version)
		if err != nil {
			return []string{fmt.Sprintf("foreign: the schema is not that of its version, %d: %v", version, err)}, nil
		}
		have = migrated
	}
	for _, p := range have {
		at := slices.IndexFunc(want, func(w part) bool { return w.kind == p.kind && w.name == p.name })
		if at < 0 {
			broken = append(broken, fmt.Sprintf("foreign: the %s is not one of hearth's", p))
		} else if want[at] != p {
			broken = append(broken, fmt.Sprintf("foreign: the %s is not as hearth makes it", p))
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(have, func(p part) bool { return w.kind == p.kind && w.name == p.name }) {
			broken = append(broken, fmt.Sprintf("missing: the %s", w))
		}
	}
	return broken, nil
}

// created has the parts of a new database for each schema that was asked for, since
// creating one takes longer than all else that is compared.
var created sync.Map

// expectedParts returns the parts of a new database.
func expectedParts(schema Schema) ([]part, error) {
	if known, ok := created.Load(schema.Create); ok {
		return known.([]part), nil
	}
	parts, err := inMemory(func(c *Conn) error { return c.h.script(schema.Create) })
	if err == nil {
		created.Store(schema.Create, parts)
	}
	return parts, err
}

// inMemory returns the parts of a new database in memory after f.
func inMemory(f func(c *Conn) error) ([]part, error) {
	h, err := openHandle(":memory:")
	if err != nil {
		return nil, translate(err)
	}
	c := &Conn{h: h, stmts: map[string]*statement{}}
	defer c.Close()
	if err := f(c); err != nil {
		return nil, translate(err)
	}
	return partsOf(c)
}

// definition is what a text must begin with that is run: the parentheses leave no
// place for a query.
var definition = regexp.MustCompile(`^CREATE (TABLE "?\w+"? ?\(|VIRTUAL TABLE "?\w+"? USING fts5 ?\(|(UNIQUE )?INDEX "?\w+"? ON "?\w+"? ?\()`)

// migratedParts returns what the migrations make of the parts of a file of an older
// version, in a database without rows. Triggers among them are those of the newest.
func migratedParts(parts []part, schema Schema, version int) ([]part, error) {
	// Each virtual table makes the tables that are its own.
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b part) int { return a.rank() - b.rank() })
	return inMemory(func(c *Conn) error {
		for _, p := range parts {
			if p.text == "" || strings.HasPrefix(p.name, "sqlite_") {
				continue // made by SQLite itself
			}
			made, err := c.number(`SELECT count(*) FROM sqlite_schema WHERE name = '` + strings.ReplaceAll(p.name, "'", "''") + `'`)
			if err != nil {
				return err
			}
			if made > 0 {
				continue
			}
			if p.kind != "trigger" && !definition.MatchString(p.text) {
				return fmt.Errorf("the %s is not one of hearth's", p)
			}
			if _, err := c.Exec(p.text); err != nil {
				return fmt.Errorf("the %s: %w", p, err)
			}
		}
		made, err := partsOf(c)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if !strings.HasPrefix(p.name, "sqlite_") && !slices.Contains(made, p) {
				return fmt.Errorf("the %s is not one of hearth's", p)
			}
		}
		return c.runMigrations(schema, version)
	})
}

// rank orders parts so that each comes after those that it needs.
func (p part) rank() int {
	switch {
	case strings.HasPrefix(p.text, "CREATE VIRTUAL "):
		return 0
	case p.kind == "table":
		return 1
	case p.kind == "trigger":
		return 3
	}
	return 2
}

// runMigrations runs the migrations from a version on, within a transaction of the
// caller.
func (c *Conn) runMigrations(schema Schema, version int) error {
	for v := version; v < schema.Version(); v++ {
		if err := c.h.script(schema.Migrations[v-1]); err != nil {
			return fmt.Errorf("the migration to version %d: %w", v+1, translate(err))
		}
	}
	return nil
}

func partsOf(c *Conn) (all []part, err error) {
	rows, err := c.Query(`SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p part
		if err := rows.Scan(&p.kind, &p.name, &p.table, &p.text); err != nil {
			return nil, err
		}
		p.text = NormalSQL(p.text)
		all = append(all, p)
	}
	return all, rows.Err()
}

// NormalSQL returns the text of a statement without comments, line ends and spaces
// around punctuation, so that it does not depend on how it was written.
func NormalSQL(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		words = append(words, strings.Fields(line)...)
	}
	text = strings.Join(words, " ")
	for _, p := range []string{"(", ")", ","} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+p, p), p+" ", p)
	}
	return text
}

package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// part is an entry of a file's schema.
type part struct{ kind, name, table, text string }

func (p part) String() string { return p.kind + " " + p.name }

// foreignParts returns a line for each part of a file that its schema does not
// have, lacks, or has in another form. A trigger or a view of somebody else runs
// with the statements of this program, and stays hidden to every other check. Of an
// older version only triggers and views are compared, with those of the newest.
func foreignParts(c *Conn, schema Schema, version int) (broken []string, err error) {
	have, err := partsOf(c)
	if err != nil || schema.Create == "" {
		return nil, err
	}
	want, err := expectedParts(schema)
	if err != nil {
		return nil, err
	}
	newest := version == schema.Version()
	for _, p := range have {
		at := slices.IndexFunc(want, p.same)
		switch {
		case !newest && (p.kind == "table" || p.kind == "index"):
		case at < 0:
			broken = append(broken, fmt.Sprintf("foreign: the %s is not one of hearth's", p))
		case want[at] != p:
			broken = append(broken, fmt.Sprintf("foreign: the %s is not as hearth makes it", p))
		}
	}
	for _, w := range want {
		if newest && !slices.ContainsFunc(have, w.same) {
			broken = append(broken, fmt.Sprintf("missing: the %s", w))
		}
	}
	return broken, nil
}

func (p part) same(q part) bool { return p.kind == q.kind && p.name == q.name }

// created has the parts of a new database for each schema that was asked for, since
// creating one takes longer than all else that is compared.
var created sync.Map

// expectedParts returns the parts of a new database.
func expectedParts(schema Schema) ([]part, error) {
	if known, ok := created.Load(schema.Create); ok {
		return known.([]part), nil
	}
	c, err := connect(":memory:")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.script(schema.Create); err != nil {
		return nil, err
	}
	parts, err := partsOf(c)
	if err == nil {
		created.Store(schema.Create, parts)
	}
	return parts, err
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

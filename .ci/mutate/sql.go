package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"
)

// word finds the words of SQL: quoted text, comments, names, parameters, numbers and
// operators.
var word = regexp.MustCompile(`(?s)'(?:[^']|'')*'|"[^"]*"|/\*.*?\*/|[A-Za-z_?][\w.]*|\d+|<=|>=|<>|->>?|\|\||\S`)

// isSQL finds what tells that a string of the store is SQL, or a part of it.
var isSQL = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|WHERE|AND|OR|EXISTS|LIMIT|JOIN|ORDER BY|IS NULL)\b|^\.\w+ (=|<>|<|>|IN) |^ (=|<>|<|>) `)

var becomes = map[string]string{
	"<=": "<", "<": "<=", ">=": ">", ">": ">=", "<>": "=", "=": "<>",
	"AND": "OR", "OR": "AND", "IN": "NOT IN", "EXISTS": "NOT EXISTS", "NOT": "", "DESC": "",
	"LIMIT": "LIMIT 1 +", "+": "-", "-": "+", "min": "max", "max": "min",
}

// statements plants the defects of a string of SQL: other operators, a row more, and
// conditions that always hold.
func (f *source) statements(e ast.Expr, value string) {
	if f.tree.Name.Name != "store" || !isSQL.MatchString(value) || strings.HasPrefix(value, "PRAGMA") {
		return
	}
	var s sqlState
	before, behind := "", ""
	plant := func(from, to int, text, shown string) {
		id := f.mutant(e.Pos(), near(value[max(0, from-40):from])+" "+value[from:to]+" "+near(value[to:min(len(value), to+20)]), shown)
		before += fmt.Sprintf("mutant__.Text(%d, ", id)
		behind = fmt.Sprintf(", %d, %d, %q)", from, to, text) + behind
	}
	all := word.FindAllStringIndex(value, -1)
	at := func(i int) string {
		if i < 0 || i >= len(all) {
			return ""
		}
		return value[all[i][0]:all[i][1]]
	}
	for i := range all {
		from, to := all[i][0], all[i][1]
		text, changes, drops := s.next(at(i-1), at(i), at(i+1))
		if changes {
			plant(from, to, text, text)
		}
		if drops {
			plant(from, to, at(i)+dropMark, "always true")
		}
	}
	if before != "" {
		f.wrap(e, before, behind)
	}
}

// dropMark is behind a keyword in a statement whose next condition always holds.
const dropMark = "\x00"

// sqlState is where in a statement a word is.
type sqlState struct {
	depth   int  // of parentheses
	set     int  // 1 + the depth of the assignments of an UPDATE, 0 outside
	between bool // the next AND is that of BETWEEN
}

// next returns what a word becomes, and whether the condition behind it may be dropped.
func (s *sqlState) next(last, w, next string) (text string, changes, drops bool) {
	text, changes = becomes[w]
	switch w {
	case "(":
		s.depth++
	case ")":
		s.depth--
	case "SET":
		s.set = s.depth + 1
	case "WHERE", "HAVING":
		if s.set == s.depth+1 {
			s.set = 0
		}
		return "", false, true
	case "ON":
		return "", false, next != "CONFLICT"
	case "=":
		changes = s.set != s.depth+1
	case "BETWEEN":
		s.between = true
	case "AND":
		drops = !s.between
		changes, s.between = drops, false
	case "OR":
		changes = last != "INSERT"
	case "IS":
		if next == "NOT" {
			return "", false, false
		}
		return "IS NOT", true, false
	case "NOT":
		changes = last != "IF"
	case "IN", "EXISTS":
		changes = last != "NOT"
	case "LIMIT":
		changes = next != "1" // one row is read anyway
	case "+", "-":
		changes = operand.MatchString(last) // not of one operand, which tells SQLite to use no index
	case "min", "max":
		changes = next == "("
	}
	return text, changes, drops
}

// operand matches the last word of one.
var operand = regexp.MustCompile(`^([a-z?\d][\w.]*|\))$`)

// condition removes the conditions that are marked in a string of SQL, when all of its
// parts are joined. It reports whether the expression is a string or a part of one.
func (f *source) condition(e ast.Expr, part bool) bool {
	if _, ok := e.(*ast.BinaryExpr); !ok && !f.isConstant(e) {
		return part
	}
	basic, ok := f.info.Types[e].Type.Underlying().(*types.Basic)
	if f.tree.Name.Name != "store" || !ok || basic.Kind() != types.String || !isSQL.MatchString(f.text(e)) && !f.isConstant(e) {
		return part
	}
	if !part && (!f.isConstant(e) || isSQL.MatchString(constant.StringVal(f.info.Types[e].Value))) {
		f.enclose(e, "mutant__.Conditions(", ")", 1)
	}
	return true
}

// near is a part of a statement in one line.
func near(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ") }

package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// visitor finds the expressions of a file that can be changed.
type visitor struct {
	f    *source
	text bool // the expression is a part of a string
}

func (v visitor) Visit(n ast.Node) ast.Visitor {
	switch x := n.(type) {
	case *ast.GenDecl:
		if x.Tok != token.VAR {
			return nil
		}
	case *ast.ArrayType:
		ast.Walk(v, x.Elt)
		return nil
	case *ast.Field, *ast.FuncType:
		return nil
	case *ast.BlockStmt:
		v.f.leftOut(x.List)
	case *ast.CommClause:
		v.f.leftOut(x.Body)
	case *ast.CaseClause:
		v.f.leftOut(x.Body)
		for _, s := range x.Body {
			ast.Walk(v, s)
		}
		for _, e := range x.List {
			if !v.f.isConstant(e) {
				ast.Walk(v, e)
			}
		}
		return nil
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value // the indexes of an array must be constant
			}
			ast.Walk(v, e)
		}
		return nil
	case *ast.IfStmt:
		if c := v.f.clamp(x); c != nil {
			if x.Init != nil {
				ast.Walk(v, x.Init)
			}
			ast.Walk(v, c.X)
			ast.Walk(v, c.Y)
			ast.Walk(v, x.Body)
			return nil
		}
	case ast.Expr:
		return v.expression(x)
	}
	return v
}

// expression is Visit for an expression.
func (v visitor) expression(x ast.Expr) ast.Visitor {
	if b, ok := x.(*ast.BinaryExpr); (ok && b.Op != token.LAND && b.Op != token.LOR || v.f.isConstant(x)) && speed.MatchString(v.f.text(x)) {
		return nil
	}
	v.text = v.f.condition(x, v.text)
	if v.f.isConstant(x) {
		v.f.constant(x)
		return nil
	}
	if call, ok := x.(*ast.CallExpr); ok {
		for i, arg := range call.Args {
			if !v.f.isSpeed(call, i) {
				ast.Walk(v, arg)
			}
		}
		ast.Walk(v, call.Fun)
		return nil
	}
	v.f.operator(x)
	return v
}

// speed is in what decides how something is found, and not what: what a search expects
// reading to cost, how far it goes before it reads in another way, and how many words
// it asks the index for.
var speed = regexp.MustCompile(`^[^"\x60]*([a-z]Cost|\bbudget|[a-z]Budget|\bscanned|\b(first|last)Block|\bmaxTokens)\b`)

// sameResult are functions that choose the quicker of two ways with the same result.
var sameResult = []string{
	"store.isPlain", "store.plainRun", // what is not plain is folded by tables
	"store.markMany", // the words of an account are removed at once, or marked first
}

// isSpeed reports whether an argument of a call changes how quick a program is, or
// how long it waits for others by the clock of the machine, and not what it does:
// capacities and time limits.
func (f *source) isSpeed(call *ast.CallExpr, arg int) bool {
	switch name := f.text(call.Fun); name {
	case "make":
		switch f.info.Types[call.Args[0]].Type.Underlying().(type) {
		case *types.Map:
			return arg == 1
		case *types.Slice:
			return arg == 2
		}
	case "slices.Grow", "context.WithTimeout", "bufio.NewReaderSize", "bufio.NewWriterSize":
		return arg >= 1
	case "time.After", "time.NewTimer", "time.NewTicker", "time.AfterFunc", "time.Sleep":
		return arg == 0
	default:
		return strings.HasSuffix(name, ".Grow")
	}
	return false
}

// clamp returns the condition of an if statement that only sets one of two compared
// values to the other: that both are equal makes no difference.
func (f *source) clamp(s *ast.IfStmt) *ast.BinaryExpr {
	c, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || s.Else != nil || len(s.Body.List) != 1 {
		return nil
	}
	set, ok := s.Body.List[0].(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 {
		return nil
	}
	switch c.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return nil
	}
	if to, from, a, b := f.text(set.Lhs[0]), f.text(set.Rhs[0]), f.text(c.X), f.text(c.Y); to == a && from == b || to == b && from == a {
		return c
	}
	return nil
}

func (f *source) isConstant(e ast.Expr) bool { return f.info.Types[e].Value != nil }

// operator plants the defects of an expression that is not constant.
func (f *source) operator(e ast.Expr) {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.NOT {
		f.wrap(e, "(", fmt.Sprintf(" != mutant__.On(%d))", f.mutant(u.OpPos, "!", "")))
		return
	}
	x, ok := e.(*ast.BinaryExpr)
	if !ok {
		return
	}
	a, b := f.text(x.X), f.text(x.Y)
	behind := ""
	switch x.Op {
	case token.LSS:
		behind = fmt.Sprintf(" || mutant__.On(%d) && (%s) == (%s))", f.mutant(x.OpPos, "<", "<="), a, b)
	case token.GTR:
		behind = fmt.Sprintf(" || mutant__.On(%d) && (%s) == (%s))", f.mutant(x.OpPos, ">", ">="), a, b)
	case token.LEQ:
		behind = fmt.Sprintf(" && !(mutant__.On(%d) && (%s) == (%s)))", f.mutant(x.OpPos, "<=", "<"), a, b)
	case token.GEQ:
		behind = fmt.Sprintf(" && !(mutant__.On(%d) && (%s) == (%s)))", f.mutant(x.OpPos, ">=", ">"), a, b)
	case token.EQL:
		behind = fmt.Sprintf(" != mutant__.On(%d))", f.mutant(x.OpPos, "==", "!="))
	case token.NEQ:
		behind = fmt.Sprintf(" != mutant__.On(%d))", f.mutant(x.OpPos, "!=", "=="))
	case token.LAND:
		behind = fmt.Sprintf(" || mutant__.On(%d) && ((%s) || (%s)))", f.mutant(x.OpPos, "&&", "||"), a, b)
	case token.LOR:
		behind = fmt.Sprintf(" && (!mutant__.On(%d) || (%s) && (%s)))", f.mutant(x.OpPos, "||", "&&"), a, b)
	case token.ADD, token.SUB:
		f.sum(x)
		return
	default:
		return
	}
	f.wrap(e, "((", ")"+behind)
}

// sum makes a sum a difference, or the reverse.
func (f *source) sum(x *ast.BinaryExpr) {
	basic, ok := f.info.Types[x].Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&(types.IsInteger|types.IsFloat) == 0 {
		return
	}
	name, other := "Add", "-"
	if x.Op == token.SUB {
		name, other = "Subtract", "+"
	}
	f.wrap(x, fmt.Sprintf("mutant__.%s(%d, ", name, f.mutant(x.OpPos, x.Op.String(), other)), ")")
	at := f.offset(x.OpPos)
	f.edits = append(f.edits, edit{at, at + 1, ",", 0})
}

// constant plants the defects of a constant expression.
func (f *source) constant(e ast.Expr) {
	t := f.info.Types[e]
	basic, ok := t.Type.Underlying().(*types.Basic)
	switch {
	case !ok || basic.Info()&types.IsUntyped != 0:
	case basic.Info()&types.IsInteger != 0:
		f.number(e, t)
	case types.Identical(t.Type, types.Typ[types.String]):
		f.statements(e, constant.StringVal(t.Value))
	}
}

// number increments a number above one. What is written as a multiple of a constant,
// such as two hours, becomes one more of them.
func (f *source) number(e ast.Expr, t types.TypeAndValue) {
	name := types.TypeString(t.Type, func(p *types.Package) string { return p.Name() })
	if strings.Contains(name, ".") && name != "time.Duration" || !f.isOwn(e) {
		return
	}
	value, ok := constant.Int64Val(t.Value)
	if !ok || value <= 1 {
		return
	}
	step := int64(1)
	if m, ok := e.(*ast.BinaryExpr); ok && m.Op == token.MUL {
		if n, err := strconv.ParseInt(f.text(m.X), 10, 64); err == nil && n > 0 {
			step = value / n
		}
	} else if name == "time.Duration" && value > 1_000_000 {
		step = 1_000_000
	}
	at := e.Pos()
	if name == "time.Duration" && !strings.Contains(string(f.code), `"time"`) {
		return
	}
	id := f.mutant(at, f.text(e), fmt.Sprintf("%s + %d", f.text(e), step))
	f.wrap(e, fmt.Sprintf("mutant__.Number[%s](%d, ", name, id), fmt.Sprintf(", %d)", step))
}

// isOwn reports whether a number is decided in this program: it is written here in
// decimal digits, or is a constant of the program.
func (f *source) isOwn(e ast.Expr) bool {
	own := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BasicLit:
			_, err := strconv.Atoi(x.Value)
			own = own || err == nil
		case *ast.Ident:
			c, ok := f.info.Uses[x].(*types.Const)
			own = own || ok && c.Pkg() != nil && strings.HasPrefix(c.Pkg().Path(), "hearth/")
		}
		return true
	})
	return own
}

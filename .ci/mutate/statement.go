package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
)

// leftOut plants the defects of a list of statements: each call, each assignment and
// each step that may fail is left out.
func (f *source) leftOut(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && !f.isUnnoticed(call) {
				f.leaveOut(s)
			}
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && f.text(s.Lhs[0]) != "_" {
				f.leaveOut(s)
			}
		case *ast.IncDecStmt:
			f.leaveOut(s)
		case *ast.IfStmt:
			f.step(s)
		case *ast.ReturnStmt:
			if len(s.Results) == 1 {
				f.succeed(s.Results[0])
			}
		}
	}
}

// leaveOut plants that a statement is left out.
func (f *source) leaveOut(s ast.Stmt) {
	f.wrap(s, fmt.Sprintf("if !mutant__.On(%d) { ", f.mutant(s.Pos(), near(f.text(s)), "left out")), " }")
}

// step plants that a step is left out which ends the function if it fails: if err :=
// step(); err != nil.
func (f *source) step(s *ast.IfStmt) {
	set, ok := s.Init.(*ast.AssignStmt)
	if !ok || len(set.Rhs) != 1 || s.Else != nil || f.text(s.Cond) != "err != nil" {
		return
	}
	if call, ok := set.Rhs[0].(*ast.CallExpr); ok && !f.isUnnoticed(call) {
		f.wrap(s, fmt.Sprintf("if mutant__.On(%d) { } else ", f.mutant(s.Pos(), near(f.text(set)), "left out")), "")
	}
}

// succeed plants that the last step of a function, which may fail, is left out.
func (f *source) succeed(e ast.Expr) {
	call, ok := e.(*ast.CallExpr)
	if ok && types.Identical(f.info.Types[e].Type, types.Universe.Lookup("error").Type()) && !f.isUnnoticed(call) {
		f.wrap(e, fmt.Sprintf("func() error { if mutant__.On(%d) { return nil }; return ", f.mutant(e.Pos(), near(f.text(e)), "nil")), " }()")
	}
}

// unnoticed matches functions without which a test finishes in the same way, or never.
var unnoticed = regexp.MustCompile(`^(panic|cancel|stop)$|\.(Close|Stop|Grow|Write|WriteString|WriteByte|Fprint\w*)$`)

// isUnnoticed reports whether a call only logs, waits, locks or gives something back,
// or else writes text.
func (f *source) isUnnoticed(call *ast.CallExpr) bool {
	fun := call.Fun
	if s, ok := fun.(*ast.SelectorExpr); ok {
		fun = s.Sel
	}
	if id, ok := fun.(*ast.Ident); ok && f.info.Uses[id] != nil && f.info.Uses[id].Pkg() != nil {
		switch f.info.Uses[id].Pkg().Path() {
		case "sync", "log/slog", "runtime":
			return true
		}
	}
	return unnoticed.MatchString(f.text(call.Fun))
}

package engine

import sqlite3 "modernc.org/sqlite/lib"

// Work is what a statement has done on a connection since it was prepared.
type Work struct {
	Runs  int // how often it ran
	Steps int // how many instructions of SQLite's virtual machine that took
}

// Work returns the work of each statement that is prepared on the connection, and
// how many rows all of them have changed. Tests compare it, because times are not
// exact.
func (c *Conn) Work() (work map[string]Work, changed int64) {
	work = make(map[string]Work, len(c.stmts))
	for query, s := range c.stmts {
		status := func(op int32) int { return int(sqlite3.Xsqlite3_stmt_status(c.h.tls, s.p, op, 0)) }
		work[query] = Work{Runs: status(sqlite3.SQLITE_STMTSTATUS_RUN), Steps: status(sqlite3.SQLITE_STMTSTATUS_VM_STEP)}
	}
	return work, c.TotalChanges()
}

package store

// ExecForTest runs a statement that no operation has.
func (tx *Tx) ExecForTest(query string, args ...any) (int64, error) {
	return tx.execCount(query+` /* server: a test */ /* scan: a test */`, args...)
}

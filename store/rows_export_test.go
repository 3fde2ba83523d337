package store

// TextForTest returns the text of the one row of a query.
func (r *Reader) TextForTest(query string, args ...any) (string, error) {
	return one[string](r, query+` /* server: a test */ /* scan: a test */`, args...)
}

package store

// TextForTest returns the text of the one row of a query.
func (r *Reader) TextForTest(query string, args ...any) (out string, err error) {
	err = r.value([]any{&out}, query+` /* server: a test */ /* scan: a test */`, args...)
	return out, err
}

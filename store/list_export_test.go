package store

// HiddenPrefixesForTest returns the prefixes of the tokens of items that by finds
// and not everybody.
func (r *Reader) HiddenPrefixesForTest(by Viewer) ([]string, error) {
	return r.hiddenPrefixes(by, true)
}

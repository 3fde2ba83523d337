package store

// HiddenPrefixesForTest returns the prefixes of the tokens of items that by finds
// and not everybody.
func (r *Reader) HiddenPrefixesForTest(by Viewer) ([]string, error) {
	return r.hiddenPrefixes(by, true)
}

// SearchedTermsForTest returns how many terms of the index a search of items looks up.
func (r *Reader) SearchedTermsForTest(by Viewer, q ListSearch, limit int) (terms int, err error) {
	walks, err := itemWalks(r, by, q, limit)
	for _, w := range walks {
		terms += w.terms
	}
	return terms, err
}

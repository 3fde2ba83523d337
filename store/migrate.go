package store

// migrations lead from each schema version to the next, the first from 1 to 2; there is
// none yet. The newest version is what schema.sql makes. Once a version is released,
// testdata/schema has a copy of its schema.sql, and its migration never changes.
func migrations() []string { return nil }

package store

// VersionForTest returns the newest version of the schema.
func VersionForTest() int { return schemaOf("").Version() }

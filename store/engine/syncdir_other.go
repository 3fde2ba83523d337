//go:build !unix

package engine

// SyncDir does nothing: a folder cannot be synced on these systems; their file
// systems keep names safe.
func SyncDir(string) error { return nil }

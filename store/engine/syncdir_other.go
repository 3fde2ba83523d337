//go:build !unix

package engine

// syncDir does nothing: a folder cannot be synced on these systems; their file
// systems keep names safe.
func syncDir(string) error { return nil }

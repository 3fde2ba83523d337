//go:build !unix

package store

// syncDir does nothing: elsewhere a folder cannot be synced, and the file
// system keeps names by itself.
func syncDir(string) error { return nil }

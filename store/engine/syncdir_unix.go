//go:build unix

package engine

import "os"

// SyncDir syncs a folder, so that a new name in it survives a power cut.
func SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

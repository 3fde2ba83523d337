//go:build unix

package engine

import "os"

// syncDir syncs a folder, so that a new name in it survives a power cut.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

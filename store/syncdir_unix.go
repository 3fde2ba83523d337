//go:build unix

package store

import "os"

// syncDir makes sure that a file's new name survives a power cut.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

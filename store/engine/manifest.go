package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Manifest describes a backup. It is stored as JSON beside the backup, in a
// file of its name with ".manifest.json" added.
type Manifest struct {
	SHA256        string           `json:"sha256"` // of the whole file, in hex
	Size          int64            `json:"size"`   // bytes
	SchemaVersion int              `json:"schema_version"`
	Rows          map[string]int64 `json:"rows"`    // the number of rows of each table
	MadeAt        Time             `json:"made_at"` // when the copy was finished
}

// ManifestPath returns the path of a backup's manifest.
func ManifestPath(backup string) string { return backup + ".manifest.json" }

// writeManifest writes the manifest of a backup of the database at from.
func writeManifest(from, backup string, m Manifest) error {
	b, err := json.Marshal(m, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	f, err := create(ManifestPath(backup), from)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(append(b, '\n')); err != nil {
		return err
	}
	return f.Sync()
}

// readManifest returns nil if the backup has no manifest.
func readManifest(backup string) (*Manifest, error) {
	name := ManifestPath(backup)
	var b []byte
	err := regular(name)
	if err == nil {
		b, err = os.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w); the backup cannot be trusted", name, err)
	}
	return &m, nil
}

// differences returns how a file of this hash and size differs from the one
// that the manifest is of.
func (m *Manifest) differences(sum string, size int64) []string {
	switch {
	case size != m.Size:
		return []string{fmt.Sprintf("the file has %d bytes, its manifest says %d", size, m.Size)}
	case sum != m.SHA256:
		return []string{"the file is not the one its manifest was made for: the SHA-256 differs"}
	}
	return nil
}

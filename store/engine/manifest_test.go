package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// Manifests of older backups call the schema version "format".
func TestManifestOfOlderBackups(t *testing.T) {
	for text, want := range map[string]int{
		`{"sha256":"ab","size":1,"format":3,"rows":{"thing":2},"made_at":"2026-11-20T09:40:08.000123Z"}`:         3,
		`{"sha256":"ab","size":1,"schema_version":4,"rows":{"thing":2},"made_at":"2026-11-20T09:40:08.000123Z"}`: 4,
	} {
		backup := filepath.Join(t.TempDir(), "backup.db")
		if err := os.WriteFile(ManifestPath(backup), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(backup)
		if err != nil || m.SchemaVersion != want || m.Rows["thing"] != 2 || m.SHA256 != "ab" || m.MadeAt == 0 {
			t.Errorf("%s is read as %+v, %v", text, m, err)
		}
	}
}

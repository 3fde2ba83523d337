package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every secret that the server keeps is in the table of testdata/secrets.md, and
// nothing else.
func TestSecretsAreListed(t *testing.T) {
	made := regexp.MustCompile(`\.Secret\(([\w"]+), func`)
	var kept []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		code, err := os.ReadFile(name)
		for _, m := range made.FindAllStringSubmatch(string(code), -1) {
			secret := m[1]
			if c := regexp.MustCompile(secret + ` = ("\w+")`).FindStringSubmatch(string(code)); c != nil {
				secret = c[1]
			}
			kept = append(kept, strings.Trim(secret, `"`))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../testdata/secrets.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(kept)
	slices.Sort(listed)
	if len(kept) < 5 || !slices.Equal(kept, listed) {
		t.Errorf("the server keeps %q, and testdata/secrets.md has %q", kept, listed)
	}
}

package storetest

import (
	"os"
	"testing"
)

func checkFile(t testing.TB, path string, c crowd) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		return // a test may remove the file
	}
	db, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c.check(t, db)
	checkRecent(t, db)
	for _, index := range []string{"message_word", "list_word", "item_word"} {
		if _, err := db.Exec(`INSERT INTO ` + index + ` (` + index + `) VALUES ('integrity-check')`); err != nil {
			t.Errorf("the index %s: %v", index, err)
		}
	}
}

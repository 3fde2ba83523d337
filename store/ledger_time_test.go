package store_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// To add accounts to the text file takes about twice as long for twice as many that are
// in it already.
func TestTimeToAppendLedger(t *testing.T) {
	db := storetest.OpenEmpty(t)
	const accounts = 16_000
	list := make([]store.Erased, accounts)
	for n := range list {
		list[n] = store.Erased{UserID: fmt.Sprintf("0198c0de-0000-7000-8000-%012d", n), At: 1773480413_000000}
	}
	storetest.CheckGrowth(t, "accounts", strings.Repeat("x", accounts), func(some string) {
		var lines bytes.Buffer
		for _, e := range list[:len(some)] {
			fmt.Fprintf(&lines, "%s %s\n", e.UserID, e.At)
		}
		if err := os.WriteFile(store.LedgerPath(db.Path()), lines.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := db.AppendLedger(list[:len(some)]); err != nil {
			t.Error(err)
		}
	})
}

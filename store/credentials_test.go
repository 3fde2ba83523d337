package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// changesCredentials finds statements that change who a credential
	// identifies, or whether it does.
	changesCredentials = regexp.MustCompile(`(UPDATE|DELETE FROM) (user|session|api_key)\b`)
	methodStart        = regexp.MustCompile(`(?m)^func `)
)

// unrelated are the methods whose changes decide nothing about a credential.
var unrelated = []string{
	"PruneSessions", "PruneKeys", // what has ended already
	"SetOnline", "SetOffline", "TouchKeys", "TouchUsers", // when an account was last seen
	"charge", // how much storage it uses
}

// Every method that changes accounts, sessions or keys announces it, or a
// credential that was revoked would stay in the cache.
func TestChangesOfCredentialsAreAnnounced(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range methodStart.Split(string(b), -1)[1:] {
			head, body, _ := strings.Cut(method, "{\n")
			if !changesCredentials.MatchString(body) || exempt(head) {
				continue
			}
			found++
			if !strings.Contains(body, "tx.credentialsChanged(") {
				t.Errorf("%s: %s changes credentials and does not call tx.credentialsChanged", file, head)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d methods change credentials: the test no longer finds them", found)
	}
}

func exempt(head string) bool {
	for _, name := range unrelated {
		if strings.Contains(head, ") "+name+"(") {
			return true
		}
	}
	return false
}

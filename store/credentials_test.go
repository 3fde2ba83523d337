package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

var (
	// changesCredentials finds statements that change who a credential
	// identifies, or whether it does.
	changesCredentials = regexp.MustCompile(`(UPDATE|DELETE FROM) (user|session|api_key)\b`)
	methodStart        = regexp.MustCompile(`(?m)^func `)
)

// unrelated are the methods whose changes decide nothing about a credential.
var unrelated = []string{
	"SetOnline", "SetOffline", "SetSignedOut", "TouchKeys", "TouchUsers", // when an account was last seen
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
	if strings.HasPrefix(head, "endedOf(") { // in a file that no server has open
		return true
	}
	for _, name := range unrelated {
		if strings.Contains(head, ") "+name+"(") {
			return true
		}
	}
	return false
}

// A write that changes who a credential identifies, or whether it does, tells of the
// account, and of its bots if that applies to them, once it is durable.
func TestChangedCredentialsAreTold(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	names := map[string]string{p.Ada.ID: "Ada", p.Ben.ID: "Ben"}
	var key store.Key
	write(t, db, func(tx *store.Tx) error {
		bot, err := tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: p.Ada.ID, SignupProvider: "test"})
		if err != nil {
			return err
		}
		names[bot.ID] = "bot"
		key, err = tx.InsertKey(store.Key{UserID: p.Ada.ID, Kind: "agent", Prefix: "x", Hash: "h", CanRead: true, CanWrite: true})
		return err
	})
	var told []string
	called := false // without accounts, too, which stands for all of them
	db.OnCredentials(func(ids []string) {
		called = true
		for _, id := range ids {
			told = append(told, names[id])
		}
	})
	for _, c := range []struct {
		name  string
		write func(tx *store.Tx) error
		want  string
	}{
		{"a session begins", func(tx *store.Tx) error {
			_, err := tx.InsertSession(store.Session{ID: "s", UserID: p.Ada.ID, Kind: "browser", ExpiresAt: 1 << 60})
			return err
		}, ""},
		{"a session ends", func(tx *store.Tx) error { return tx.DeleteSession(p.Ada.ID, "s") }, "Ada"},
		{"all sessions end", func(tx *store.Tx) error { return tx.DeleteSessions(p.Ada.ID) }, "Ada"},
		{"a key changes", func(tx *store.Tx) error { return tx.UpdateKey(key) }, "Ada"},
		{"a key is revoked", func(tx *store.Tx) error { return tx.RevokeKey(p.Ada.ID, key.ID) }, "Ada"},
		{"all keys are revoked", func(tx *store.Tx) error { return tx.RevokeKeys(p.Ada.ID) }, "Ada bot"},
		{"an account changes", func(tx *store.Tx) error { _, err := tx.UpdateUser(p.Ada); return err }, "Ada bot"},
		{"an account without a bot changes", func(tx *store.Tx) error { _, err := tx.UpdateUser(p.Ben); return err }, "Ben"},
		{"an account is deleted", func(tx *store.Tx) error { _, err := tx.EraseUser(p.Ben.ID); return err }, "Ben"},
	} {
		told, called = nil, false
		write(t, db, c.write)
		slices.Sort(told)
		if got := strings.Join(slices.Compact(told), " "); got != c.want || called != (c.want != "") {
			t.Errorf("%s: told %v, of %q, want %q", c.name, called, got, c.want)
		}
	}
}

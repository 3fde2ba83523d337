package storetest

import (
	"database/sql"
	"os"
	"testing"
)

// recentOrder returns the groups that do not name members in the order of their last messages. It is not in
// invariants.sql: files of earlier versions may have another order. Only the newest 100 messages decide.
const recentOrder = `SELECT c.id || ': ' || b.user_id || ' sent after ' || a.user_id FROM conversation c
	JOIN member a ON a.conversation_id = c.id AND instr(c.recent, a.user_id) > 0
	JOIN member b ON b.conversation_id = c.id AND (instr(c.recent, b.user_id) > instr(c.recent, a.user_id) OR instr(c.recent, b.user_id) = 0)
	WHERE c.type = 'group'
	AND (SELECT max(x.created_at) FROM message x WHERE x.conversation_id = c.id AND x.sender_id = b.user_id AND x.created_at > b.joined_at
			AND x.created_at >= coalesce((SELECT n.created_at FROM message n WHERE n.conversation_id = c.id
			ORDER BY n.created_at DESC LIMIT 1 OFFSET 99), 0))
		> coalesce((SELECT max(x.created_at) FROM message x WHERE x.conversation_id = c.id AND x.sender_id = a.user_id), 0)`

// CheckRecent fails the test if recentOrder returns a group of the database at path.
func CheckRecent(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		return // a test may remove the file
	}
	file, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	checkRecent(t, file)
}

func checkRecent(t testing.TB, file *sql.DB) {
	t.Helper()
	wrong, err := texts(file, recentOrder)
	if err != nil {
		t.Errorf("the order of members: %v", err)
	}
	for _, line := range wrong {
		t.Errorf("a group names members in another order than that in which they sent last: %s", line)
	}
}

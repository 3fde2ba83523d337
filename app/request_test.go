package app_test

import (
	"fmt"
	"slices"
	"testing"
)

// What a key asks for ends with it, and its account is told; the end of another key, or
// of one that asks for nothing, changes nothing.
func TestRevokedKeyAsksForNothing(t *testing.T) {
	w := newWorld(t)
	w.token("ada/read") // a key that asks for nothing
	told := func() (n int) {
		w.rows(func(table string, row []any) {
			if table == "event" && fmt.Sprint(row[2], row[1]) == "review.updated"+w.cast.Ada.ID {
				n++
			}
		})
		return n
	}
	waiting := func() int { return len(traces(t, w, "publish_story")) }
	w.want("ada/rw", "POST", "/api/stories", `{"confirm":false,"text":"Soup","audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z"}`, 200, "approvalGrant")
	before := told()
	w.want("ada", "DELETE", "/api/agent-keys/"+w.keyID("ada/read"), "", 204, "")
	if told() != before || waiting() != 1 {
		t.Errorf("after another key was revoked %d requests wait, and ada was told %d times", waiting(), told()-before)
	}
	w.want("ada", "PATCH", "/api/agent-keys/"+w.keyID("ada/rw"), `{"scopes":["write"]}`, 200, "")
	if told() != before || waiting() != 1 {
		t.Errorf("after the key lost the scope read %d requests wait, and ada was told %d times", waiting(), told()-before)
	}
	w.want("ada", "PATCH", "/api/agent-keys/"+w.keyID("ada/rw"), `{"scopes":["read"]}`, 200, "")
	if told() != before+1 || waiting() != 0 {
		t.Errorf("after the key lost the scope write %d requests wait, and ada was told %d times", waiting(), told()-before)
	}
	w.want("ada", "PATCH", "/api/agent-keys/"+w.keyID("ada/rw"), `{"scopes":["read","write"]}`, 200, "")
	w.want("ada/rw", "POST", "/api/stories", `{"confirm":false,"text":"Soup","audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z"}`, 200, "approvalGrant")
	before = told()
	w.want("ada", "DELETE", "/api/agent-keys/"+w.keyID("ada/rw"), "", 204, "")
	if told() != before+1 || waiting() != 0 {
		t.Errorf("after the key was revoked %d requests wait, and ada was told %d times: %q", waiting(), told()-before, slices.Sorted(slices.Values(traces(t, w, "publish_story"))))
	}
}

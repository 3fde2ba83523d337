package app_test

import (
	"fmt"
	"slices"
	"strings"
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
	w.want("ada/rw", "POST", "/api/stories",
		`{"confirm":false,"text":"Soup","audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z"}`, 200,
		"approvalGrant")
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
	w.want("ada/rw", "POST", "/api/stories",
		`{"confirm":false,"text":"Soup","audience":{"userIds":["$id:ben"],"conversationIds":[]},"storyExpiresAt":"2098-01-01T00:00:00Z"}`, 200,
		"approvalGrant")
	before = told()
	w.want("ada", "DELETE", "/api/agent-keys/"+w.keyID("ada/rw"), "", 204, "")
	if told() != before+1 || waiting() != 0 {
		t.Errorf("after the key was revoked %d requests wait, and ada was told %d times: %q", waiting(), told()-before,
			slices.Sorted(slices.Values(traces(t, w, "publish_story"))))
	}
}

// Names, titles and what stands beside a name have no marks that reverse what follows.
func TestNamesArePlain(t *testing.T) {
	w := newWorld(t)
	for request, field := range map[string]string{
		`anonymous POST /api/auth/magic-link/verify {"email":"new@example.org","code":"123456","name":"%s"}`: "name",
		`ada PATCH /api/auth/me {"name":"%s"}`:                                                        "name",
		`ada PUT /api/auth/me/status {"text":"%s"}`:                                                   "text",
		`ada PATCH /api/card/me {"headline":"%s"}`:                                                    "headline",
		`ada POST /api/lists {"title":"%s"}`:                                                          "title",
		`ada POST /api/agent-keys {"name":"%s","scopes":["read"]}`:                                    "name",
		`ada POST /api/chat/conversations {"participantIds":["$id:ben"],"type":"group","title":"%s"}`: "title",
		`ada PUT /api/auth/me/status {"text":"a","emoji":"%s"}`:                                       "emoji",
		`root PATCH /api/admin/settings {"communityName":"%s"}`:                                       "communityName",
	} {
		f := strings.SplitN(request, " ", 4)
		w.want(f[0], f[1], f[2], w.fillIDs(fmt.Sprintf(f[3], `a\u202eb`)), 400, `"field":"`+field+`"`)
	}
}

package app_test

import (
	"fmt"
	"strings"
	"testing"
)

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

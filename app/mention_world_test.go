package app_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// For a member who is blocked, and for the one who blocks, the answers about
// mentions equal those in a group that the other is not a member of.
func TestBlockedIsNotMentioned(t *testing.T) {
	for name, c := range map[string]struct{ who, other, blocker string }{
		"the blocked": {"ben", "ada", "ada"},
		"the blocker": {"ada", "ben", "ada"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var worlds [2]*world
			for i, members := range []string{`"$id:cleo","$id:` + c.other + `"`, `"$id:cleo"`} {
				w := newWorld(t)
				res := w.request(c.who, `POST /api/chat/conversations {"participantIds":[`+members+`],"type":"group","title":"Mine"}`)
				w.ids["$id:own"] = idIn(t, res.body)
				res = w.request(c.who, `POST /api/chat/conversations/$id:own/messages {"content":"first"}`)
				w.ids["$id:message"], w.ids["$id:list"] = idIn(t, res.body), "no list"
				worlds[i] = w
			}
			with, without := worlds[0], worlds[1]
			blocked := map[string]string{c.who: c.other, c.other: c.who}[c.blocker]
			if res := with.request(c.blocker, "POST /api/chat/users/$id:"+blocked+"/block"); res.status != 200 {
				t.Fatalf("%d %s", res.status, res.body)
			}
			for _, r := range []string{
				`POST /api/chat/conversations/$id:own/messages {"content":"@` + c.other + ` and @Cléo 🌿"}`,
				`POST /api/chat/conversations/$id:own/messages {"id":"00000000-0000-4000-8000-0000000000aa","content":"@` + c.other + `"}`,
				`PATCH /api/chat/messages/$id:message {"content":"@` + c.other + ` and @Cléo 🌿"}`,
				"GET /api/chat/conversations/$id:own/messages",
				"GET /api/chat/conversations/$id:own/mentionable", "GET /api/chat/conversations/$id:own/mentionable?q=" + c.other,
			} {
				a, b := with.request(c.who, r), without.request(c.who, r)
				if d := cmp.Diff(anyIDs(without, b), anyIDs(with, a)); d != "" || a.status > 299 {
					t.Errorf("%s: %d, %d: without the other (-), with (+)\n%s", r, a.status, b.status, d)
				}
			}
			if res := with.request(c.other, "GET /api/chat/conversations/$id:own"); !strings.Contains(res.raw, `"mentioned":false`) {
				t.Errorf("who is blocked is mentioned: %s", res.body)
			}
		})
	}
}

// anyIDs returns a response without its times, and with "<id>" for ids of others
// than the cast.
func anyIDs(w *world, res response) string {
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(w.plain(res), "<id>")
}
